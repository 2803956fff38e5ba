import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const read = async (id: string) => (await client.get(`/api/pass/${id}?includeFieldMapping=true`)).body;
const patch = (id: string, data: object, query = '') => client.patch(`/api/v3/pass/${id}${query}`, { data });
const replace = (id: string, data: object) => client.post(`/api/v3/pass/${id}`, { data });
const eventsOf = async (id: string) =>
  (await d1<{ type: string }>('select type from account_events where pass_id = ? order by id', [id])).map(
    (row) => row.type,
  );
const versionOf = async (id: string) =>
  (await d1<{ version: number }>('select version from passes where id = ?', [id]))[0]?.version;

describe('PATCH', () => {
  test('changes only what is sent, once: version, modifiedOn, one event', async () => {
    const { identifier, barcodeValue } = await client.createPass(templateId, {
      userProvidedId: 'patch-1',
      'Full name': 'Ada',
      storedValue: 5,
      expirationDate: '2027-01-01 10:00',
    });
    const before = await read(identifier);
    const reply = await patch(identifier, { 'Full name': 'Grace', storedValue: '7.5' });
    expect([reply.status, reply.body.data.identifier, reply.body.data.barcodeValue]).toEqual([
      200,
      identifier,
      barcodeValue,
    ]);
    const after = await read(identifier);
    expect(after).toMatchObject({ userProvidedId: 'patch-1', storedValue: 7.5, expirationDate: before.expirationDate });
    expect(after.passFieldData[after.fieldMapping['Full name']]).toBe('Grace');
    expect(after.modifiedOn > before.modifiedOn).toBe(true);
    expect(await eventsOf(identifier)).toEqual(['pass_created', 'pass_updated']);
    expect(await versionOf(identifier)).toBe(2);
  });

  test('writes nothing when nothing differs', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'same', backgroundColor: '#fff' });
    const before = await read(identifier);
    const reply = await patch(identifier, { userProvidedId: 'same', backgroundColor: '#FFFFFF' });
    expect(reply.status).toBe(200);
    expect((await costOf(reply)).rowsWritten).toBe(0);
    expect(await read(identifier)).toEqual(before);
  });

  test('clears with null: fields, properties, the barcode value falls back to the generated one', async () => {
    const { identifier } = await client.createPass(templateId, {
      userProvidedId: 'clear',
      barcodeValue: 'mine',
      'Full name': 'Ada',
      storedValue: 3,
    });
    await patch(identifier, { userProvidedId: null, barcodeValue: null, 'Full name': null, storedValue: null });
    const after = await read(identifier);
    expect(after).toMatchObject({ userProvidedId: '', storedValue: null, barcodeValue: after.generatedId });
    expect(after.passFieldData).not.toHaveProperty(after.fieldMapping['Full name']);
  });

  test('merges under 50 simultaneous updates of different fields of one pass', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `P${i}`);
    const wide = await client.createTemplate({ additionalProperties: names.map((name) => ({ name })) });
    const { identifier } = await client.createPass(wide);
    const replies = await Promise.all(names.map((name) => patch(identifier, { [name]: `value of ${name}` })));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    const { passFieldData, fieldMapping } = await read(identifier);
    expect(names.map((name) => passFieldData[fieldMapping[name]])).toEqual(names.map((name) => `value of ${name}`));
    expect(await versionOf(identifier)).toBe(51);
    expect((await eventsOf(identifier)).filter((type) => type === 'pass_updated')).toHaveLength(50);
  });

  test('takes three round trips', async () => {
    const { identifier } = await client.createPass(templateId);
    const cost = await costOf(await patch(identifier, { storedValue: 1 }));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    // One more once Google has the pass, and three to find the change's place in the timeline.
    expect(cost.rowsRead).toBeLessThanOrEqual(25);
  });

  test.each([
    [{ storedValue: 'much' }, 'storedValue'],
    [{ expirationDate: '2026-13-01 10:00' }, 'expirationDate'],
    [{ eligibleValidationPlaces: ['Moon'] }, 'eligibleValidationPlaces'],
    [{ placesUsedAt: 'Gate 1' }, 'placesUsedAt'],
    [{ placesUsedAt: 5 }, 'placesUsedAt'],
    [{ placesUsedAt: true }, 'placesUsedAt'],
    [{ placesUsedAt: ['Gate 1', 2] }, 'placesUsedAt'],
    [{ locations: [{ latitude: 1 }] }, 'locations'],
  ])('rejects %j, names the field and changes nothing', async (data, field) => {
    const { identifier } = await client.createPass(templateId);
    const before = await read(identifier);
    const reply = await patch(identifier, { userProvidedId: 'half', ...data });
    expect([reply.status, reply.body.errors]).toEqual([
      400,
      [expect.stringMatching(new RegExp(`^data\\.${field}[.:]`))],
    ]);
    expect(await read(identifier)).toEqual(before);
  });

  test('of a foreign or unknown pass returns 404', async () => {
    const { identifier } = await client.createPass(templateId);
    const foreign = await freshAccount();
    expect((await foreign.patch(`/api/v3/pass/${identifier}`, { data: { storedValue: 1 } })).status).toBe(404);
    expect((await patch('nobody', { storedValue: 1 })).status).toBe(404);
    expect((await client.patch(`/api/v3/pass/${identifier}`, {})).status).toBe(400);
  });
});

describe('POST (replace)', () => {
  test('clears what is not sent; identifier, template, voided, barcode and bundle stay', async () => {
    const { identifier, barcodeValue } = await client.createPass(templateId, {
      userProvidedId: 'replace-1',
      'Full name': 'Ada',
      Level: 'Gold',
      storedValue: 5,
      bundleId: 'replace-bundle',
      backgroundColor: '#112233',
      locations: [{ latitude: 1, longitude: 2 }],
    });
    await client.put(`/api/pass/${identifier}`, { voided: true });
    const reply = await replace(identifier, { 'Full name': 'Grace' });
    expect(reply.status).toBe(200);
    const after = await read(identifier);
    expect(after).toMatchObject({
      userProvidedId: '',
      storedValue: null,
      voided: true,
      barcodeValue,
      bundleId: 'replace-bundle',
    });
    expect(after.passFieldData[after.fieldMapping['Full name']]).toBe('Grace');
    expect(after.passFieldData[after.fieldMapping.Level]).toBe('Basic');
    const [row] = await d1<{ appearance: string }>('select appearance from passes where id = ?', [identifier]);
    expect(JSON.parse(row!.appearance)).toEqual({});
  });

  test('requires the same members as a create', async () => {
    const strict = await client.createTemplate({ additionalProperties: [{ name: 'Seat', required: true }] });
    const { identifier } = await client.createPass(strict, { Seat: '1' });
    expect((await replace(identifier, {})).body.errors).toEqual(['data.Seat: is required']);
    expect((await patch(identifier, { Seat: null })).body.errors).toEqual(['data.Seat: is required']);
    expect((await patch(identifier, { storedValue: 1 })).status).toBe(200);
  });
});

describe('v1 update', () => {
  test('changes what is sent, including voided, and accepts nested properties without integrationStyle', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'v1-update', storedValue: 1 });
    const reply = await client.post(`/api/pass/v1-update?integrationStyle=true`, { 'Full name': 'Ada', voided: true });
    expect([reply.status, reply.body.identifier, reply.body.ErrorMessage]).toEqual([200, identifier, '']);
    expect(reply.body.genericProperties['Full name']).toBe('Ada');
    expect(await read(identifier)).toMatchObject({ voided: true, storedValue: 1 });
    await client.post('/api/pass/v1-update', { additionalProperties: { 'Full name': 'Nested' } });
    const after = await read(identifier);
    expect(after.passFieldData[after.fieldMapping['Full name']]).toBe('Nested');
    expect((await client.post('/api/pass/v1-update', { voided: 'yes' })).status).toBe(400);
  });

  test('treats members of the nested object only as properties', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'v1-nested' });
    const additionalProperties = { 'Full name': 'Ada', userProvidedId: 'changed', storedValue: 'much', voided: true };
    expect((await client.post('/api/pass/v1-nested', { additionalProperties })).status).toBe(200);
    const after = await read(identifier);
    expect(after).toMatchObject({ userProvidedId: 'v1-nested', storedValue: null, voided: false });
    expect(after.passFieldData[after.fieldMapping['Full name']]).toBe('Ada');
  });

  test('that only voids creates only that event', async () => {
    const { identifier } = await client.createPass(templateId);
    await client.post(`/api/pass/${identifier}`, { voided: true });
    expect(await eventsOf(identifier)).toEqual(['pass_created', 'pass_voided']);
  });
});

describe('unique', () => {
  test('userProvidedId: an update ignores the pass itself and rejects another’s', async () => {
    const a = await client.createPass(templateId, { userProvidedId: 'unique-a' });
    const b = await client.createPass(templateId, { userProvidedId: 'unique-b' });
    const claim = { userProvidedId: 'unique-a', enforceUniqueUserProvidedId: true };
    expect((await patch(a.identifier, claim)).status).toBe(200);
    const refused = await patch(b.identifier, claim);
    expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringContaining('unique')]);
    expect((await read(b.identifier)).userProvidedId).toBe('unique-b');
  });

  test('properties: one of 50 simultaneous creates gets the value, a delete or change frees it', async () => {
    const unique = await client.createTemplate({ additionalProperties: [{ name: 'Plate', unique: true }] });
    const create = (Plate: string) => client.post('/api/v3/pass', { data: { templateId: unique, Plate } });
    const replies = await Promise.all(Array.from({ length: 50 }, () => create('W-1')));
    const won = replies.filter((reply) => reply.status === 200);
    expect(won).toHaveLength(1);
    expect(replies.find((reply) => reply.status === 400)?.body.errors).toEqual([
      'data.Plate: the value must be unique',
    ]);
    expect((await client.get(`/api/pass/list/${unique}`)).body.total).toBe(1);

    const first = won[0]?.body.data.identifier;
    const second = (await create('W-2')).body.data.identifier;
    expect((await patch(second, { Plate: 'W-1' })).body.errors).toEqual(['data.Plate: the value must be unique']);
    expect((await patch(first, { Plate: 'W-1', storedValue: 1 })).status).toBe(200);
    expect((await patch(first, { Plate: 'W-3' })).status).toBe(200);
    expect((await patch(second, { Plate: 'W-1' })).status).toBe(200);
    await client.delete(`/api/pass/${second}`);
    expect((await create('W-1')).status).toBe(200);
  });
});

describe('custom numbers', () => {
  test('are assigned once each without gaps if 50 creates race; a caller’s value uses none; the range ends', async () => {
    const numbered = await client.createTemplate({
      customNumberRange: { from: 98, to: 149, prefix: 'M-', padding: 6 },
      barcode: {},
    });
    const create = (fields = {}) => client.post(`/api/pass?passtemplate=${numbered}`, fields);
    expect((await create({ barcodeValue: 'own' })).body.barcodeValue).toBe('own');
    const replies = await Promise.all(Array.from({ length: 50 }, () => create()));
    const numbers = replies.map((reply) => reply.body.barcodeValue).sort();
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => `M-${String(98 + i).padStart(6, '0')}`));
    await client.delete(`/api/pass/${replies[0]?.body.identifier}`);
    expect((await create()).body.barcodeValue).toBe('M-000148');
    expect((await create()).body.barcodeValue).toBe('M-000149');
    const spent = await create();
    expect([spent.status, spent.body.ErrorMessage]).toEqual([400, expect.stringContaining('custom number')]);
  });

  test('of a changed range are those that were never assigned, even if it is changed back', async () => {
    const numbered = await client.createTemplate({
      customNumberRange: { from: 1, to: 3, prefix: '2026-' },
      barcode: {},
    });
    const use = (customNumberRange: object) =>
      client.patch(`/api/v2/pass-template/${numbered}`, { customNumberRange: { prefix: '', ...customNumberRange } });
    const taken = async (count: number) => {
      const replies: Reply[] = [];
      for (let i = 0; i < count; i++) replies.push(await client.post(`/api/pass?passtemplate=${numbered}`, {}));
      return replies.map(({ status, body }) => (status === 201 ? body.barcodeValue : status));
    };
    expect(await taken(4)).toEqual(['2026-1', '2026-2', '2026-3', 400]);
    await use({ prefix: '2027-', from: 1, to: 3 });
    expect(await taken(1)).toEqual(['2027-1']);
    await use({ prefix: '2026-', from: 1, to: 4 });
    expect(await taken(2)).toEqual(['2026-4', 400]);
    await use({ from: 1_000, to: 1_999 });
    expect(await taken(2)).toEqual(['1000', '1001']);
    await use({ from: 998, to: 1_003 });
    expect(await taken(5)).toEqual(['998', '999', '1002', '1003', 400]);
    await use({ from: 999, to: 1_004 });
    expect(await taken(2)).toEqual(['1004', 400]);
    await use({ from: 0, to: 2_000, padding: 6 });
    expect(await taken(1)).toEqual(['000000']);
  });

  test('are assigned once each while the range changes and 50 creates race', async () => {
    const ranges = [
      { from: 1, to: 500, prefix: '' },
      { from: 20, to: 500, prefix: '' },
      { from: 30, to: 60, prefix: '' },
    ];
    const numbered = await client.createTemplate({ customNumberRange: ranges[0]!, barcode: {} });
    const replies = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        if (i % 5 === 0) {
          await client.patch(`/api/v2/pass-template/${numbered}`, { customNumberRange: ranges[(i / 5) % 3]! });
        }
        return client.post(`/api/pass?passtemplate=${numbered}`, {});
      }),
    );
    const numbers = replies.filter(({ status }) => status === 201).map(({ body }) => body.barcodeValue);
    expect(numbers.length).toBeGreaterThan(30);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('tiers and moves', () => {
  test('a stored value moves the pass to the highest tier reached, values follow by name', async () => {
    const properties = { additionalProperties: [{ name: 'Full name' }] };
    const gold = await client.createTemplate({ name: 'Gold', ...properties });
    const silver = await client.createTemplate({ name: 'Silver', ...properties });
    const tiers = [
      { minimumValue: 100, templateId: gold },
      { minimumValue: '10', templateId: silver },
    ];
    const basic = await client.createTemplate({
      name: 'Basic',
      ...properties,
      passFunctionality: { type: 'loyalty', tiers },
    });
    const { identifier } = await client.createPass(basic, { 'Full name': 'Ada', storedValue: 1 });
    await patch(identifier, { storedValue: 9 });
    expect((await read(identifier)).passTemplateName).toBe('Basic');
    await patch(identifier, { storedValue: 250 });
    const after = await read(identifier);
    expect([after.passTemplateName, after.passFieldData[after.fieldMapping['Full name']]]).toEqual(['Gold', 'Ada']);
    expect((await client.get(`/api/pass/list/${basic}`)).body.total).toBe(0);
    expect((await client.get(`/api/pass/list/${gold}`)).body.total).toBe(1);
  });

  test('movetotemplate moves within a project, and rejects each unmet requirement', async () => {
    const project = (await client.post('/api/v3/project', { name: 'A' })).body.data.identifier;
    const other = (await client.post('/api/v3/project', { name: 'B' })).body.data.identifier;
    const [from, to, elsewhere, loose, full] = await Promise.all([
      client.createTemplate({ projectId: project }),
      client.createTemplate({ projectId: project, name: 'Target' }),
      client.createTemplate({ projectId: other }),
      client.createTemplate(),
      client.createTemplate({ projectId: project, maxPasses: 0 }),
    ]);
    const { identifier } = await client.createPass(from!, { userProvidedId: 'mover', 'Full name': 'Ada' });
    const move = (name: string, target: string) => client.post(`/api/v2/pass/${name}/movetotemplate/${target}`);
    expect((await move('mover', elsewhere!)).body).toMatchObject({ success: false, statusCode: 400 });
    expect((await move('mover', loose!)).body.errors[0]).toContain('not in the project');
    expect((await move('mover', full!)).body.errors[0]).toContain('maximum number of passes');
    expect((await move('mover', '0198f000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await move('nobody', to!)).status).toBe(404);
    const unprojected = await client.createPass(loose!);
    expect((await move(unprojected.identifier, to!)).body.errors[0]).toContain('not part of a project');
    expect(
      (await freshAccount().then((foreign) => foreign.post(`/api/v2/pass/${identifier}/movetotemplate/${to}`))).status,
    ).toBe(404);

    const moved = await move('mover', to!);
    expect([moved.status, moved.body.data, moved.body.statusCode]).toEqual([200, [], 200]);
    const after = await read(identifier);
    expect([after.passTemplateGuid, after.passFieldData[after.fieldMapping['Full name']]]).toEqual([to, 'Ada']);
  });

  test('a move that races with deletes keeps the counts exact', async () => {
    const project = (await client.post('/api/v3/project', { name: 'C' })).body.data.identifier;
    const [from, to] = await Promise.all([
      client.createTemplate({ projectId: project }),
      client.createTemplate({ projectId: project }),
    ]);
    const passes = await Promise.all(Array.from({ length: 10 }, () => client.createPass(from!)));
    await Promise.all(
      passes.flatMap(({ identifier }) => [
        client.post(`/api/v2/pass/${identifier}/movetotemplate/${to}`),
        client.delete(`/api/pass/${identifier}`),
        client.post(`/api/v2/pass/${identifier}/movetotemplate/${from}`),
      ]),
    );
    for (const template of [from, to]) {
      const { total, results } = (await client.get(`/api/pass/list/${template}`)).body;
      expect(total).toBe(results.length);
    }
  });
});

describe('placesUsedAt', () => {
  test('clears all, some or nothing, by its shape', async () => {
    const { identifier } = await client.createPass(templateId);
    const use = () =>
      d1('update passes set places_used_at = ? where id = ?', [JSON.stringify({ Gate: 1e12, Bar: 1e12 }), identifier]);
    const used = async () => (await read(identifier)).placesUsedAt;
    for (const empty of ['', [], null]) {
      await use();
      await patch(identifier, { placesUsedAt: empty });
      expect([empty, await used()]).toEqual([empty, []]);
    }
    await use();
    await patch(identifier, { placesUsedAt: ['Gate', 'Unknown'] });
    expect(await used()).toEqual({ Bar: '2001-09-09 01:46:40' });
    await patch(identifier, { placesUsedAt: { Bar: 'whatever a read returned' } });
    expect(await used()).toEqual({ Bar: '2001-09-09 01:46:40' });
    await replace(identifier, {});
    expect(await used()).toEqual({ Bar: '2001-09-09 01:46:40' });
  });
});

test('v1 has no placesUsedAt: sending back what a read returned clears nothing', async () => {
  const { identifier } = await client.createPass(templateId);
  await d1('update passes set places_used_at = ? where id = ?', [JSON.stringify({ Gate: 1e12 }), identifier]);
  for (const placesUsedAt of [[], '', null, ['Gate'], 5]) {
    expect((await client.post(`/api/pass/${identifier}`, { placesUsedAt })).status).toBe(200);
    expect((await read(identifier)).placesUsedAt).toEqual({ Gate: '2001-09-09 01:46:40' });
  }
});

describe('clearing a barcode value', () => {
  const barcodeOf = async (id: string) => (await read(id)).barcodeValue;

  test.each([
    ['POST', null],
    ['POST', ''],
    ['PATCH', null],
    ['PATCH', ''],
  ])('by %s with %j sets it to what a create without one has', async (method, barcodeValue) => {
    const clear = method === 'POST' ? replace : patch;
    const text = await client.createTemplate({ barcode: { format: 'qr', value: 'gate-{Full name}' } });
    const written = await client.createPass(text, { barcodeValue: 'mine', 'Full name': 'Ada' });
    expect((await clear(written.identifier, { barcodeValue, 'Full name': 'Grace' })).status).toBe(200);
    expect(await barcodeOf(written.identifier)).toBe('gate-Grace');
    const generated = await client.createPass(templateId, { barcodeValue: 'mine' });
    await clear(generated.identifier, { barcodeValue });
    expect(await barcodeOf(generated.identifier)).toBe((await read(generated.identifier)).generatedId);
  });

  test('uses no custom number', async () => {
    const numbered = await client.createTemplate({
      customNumberRange: { from: 1, to: 3, prefix: 'N-', padding: 2 },
      barcode: {},
    });
    const { identifier } = await client.createPass(numbered, { barcodeValue: 'mine' });
    for (const clear of [replace, patch]) {
      await clear(identifier, { barcodeValue: null });
      expect(await barcodeOf(identifier)).toBe((await read(identifier)).generatedId);
    }
    expect((await client.createPass(numbered)).barcodeValue).toBe('N-01');
  });

  test('does not happen if it is not sent', async () => {
    const { identifier } = await client.createPass(templateId, { barcodeValue: 'mine' });
    await replace(identifier, { storedValue: 1 });
    expect(await barcodeOf(identifier)).toBe('mine');
  });
});

describe('flights', () => {
  test('change only in what is sent', async () => {
    const flights = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const { identifier } = await client.createPass(flights, { ...SAMPLE_FLIGHT, seatNumber: '12A' });
    await client.post(`/api/pass/${identifier}?integrationStyle=true`, { originAirportGate: 'F21', seatNumber: null });
    const after = await read(identifier);
    expect(after).toMatchObject({ ...SAMPLE_FLIGHT, originAirportGate: 'F21' });
    expect(after.seatNumber ?? null).toBeNull();
    for (const field of ['seatNumber', 'boardingGroup', 'localScheduledArrivalDateTime']) {
      const cleared = await patch(identifier, { [field]: null });
      expect([field, cleared.status, (await costOf(cleared)).rowsWritten]).toEqual([field, 200, 0]);
    }
    expect((await read(identifier)).modifiedOn).toBe(after.modifiedOn);
    const unnamed = await patch(identifier, { carrierCode: 'A-1' });
    expect(unnamed.body.errors).toEqual([expect.stringMatching(/^data\.carrierCode: /)]);
    const refused = await client.post(`/api/pass/${identifier}`, { passengerName: null });
    expect([refused.status, refused.body.ErrorMessage]).toEqual([400, expect.stringContaining('passengerName')]);
  });
});

describe('images by URL', () => {
  const png = readFileSync('scripts/demo/images/lindhof-icon.png');
  const withImages = { images: { perPassImages: { thumbnail: true, background: true } }, translationsEnabled: true };

  test('are imported before the reply in v1, shown by the read, and rejected if they cannot be imported', async () => {
    const outside = await openOutsideServer(({ path }) => ({ body: path === '/ok.png' ? png : 'no image' }));
    const template = await client.createTemplate(withImages);
    const made = await client.createPass(template, {
      urlToThumbnail: `${outside.origin}/ok.png`,
      urlToLogo: `${outside.origin}/never-asked.png`,
      localizedBackgroundImages: { de: `${outside.origin}/ok.png` },
    });
    const { thumbnail } = await read(made.identifier);
    expect(thumbnail).toMatch(/\/images\/[0-9a-f]{64}$/);
    expect(outside.requests.map((request) => request.path)).not.toContain('/never-asked.png');
    for (const url of [`${outside.origin}/bad.png`, 'http://169.254.169.254/x.png', 'not a url']) {
      const refused = await client.post(`/api/pass?passtemplate=${template}`, { urlToThumbnail: url });
      expect([refused.status, refused.body.ErrorMessage]).toEqual([400, expect.stringContaining('urlToThumbnail')]);
      expect(refused.body.ErrorMessage).toContain('not importable');
    }
    await patch(made.identifier, { urlToThumbnail: null }, '?async=false');
    expect((await read(made.identifier)).thumbnail).toBeNull();
    await outside.close();
  });

  test('by language need backgrounds per pass and translations, and are not fetched otherwise', async () => {
    const outside = await openOutsideServer(() => ({ body: png }));
    const localizedBackgroundImages = { de: `${outside.origin}/de.png` };
    for (const lacking of [{ translationsEnabled: false }, { images: { perPassImages: { thumbnail: true } } }]) {
      const template = await client.createTemplate({ ...withImages, ...lacking });
      await client.createPass(template, { localizedBackgroundImages });
    }
    expect(outside.requests).toEqual([]);
    await client.createPass(await client.createTemplate(withImages), { localizedBackgroundImages });
    expect(outside.requests.map((request) => request.path)).toEqual(['/de.png']);
    await outside.close();
  });

  test('follow in the background with async=true, and one that fails is dropped', async () => {
    const outside = await openOutsideServer(({ path }) => ({ body: path === '/ok.png' ? png : 'no image' }));
    const template = await client.createTemplate(withImages);
    const create = async (path: string) => {
      const data = { templateId: template, urlToThumbnail: outside.origin + path };
      return (await client.post('/api/v3/pass', { data })).body.data.identifier as string;
    };
    const good = await create('/ok.png');
    await eventually(async () => (await read(good)).thumbnail);
    expect(await versionOf(good)).toBe(2);
    const bad = await create('/bad.png');
    await eventually(async () => {
      const [row] = await d1<{ appearance: string }>('select appearance from passes where id = ?', [bad]);
      const { pendingImages, importErrors, ...rest } = JSON.parse(row!.appearance);
      expect(rest).toEqual({});
      return !pendingImages && importErrors.length === 1;
    });
    expect((await read(bad)).thumbnail).toBeNull();
    await outside.close();
  });
});

test('enabledownload opens until the given time, or ten minutes from now', async () => {
  const { identifier } = await client.createPass(templateId, { userProvidedId: 'open-me' });
  const until = async () =>
    (await d1<{ at: number }>('select download_enabled_until_at as at from passes where id = ?', [identifier]))[0]!.at;
  const before = Date.now();
  expect((await client.post('/api/pass/open-me/enabledownload')).status).toBe(204);
  expect((await until()) - before).toBeGreaterThanOrEqual(600_000);
  expect((await until()) - before).toBeLessThan(660_000);
  await client.post('/api/pass/open-me/enabledownload', { enableDownloadUntil: '2027-01-31 20:00' });
  expect(await until()).toBe(Date.UTC(2027, 0, 31, 20));
  const wrong = await client.post('/api/pass/open-me/enabledownload', { enableDownloadUntil: '2027-02-31 20:00' });
  expect([wrong.status, wrong.body.ErrorMessage]).toEqual([400, expect.stringContaining('enableDownloadUntil')]);
  expect((await client.post('/api/pass/nobody/enabledownload')).status).toBe(404);
  expect((await freshAccount().then((foreign) => foreign.post(`/api/pass/${identifier}/enabledownload`))).status).toBe(
    404,
  );
});
