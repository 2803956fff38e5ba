import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../support/api.ts';
import { fuzzAccount } from '../support/fuzz-account.ts';
import type { TemplateInput } from '../support/samples.ts';
import { unzip } from '../wallets/apple/tools.ts';

/*
 * The effect of a pass's writable fields, as its holder sees it: in the pass file and in the save link.
 */

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await client.createTemplate();
});

async function passJson({ linkToPassFile }: CreatedPass) {
  return JSON.parse(
    unzip((await client.get(linkToPassFile as '/')).body)
      .get('pass.json')!
      .toString(),
  );
}

/** Returns the one object in the pass's save link, of any type; short links contain it completely. */
async function saveObject({ identifier }: CreatedPass) {
  const { walletSaveUri } = (await client.get(`/api/pass/geturis/${identifier}`)).body;
  // biome-ignore lint/suspicious/noExplicitAny: what stands in it is what the tests are there to find out
  const { payload } = decodeJwt<any>(walletSaveUri.split('/').at(-1));
  const [name] = Object.keys(payload).filter((key) => key.endsWith('Objects'));
  return payload[name!][0];
}

describe('additional properties', () => {
  test('are accepted by name and by ID, and the ID takes precedence', async () => {
    const { body } = await client.get(`/api/pass-template/${templateId}?integrationStyle=true`);
    const id = body.find((item: { label: string }) => item.label === 'Full name').key;
    const byId = await client.createPass(templateId, { [id]: 'by ID' });
    expect(byId.genericProperties['Full name']).toBe('by ID');
    const both = await client.createPass(templateId, { [id]: 'by ID', 'Full name': 'by name' });
    expect(both.genericProperties['Full name']).toBe('by ID');
    await client.patch(`/api/v3/pass/${both.identifier}`, { data: { [id]: 'changed' } });
    expect((await client.get(`/api/pass/${both.identifier}`)).body.passFieldData[id]).toBe('changed');
  });

  test.each([
    ['number', 'seven'],
    ['email', 'nobody'],
    ['date', '2027-02-30'],
    ['datetime', '2027-01-01'],
    ['select', 'Third'],
    ['radiobutton', 'Third'],
    ['checkbox', 'perhaps'],
    ['text', 'x'.repeat(10_001)],
  ] as const)('of type %s reject other values', async (type, value) => {
    const options = /select|radio/.test(type) ? ['First', 'Second'] : undefined;
    const template = await client.createTemplate({ additionalProperties: [{ name: 'Value', type, options }] });
    const reply = await client.post(`/api/pass?passtemplate=${template}`, { Value: value });
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringMatching(/^Value: /)]);
  });

  test('of type checkbox accept and return booleans', async () => {
    const template = await client.createTemplate({ additionalProperties: [{ name: 'Paid', type: 'checkbox' }] });
    for (const [sent, kept] of [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
    ]) {
      const { genericProperties } = await client.createPass(template, { Paid: sent });
      expect([sent, genericProperties.Paid]).toEqual([sent, kept]);
    }
  });
});

describe('colors', () => {
  test('replace the template’s; an invalid one is dropped in favor of the template’s', async () => {
    const colors = { backgroundColor: '#ff8000', foregroundColor: 'beige-ish', labelColor: 'fff' };
    const { backgroundColor, foregroundColor, labelColor } = await passJson(
      await client.createPass(templateId, colors),
    );
    expect([backgroundColor, foregroundColor, labelColor]).toEqual([
      'rgb(255, 128, 0)',
      'rgb(255, 255, 255)',
      'rgb(255, 255, 255)',
    ]);
    const plain = await passJson(await client.createPass(templateId));
    expect([plain.backgroundColor, plain.labelColor]).toEqual(['rgb(29, 53, 87)', 'rgb(168, 218, 220)']);
  });

  test('of the footer are shown on event tickets', async () => {
    const ticket = await client.createTemplate({ type: 'eventTicket' });
    const shown = await passJson(await client.createPass(ticket, { footerBackgroundColor: '#010203' }));
    expect(shown.footerBackgroundColor).toBe('rgb(1, 2, 3)');
    const other = await passJson(await client.createPass(templateId, { footerBackgroundColor: '#010203' }));
    expect(other).not.toHaveProperty('footerBackgroundColor');
  });
});

describe('locations', () => {
  test('have coordinates, texts, altitude and distance; numbers may be texts', async () => {
    const pass = await client.createPass(templateId, {
      locations: [
        { latitude: '48.2', longitude: 16.37, altitude: '171', relevantText: 'Here', maxDistance: '200' },
        { latitude: -90, longitude: -180, localizedRelevantText: { en: 'The end', de: 'Das Ende' } },
      ],
    });
    expect(await passJson(pass)).toMatchObject({
      locations: [
        { latitude: 48.2, longitude: 16.37, altitude: 171, relevantText: 'Here' },
        { latitude: -90, longitude: -180, relevantText: 'The end' },
      ],
      maxDistance: 200,
    });
  });

  test.each<[string, unknown]>([
    ['a latitude beyond 90', { latitude: 90.1, longitude: 0 }],
    ['a longitude beyond 180', { latitude: 0, longitude: -180.1 }],
    ['a latitude that is no number', { latitude: 'north', longitude: 0 }],
    ['an altitude beyond all numbers', { latitude: 0, longitude: 0, altitude: '9'.repeat(400) }],
    ['a negative distance', { latitude: 0, longitude: 0, maxDistance: -1 }],
    ['a text in no language', { latitude: 0, longitude: 0, localizedRelevantText: { 'no language': 'x' } }],
    ['a missing longitude', { latitude: 0 }],
    ['a text', 'here'],
  ])('reject %s', async (_, location) => {
    const reply = await client.post('/api/v3/pass', { data: { templateId, locations: [location] } });
    expect([reply.status, reply.body.errors.join()]).toEqual([400, expect.stringContaining('locations.0')]);
  });
});

describe('dates', () => {
  let short: string;
  beforeAll(async () => {
    short = await client.createTemplate({ fields: {}, additionalProperties: [] });
  });

  test('decide when the pass is shown, begins and ends, in the account’s zone', async () => {
    const pass = await client.createPass(short, {
      expirationDate: '2030-12-31 23:59',
      relevantDate: '2030-07-01 18:00',
      validAsOfDate: '2030-06-01 08:30',
    });
    const shown = await passJson(pass);
    expect([shown.expirationDate, shown.relevantDate]).toEqual([
      '2030-12-31T23:59:00+01:00',
      '2030-07-01T18:00:00+02:00',
    ]);
    const { start, end } = (await saveObject(pass)).validTimeInterval;
    expect([start.date, end.date]).toEqual(['2030-06-01T08:30:00+02:00', '2030-12-31T23:59:00+01:00']);
  });

  test('of the start may be a day', async () => {
    const pass = await client.createPass(short, { validAsOfDate: '2030-06-01' });
    expect((await saveObject(pass)).validTimeInterval.start.date).toBe('2030-06-01T00:00:00+02:00');
  });

  test.each(['2030-06-31', '2030-06-01T10', 'soon', 20300601])('of the start reject %j', async (validAsOfDate) => {
    const reply = await client.post(`/api/pass?passtemplate=${templateId}`, { validAsOfDate });
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining('validAsOfDate')]);
  });
});

describe('barcodes', () => {
  test('have the value and the alternative text of the pass', async () => {
    const pass = await client.createPass(templateId, { barcodeValue: 'code-7', barcodeAlternativeText: 'Seat 7' });
    expect((await passJson(pass)).barcodes).toEqual([
      expect.objectContaining({ message: 'code-7', altText: 'Seat 7' }),
    ]);
  });

  test('of two passes without a given value differ, and generated identifiers always do', async () => {
    const [a, b] = [await client.createPass(templateId), await client.createPass(templateId)];
    expect(a.barcodeValue).not.toBe(b.barcodeValue);
    const given = [
      await client.createPass(templateId, { barcodeValue: 'same' }),
      await client.createPass(templateId, { barcodeValue: 'same' }),
    ];
    const ids = await Promise.all(
      given.map(async ({ identifier }) => (await client.get(`/api/pass/${identifier}`)).body.generatedId),
    );
    expect(ids[0]).toMatch(/^[0-9A-Z]{16}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('groupingIdentifier', () => {
  const grouped = async (overrides: Partial<TemplateInput>) => {
    const template = await client.createTemplate(overrides);
    const { groupingIdentifier } = await passJson(await client.createPass(template, { groupingIdentifier: 'tour' }));
    return groupingIdentifier;
  };

  test('groups event tickets and boarding passes if their template allows it, and is ignored otherwise', async () => {
    expect(await grouped({ type: 'eventTicket', groupingIdentifierEnabled: true })).toBe('tour');
    const train = { type: 'boardingPass', transitType: 'PKTransitTypeTrain' } as const;
    expect(await grouped({ ...train, groupingIdentifierEnabled: true })).toBe('tour');
    expect(await grouped({ type: 'eventTicket' })).toBeUndefined();
    expect(await grouped({ type: 'coupon', groupingIdentifierEnabled: true })).toBeUndefined();
  });
});

describe('storedValue', () => {
  test.each([
    [12.5, 12.5],
    ['12.5', 12.5],
    [-3, -3],
    ['0', 0],
  ])('accepts %j', async (sent, kept) => {
    const { identifier } = await client.createPass(templateId, { storedValue: sent });
    expect((await client.get(`/api/pass/${identifier}`)).body.storedValue).toBe(kept);
  });

  test.each<[string, unknown]>([
    ['a word', 'much'],
    ['an empty text', ''],
    ['a number with an exponent in a text', '1e5'],
    ['a number beyond all', '9'.repeat(400)],
    ['a boolean', true],
    ['an array', [1]],
  ])('rejects %s', async (_, storedValue) => {
    const reply = await client.post(`/api/pass?passtemplate=${templateId}`, { storedValue });
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining('storedValue')]);
  });
});

describe('eligibleValidationPlaces', () => {
  test('are places of the template, and the read shows them', async () => {
    const template = await client.createTemplate({ validValidationPlaces: ['Gate', 'Bar'] });
    const { identifier } = await client.createPass(template, { eligibleValidationPlaces: ['Bar'] });
    expect((await client.get(`/api/pass/${identifier}`)).body.eligiblePlaces).toEqual(['Bar']);
  });
});

describe('enforceUniqueUserProvidedId', () => {
  test('rejects a name that another pass has, even in an update that changes nothing', async () => {
    const [, twin] = [
      await client.createPass(templateId, { userProvidedId: 'shared' }),
      await client.createPass(templateId, { userProvidedId: 'shared' }),
    ];
    const data = { userProvidedId: 'shared', enforceUniqueUserProvidedId: true };
    const refused = await client.patch(`/api/v3/pass/${twin.identifier}`, { data });
    expect([refused.status, refused.body.errors]).toEqual([400, [expect.stringContaining('unique')]]);
    await client.delete('/api/pass/shared');
    const [left] = (await client.get(`/api/pass/list/${templateId}?pageSize=100`)).body.results.filter(
      (item: { userProvidedId: string }) => item.userProvidedId === 'shared',
    );
    expect((await client.patch(`/api/v3/pass/${left.identifier}`, { data })).status).toBe(200);
  });

  test('of a template applies within it, and another template may use the name', async () => {
    const [one, other] = await Promise.all([
      client.createTemplate({ enforceUniqueUserProvidedId: true }),
      client.createTemplate({ enforceUniqueUserProvidedId: true }),
    ]);
    const create = (id: string) => client.post(`/api/pass?passtemplate=${id}`, { userProvidedId: 'seat-1' });
    expect((await create(one)).status).toBe(201);
    expect((await create(one)).body.ErrorMessage).toContain('unique');
    expect((await create(other)).status).toBe(201);
  });
});

describe('placeholders', () => {
  test('name properties by name or ID and the pass’s own fields; an unknown one stays as written', async () => {
    const properties = [{ name: 'Full name', id: '0123456789abc.01234567' }, { name: 'Empty' }];
    const value =
      '{Full name}/{0123456789abc.01234567}/{userProvidedId}/{storedValue}/{expirationDate}/{Empty}/{Nothing}';
    const template = await client.createTemplate({
      additionalProperties: properties,
      fields: { primaryFields: [{ key: 'all', label: '{userProvidedId}', value }] },
    });
    const fields = { 'Full name': 'Ada', userProvidedId: 'no-1', storedValue: 2.5, expirationDate: '2030-01-01 10:00' };
    const { generic } = await passJson(await client.createPass(template, fields));
    expect(generic.primaryFields[0]).toMatchObject({
      label: 'no-1',
      value: 'Ada/Ada/no-1/2.5/2030-01-01 10:00//{Nothing}',
    });
  });
});

describe('links', () => {
  test('of v1, of v3 and of geturis are the same and do not change', async () => {
    const made = await client.createPass(templateId, { userProvidedId: 'links' });
    const uris = await client.get('/api/pass/geturis/links');
    const row = (await client.get('/api/v3/pass/links')).body.data;
    expect(Object.keys(uris.body)).toEqual(['passFileUri', 'walletSaveUri']);
    expect([uris.body.passFileUri, row.passFileUri]).toEqual([made.linkToPassFile, made.linkToPassFile]);
    expect([row.downloadPage, row.linkToPassPage]).toEqual([made.linkToPassPage, made.linkToPassPage]);
    for (const link of [uris.body.walletSaveUri, row.walletSaveUri])
      expect(link).toMatch(/^https:\/\/pay\.google\.com\//);
    const changed = await client.patch('/api/v3/pass/links', { data: { storedValue: 1 } });
    expect(changed.body.data).toMatchObject({ passFileUri: made.linkToPassFile, downloadPage: made.linkToPassPage });
  });

  test('contain secrets that no two passes share and no identifier reveals', async () => {
    const [a, b] = [await client.createPass(templateId), await client.createPass(templateId)];
    const secrets = [a, b].flatMap((pass) => [
      pass.linkToPassPage.split('/').at(-1)!,
      pass.linkToPassFile.split('/').at(-1)!.replace('.pkpass', ''),
    ]);
    expect(new Set(secrets).size).toBe(4);
    // The shard is followed by 22 characters of base64url, which encode 132 bits.
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{3}[\w-]{22}$/);
    expect(new Set(secrets.map((secret) => secret.slice(3))).size).toBe(4);
  });
});

test('identifiers of every kind are lower-case UUIDs of version 7', async () => {
  const { templates, passes, others } = await fuzzAccount();
  const { project, notification, process, customer } = others;
  for (const id of [templates, passes, project, notification, process, customer].flat()) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test('an absent body is accepted if every field is optional', async () => {
  const made = await client.post(`/api/pass?passtemplate=${templateId}&integrationStyle=true`);
  expect(made.status).toBe(201);
  expect((await client.post(`/api/pass/${made.body.identifier}`)).status).toBe(200);
});
