import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { costOf } from '../../support/control.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { PASS_TYPE_ID } from '../../support/start-worker.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

describe('create', () => {
  test('replies 201 with the identifier, and new templates are listed', async () => {
    const reply = await client.post('/api/v2/pass-template', sampleTemplate({ name: 'Listed' }));
    expect([reply.status, reply.body.success, reply.body.statusCode]).toEqual([201, true, 201]);
    const { identifier } = reply.body.data;
    expect((await client.get('/api/pass-template')).body).toContainEqual({ identifier, name: 'Listed' });
  });

  test.each([
    ['name', { name: ' ' }],
    ['description', { description: undefined }],
    ['organizationName', { organizationName: [7] }],
    ['type', { type: 'poster' }],
    ['transitType', { type: 'boardingPass' }],
    ['transitType', { transitType: 'PKTransitTypeAir' }],
    ['preferredStyleScheme', { preferredStyleScheme: 'posterEventTicket' }],
    ['fields.primaryFields.1.key', { fields: { primaryFields: [{ key: 'a' }, { key: 'a' }] } }],
    ['fields.primaryFields.0.currencyCode', { fields: { primaryFields: [{ type: 'currency' }] } }],
    ['fields.backFields.0.changeMessage', { fields: { backFields: [{ changeMessage: 'changed' }] } }],
    ['additionalProperties.1.name', { additionalProperties: [{ name: 'A' }, { name: 'A' }] }],
    ['additionalProperties.0.options', { additionalProperties: [{ name: 'A', type: 'select' }] }],
    ['additionalProperties.0.personal', { additionalProperties: [{ name: 'A', personal: 'yes' }] }],
    ['additionalProperties.0.id', { additionalProperties: [{ name: 'A', id: 'mine' }] }],
    ['barcode.format', { barcode: { format: 'ean' } }],
    ['nfc.encryptionPublicKey', { nfc: { enabled: true } }],
    ['colors.backgroundColor', { colors: { backgroundColor: 'beige' } }],
    ['locations.0.latitude', { locations: [{ latitude: 100, longitude: 1 }] }],
    ['relevantDate', { relevantDate: '2026-02-30 10:00' }],
    ['expiration.expirationDate', { expiration: { expirationDate: 'tomorrow' } }],
    ['expiration.validityInDays', { expiration: { validityInDays: 0 } }],
    ['maxPasses', { maxPasses: -1 }],
    ['customNumberRange.to', { customNumberRange: { from: 9, to: 1 } }],
    ['passFunctionality.type', { passFunctionality: { type: 'magic' } }],
    ['passTypeId', { passTypeId: 'pass.com.example.nobody' }],
    ['projectId', { projectId: '0198f000-0000-7000-8000-000000000000' }],
    ['links.0.url', { links: [{ url: 'javascript:alert(1)' }] }],
    ['translations.not a language', { translations: { 'not a language': {} } }],
    ['translations.en-a1', { translations: { 'en-a1': {} } }],
    ['translations.zh-min-nan', { translations: { 'zh-min-nan': {} } }],
    [
      'locations.0.localizedRelevantText.de-DE-DE',
      { locations: [{ latitude: 1, longitude: 1, localizedRelevantText: { 'de-DE-DE': 'a' } }] },
    ],
  ])('rejects a wrong %s and names it: %j', async (field, overrides) => {
    const reply = await client.post('/api/v2/pass-template', { ...sampleTemplate(), ...overrides });
    expect(reply.status).toBe(400);
    expect(reply.body.errors.join()).toContain(`${field}: `);
    expect(reply.body).toMatchObject({ success: false, data: [], statusCode: 400 });
  });

  test('accepts a pass type that the account may sign with, without another round trip', async () => {
    const plain = await client.post('/api/v2/pass-template', sampleTemplate());
    const signed = await client.post('/api/v2/pass-template', sampleTemplate({ passTypeId: PASS_TYPE_ID }));
    expect(signed.status).toBe(201);
    expect((await costOf(signed)).roundTrips).toBe((await costOf(plain)).roundTrips);
  });

  test('rejects a second template with a used userProvidedId, even if creates race', async () => {
    const create = () => client.post('/api/v2/pass-template', sampleTemplate({ userProvidedId: 'external' }));
    const replies = await Promise.all(Array.from({ length: 10 }, create));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect(replies.find((reply) => reply.status === 400)?.body.errors[0]).toContain('userProvidedId');
  });

  test('rejects an image that cannot be imported, and stores nothing', async () => {
    const before = (await client.get('/api/pass-template')).body.length;
    for (const icon of ['bm90IGFuIGltYWdl', 'http://127.0.0.1/icon.png', 'https://10.0.0.1/icon.png']) {
      const reply = await client.post('/api/v2/pass-template', sampleTemplate({ images: { icon } }));
      expect([reply.status, reply.body.errors[0]]).toEqual([400, expect.stringContaining('not importable')]);
      expect(reply.body.errors[0]).toContain('images.icon');
    }
    expect((await client.get('/api/pass-template')).body).toHaveLength(before);
  });
});

describe('describe', () => {
  test('returns the whole definition, which can be sent back', async () => {
    const definition = sampleTemplate({
      locations: [{ latitude: '48.2', longitude: 16.37, relevantText: 'Here' }],
      translationsEnabled: true,
      translations: { de: { Member: 'Mitglied' } },
    });
    const id = await client.createTemplate(definition);
    const { status, body } = await client.get(`/api/v2/pass-template/${id}/describe`);
    expect(status).toBe(200);
    const { identifier, ...described } = body.data;
    expect(identifier).toBe(id);
    expect(described).toMatchObject({
      name: 'Membership',
      type: 'generic',
      locations: [{ latitude: 48.2, longitude: 16.37, relevantText: 'Here' }],
      translations: { de: { Member: 'Mitglied' } },
      barcode: { format: 'qr', valueDifferentForEachPass: true, useAutoIdForValue: false },
    });
    expect(described.additionalProperties[0].id).toMatch(/^[0-9a-f]{13}\.\d{8}$/);
    expect(described.fields.headerFields[0]).toMatchObject({ index: 0, key: 'level' });
    const again = await client.post('/api/v2/pass-template', described);
    expect(again.status).toBe(201);
    const copy = (await client.get(`/api/v2/pass-template/${again.body.data.identifier}/describe`)).body.data;
    expect({ ...copy, identifier: id }).toEqual(body.data);
  });

  test('shows images as addresses of this service that can be sent back', async () => {
    const pixel = readFileSync('scripts/demo/images/lindhof-icon.png').toString('base64');
    const id = await client.createTemplate({ images: { icon: pixel, logo: `data:image/png;base64,${pixel}` } });
    const { images } = (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
    expect(images.icon).toMatch(/\/images\/[0-9a-f]{64}$/);
    expect(images.logo).toBe(images.icon);
    expect((await client.get(images.icon)).headers.get('Content-Type')).toBe('image/png');
    const again = await client.createTemplate({ images: { icon: images.icon } });
    expect((await client.get(`/api/v2/pass-template/${again}/describe`)).body.data.images.icon).toBe(images.icon);
  });

  test('does not distinguish a foreign template from an unknown one', async () => {
    const id = await client.createTemplate();
    const foreign = await freshAccount();
    const reply = await foreign.get(`/api/v2/pass-template/${id}/describe`);
    expect([reply.status, reply.body.errors]).toEqual([404, ['Object not found']]);
    expect((await foreign.get(`/api/pass-template/${id}?integrationStyle=true`)).status).toBe(404);
    expect((await foreign.get('/api/pass-template')).body).toEqual([]);
  });
});

describe('field information (v1)', () => {
  test('lists what the template uses, then one item per property', async () => {
    const id = await client.createTemplate({
      additionalProperties: [
        { name: 'Full name', required: true },
        { name: 'Born', type: 'date' },
      ],
      expiration: { expirationDateDifferentForEachPass: true },
      images: { perPassImages: { thumbnail: true } },
    });
    const { body } = await client.get(`/api/pass-template/${id}?integrationStyle=true`);
    const keys = body.map((item: { key: string }) => item.key);
    expect(keys).toEqual(
      expect.arrayContaining(['userProvidedId', 'barcodeValue', 'expirationDate', 'urlToThumbnail']),
    );
    expect(keys).not.toContain('urlToBackground');
    expect(keys).not.toContain('originAirportCode');
    expect(body.slice(-2)).toEqual([
      { type: 'unicode', key: expect.stringMatching(/^[0-9a-f]{13}\.\d{8}$/), required: true, label: 'Full name' },
      { type: 'datetime', key: expect.stringMatching(/^[0-9a-f]{13}\.\d{8}$/), required: false, label: 'Born' },
    ]);
    expect(body.find((item: { key: string }) => item.key === 'expirationDate')).toMatchObject({ type: 'datetime' });
  });

  test('has the flight fields for air boarding passes', async () => {
    const id = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const { body } = await client.get(`/api/pass-template/${id}?integrationStyle=true`);
    expect(body).toContainEqual({
      type: 'unicode',
      key: 'originAirportCode',
      required: true,
      label: 'Origin airport code',
    });
    expect(body.find((item: { key: string }) => item.key === 'seatNumber').required).toBe(false);
    expect(body.find((item: { key: string }) => item.key === 'localBoardingDateTime').type).toBe('datetime');
  });

  test.each(['', '?integrationStyle=false', '?integrationStyle='])(
    'needs integrationStyle=true (%j: 400)',
    async (query) => {
      const id = await client.createTemplate();
      const reply = await client.get(`/api/pass-template/${id}${query}`);
      expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining('integrationStyle')]);
    },
  );

  test.each(['true', 'True', '1'])('accepts integrationStyle=%s, as creating a pass does', async (flag) => {
    const id = await client.createTemplate();
    const query = `integrationStyle=${flag}`;
    expect((await client.get(`/api/pass-template/${id}?${query}`)).status).toBe(200);
    expect((await client.post(`/api/pass?passtemplate=${id}&${query}`, {})).status).toBe(201);
  });
});
