import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount, type Reply } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';

const PROPERTIES = [
  { name: 'Full name', type: 'text' as const },
  { name: 'Points', type: 'number' as const },
  { name: 'Paid', type: 'checkbox' as const },
  { name: 'Visit', type: 'datetime' as const },
];
const NAMES = ['Ada Lovelace', 'Grace Hopper', 'Zoë ÄNGSTRÖM', 'Ωmega Straße', undefined];

let client: Client;
let templateId: string;
let projectId: string;
/** Identifiers, oldest first. */
const ids: string[] = [];

beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  projectId = (await client.post('/api/v3/project', { name: 'Fair' })).body.data.identifier;
  templateId = await client.createTemplate({ name: 'Visitors', projectId, additionalProperties: PROPERTIES });
  for (const [i, name] of NAMES.entries()) {
    const fields = {
      userProvidedId: `Visitor-${i}`,
      storedValue: [9, 10, 100, null, 2.5][i],
      ...(name ? { 'Full name': name } : {}),
      Points: i * 5,
      ...(i < 3 ? { Paid: i === 0 } : {}),
      Visit: `2026-03-0${i + 1} 23:30`,
      expirationDate: `2026-03-0${i + 1} 00:30`,
    };
    ids.push((await client.createPass(templateId, fields)).identifier);
  }
  const other = await client.createTemplate({ name: 'Others' });
  ids.push((await client.createPass(other, { userProvidedId: 'other' })).identifier);
});

type Condition = { field: string; operator: string; value?: unknown };
const searchFor = (query: object, rest: object = {}): Promise<Reply> =>
  client.post('/api/v3/passinstance/search', { query, ...rest });

/** Returns the numbers of the passes that a condition selects, oldest first. */
async function selected(...conditions: Condition[]): Promise<number[]> {
  const reply = await searchFor({ templateId, groups: [conditions] });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.data.map((row: { identifier: string }) => ids.indexOf(row.identifier)).reverse();
}

/**
 * Replaces a row's save link by its claims, without the signature's time, because a second may pass between two rows.
 */
function claimed({ walletSaveUri, ...row }: { walletSaveUri: string }) {
  const { iat, ...claims } = decodeJwt(walletSaveUri.split('/').at(-1)!);
  expect(iat).toBeGreaterThan(0);
  return { ...row, claims };
}

describe('the reply', () => {
  test('has the envelope, totals and the next page, rows newest first', async () => {
    const { status, body } = await searchFor({}, { pageSize: 4 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, errors: [], statusCode: 200, count: 4 });
    expect(body.responseMetaData).toEqual({ resultsTotal: 6, resultsThisPage: 4 });
    expect(body.data.map((row: { identifier: string }) => row.identifier)).toEqual(ids.toReversed().slice(0, 4));
    const next = await client.get(body.page.next);
    expect(next.body.data.map((row: { identifier: string }) => row.identifier)).toEqual(ids.toReversed().slice(4));
    expect(next.body.responseMetaData).toEqual({ resultsTotal: 6, resultsThisPage: 2 });
    expect(next.body.page).toEqual({ next: null });
  });

  test('shows every name of a row and the additional properties, by ID or by name', async () => {
    const names = [
      'identifier',
      'userProvidedId',
      'barcodeValue',
      'generatedId',
      'templateId',
      'passTemplateName',
      'downloadPage',
      'linkToPassPage',
      'passFileUri',
      'walletSaveUri',
      'createdOn',
      'modifiedOn',
      'expirationDate',
      'voided',
      'redeemed',
      'storedValue',
      'bundleId',
      'numberOfActive',
      'numberOfInactive',
      'firstDownloadedAt',
    ];
    const query = { groups: [[{ field: 'identifier', operator: 'equals', value: ids[0] }]] };
    const [byId] = (await searchFor(query)).body.data;
    expect(Object.keys(byId)).toEqual(expect.arrayContaining(names));
    expect(claimed(byId)).toEqual(claimed((await client.get(`/api/v3/pass/${ids[0]}`)).body.data));
    const [byName] = (await searchFor(query, { formatKeyAdditionalProperties: 'name' })).body.data;
    expect(byName).toMatchObject({
      'Full name': 'Ada Lovelace',
      Points: '0',
      Paid: true,
      passTemplateName: 'Visitors',
    });
  });

  test('has all fields when none is named', async () => {
    const membersOf = ({ body }: Reply) => Object.keys(body.data[0]).sort();
    const all = membersOf(await searchFor({}, { pageSize: 1 }));
    expect(all).toContain('identifier');
    for (const fields of [[], ['']]) expect(membersOf(await searchFor({}, { fields, pageSize: 1 }))).toEqual(all);
    for (const fields of ['', ',', '[]']) {
      expect(membersOf(await client.get(`/api/v3/pass?pageSize=1&fields=${fields}`))).toEqual(all);
    }
  });

  test('limits rows to the requested fields', async () => {
    const { body } = await searchFor({}, { fields: ['identifier', 'createdOn'], pageSize: 2 });
    expect(Object.keys(body.data[0]).sort()).toEqual(['createdOn', 'identifier']);
    const next = await client.get(body.page.next);
    expect(Object.keys(next.body.data[0]).sort()).toEqual(['createdOn', 'identifier']);
    const links = await searchFor({}, { fields: ['walletSaveUri'], pageSize: 1 });
    expect(links.body.data[0].walletSaveUri).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\/./);
  });

  test('rejects unknown members, and accepts those of the templates it searches', async () => {
    const fields = ['userProvidedId', 'effectiveExpirationDate', 'urlToLogo', 'placesUsedAt', 'Full name'];
    const { status, body } = await searchFor({ templateId }, { fields, pageSize: 1 });
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await searchFor({}, { fields: ['Full name'], pageSize: 1 })).status).toBe(200);
    const wrong = await searchFor({ projectId }, { fields: ['identifier', 'Ful name', 'toString'] });
    expect([wrong.status, wrong.body.errors]).toEqual([400, [expect.stringMatching(/fields.*"Ful name", "toString"/)]]);
    const listed = await client.get('/api/v3/pass?fields=identifier,colour');
    expect([listed.status, listed.body.errors]).toEqual([400, [expect.stringContaining('"colour"')]]);
    const other = await client.createTemplate({ additionalProperties: [{ name: 'Shoe size', type: 'text' }] });
    expect((await searchFor({ templateId: other }, { fields: ['Full name'] })).status).toBe(400);
    expect((await searchFor({ templateId: other }, { fields: ['Shoe size'] })).status).toBe(200);
  });

  test('shows a property named by its ID or by its name', async () => {
    const [row] = (await searchFor({ templateId }, { formatKeyAdditionalProperties: 'id', fields: ['Points'] })).body
      .data;
    expect(Object.values(row)).toEqual(['20']);
    const names = { formatKeyAdditionalProperties: 'name', fields: Object.keys(row) };
    expect((await searchFor({ templateId }, names)).body.data[0]).toEqual({ Points: '20' });
  });

  test('continues even if the last pass of a page has been deleted', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await own.createPass(template)).identifier);
    const first = await own.post('/api/v3/passinstance/search', { pageSize: 2 });
    await own.delete(`/api/v3/pass/${made[3]}`);
    const next = await own.get(first.body.page.next);
    expect(next.body.data.map((row: { identifier: string }) => row.identifier)).toEqual([made[2], made[1]]);
    expect(next.body.responseMetaData.resultsTotal).toBe(4);
  });
});

describe('the operators', () => {
  const name = (operator: string, value?: unknown) => selected({ field: 'Full name', operator, value });
  const points = (operator: string, value?: unknown) => selected({ field: 'Points', operator, value });

  test('compare texts case-insensitively, even beyond ASCII', async () => {
    expect(await name('equals', 'ZOË ängström')).toEqual([2]);
    expect(await name('contains', 'ωMEG')).toEqual([3]);
    expect(await name('endsWith', 'STRASSE')).toEqual([3]);
    expect(await name('beginsWith', 'ada LOVE')).toEqual([0]);
    expect(await name('contains', 'e')).toEqual([0, 1, 3]);
    expect(await name('contains', 'ë ')).toEqual([2]);
    expect(await name('greaterThan', 'grace hopper')).toEqual([2, 3]);
  });

  test('treat an array as alternatives, and a negated one as none of them', async () => {
    expect(await name('equals', ['ada lovelace', 'Grace Hopper', 'nobody'])).toEqual([0, 1]);
    expect(await name('notEquals', ['ada lovelace', 'Grace Hopper'])).toEqual([2, 3, 4]);
    expect(await name('doesNotEqual', 'ada lovelace')).toEqual([1, 2, 3, 4]);
    expect(await name('doesNotContain', 'ace')).toEqual([2, 3, 4]);
  });

  test('accept empty and not empty in both spellings, without a value', async () => {
    expect(await name('empty')).toEqual([4]);
    expect(await name('emtpy')).toEqual([4]);
    expect(await name('notEmpty')).toEqual([0, 1, 2, 3]);
  });

  test('compare numbers as numbers', async () => {
    expect(await points('greaterThan', '9')).toEqual([2, 3, 4]);
    expect(await points('lowerThanOrEquals', 10)).toEqual([0, 1, 2]);
    expect(await points('equals', '5.0')).toEqual([1]);
    expect(await selected({ field: 'storedValue', operator: 'greaterThan', value: 9 })).toEqual([1, 2]);
    expect(await selected({ field: 'storedValue', operator: 'lowerThan', value: 1000 })).toEqual([0, 1, 2, 4]);
  });

  test('compare dates in the account’s zone, and a day as the whole day', async () => {
    const expires = (operator: string, value: string) => selected({ field: 'expirationDate', operator, value });
    expect(await expires('equals', '2026-03-02')).toEqual([1]);
    expect(await expires('equals', '2026-03-02 00:30')).toEqual([1]);
    expect(await expires('greaterThan', '2026-03-02')).toEqual([2, 3, 4]);
    expect(await expires('greaterThanOrEquals', '2026-03-02 00:30:00')).toEqual([1, 2, 3, 4]);
    expect(await expires('lowerThan', '2026-03-02')).toEqual([0]);
    expect(await expires('lowerThanOrEquals', '2026-03-02')).toEqual([0, 1]);
    expect(await expires('equals', '2026-03-02T00:30')).toEqual([1]);
    expect(await expires('beginsWith', '2026-03')).toEqual([0, 1, 2, 3, 4]);
    expect(await selected({ field: 'Visit', operator: 'equals', value: '2026-03-02' })).toEqual([1]);
  });

  test('accept true and false', async () => {
    expect(await selected({ field: 'Paid', operator: 'isTrue' })).toEqual([0]);
    // Includes passes that never had a value.
    expect(await selected({ field: 'Paid', operator: 'isFalse' })).toEqual([1, 2, 3, 4]);
    expect(await selected({ field: 'storedValue', operator: 'isFalse' })).toEqual([3]);
    expect(await selected({ field: 'Paid', operator: 'equals', value: true })).toEqual([0]);
    expect(await selected({ field: 'voided', operator: 'isFalse' })).toEqual([0, 1, 2, 3, 4]);
    expect(await selected({ field: 'active', operator: 'isTrue' })).toEqual([]);
  });

  test('never treat a caller’s value as SQL, a pattern or a search expression', async () => {
    for (const value of ['%', '_', '*', '"', "' or 1=1 --", 'OR', 'NEAR(', 'a\u0000b', '😀', 'x'.repeat(9_000)]) {
      for (const operator of ['equals', 'contains', 'beginsWith', 'endsWith', 'lowerThan']) {
        const found = await name(operator, value);
        if (operator !== 'lowerThan') expect(found, `${operator} ${value}`).toEqual([]);
      }
      expect((await searchFor({ searchPhrase: value })).status).toBe(200);
    }
  });
});

describe('a query', () => {
  test('joins conditions with AND and groups with OR', async () => {
    const ada = { field: 'Full name', operator: 'contains', value: 'ada' };
    const groups = [
      [ada, { field: 'Points', operator: 'equals', value: 0 }],
      [{ field: 'userProvidedId', operator: 'equals', value: 'visitor-4' }],
    ];
    const { body } = await searchFor({ templateId, groups });
    expect(body.data.map((row: { identifier: string }) => ids.indexOf(row.identifier))).toEqual([4, 0]);
    expect(await selected(ada, { field: 'Points', operator: 'greaterThan', value: 0 })).toEqual([]);
  });

  test('may be the body itself, and may select everything', async () => {
    const bare = { templateId, groups: [[{ field: 'Points', operator: 'equals', value: 5 }]], pageSize: 10 };
    expect((await client.post('/api/v3/passinstance/search', bare)).body.responseMetaData.resultsTotal).toBe(1);
    for (const body of [{}, { groups: [] }, { query: {} }, { query: { groups: null } }]) {
      expect((await client.post('/api/v3/passinstance/search', body)).body.responseMetaData.resultsTotal).toBe(6);
    }
  });

  test('has its members in `query`, next to it, or some in each', async () => {
    const total = async (body: object) =>
      (await client.post('/api/v3/passinstance/search', body)).body.responseMetaData.resultsTotal;
    expect(await total({ query: {}, searchPhrase: 'LOVELACE' })).toBe(1);
    expect(await total({ query: { templateId }, searchPhrase: 'other' })).toBe(0);
    expect(await total({ query: { searchPhrase: 'LOVELACE' }, searchPhrase: 'nobody', remark: 1 })).toBe(1);
  });

  test('searches a phrase in all data, or in the template or project that it names', async () => {
    const total = async (query: object) => (await searchFor(query)).body.responseMetaData.resultsTotal;
    expect(await total({ searchPhrase: 'LOVELACE' })).toBe(1);
    expect(await total({ searchPhrase: 'isitor-' })).toBe(5);
    expect(await total({ searchPhrase: 'other', templateId })).toBe(0);
    expect(await total({ searchPhrase: 'ö' })).toBe(1);
    expect(await total({ projectId })).toBe(5);
    expect(await total({ projectId, groups: [[{ field: 'Points', operator: 'greaterThan', value: 10 }]] })).toBe(2);
  });

  test('supports every built-in and computed field', async () => {
    const [row] = (await searchFor({ groups: [[{ field: 'identifier', operator: 'equals', value: ids[1] }]] })).body
      .data;
    for (const field of [
      'userProvidedId',
      'barcodeValue',
      'generatedId',
      'downloadPage',
      'linkToPassPage',
      'passFileUri',
      'createdOn',
      'modifiedOn',
      'expirationDate',
      'storedValue',
    ]) {
      const { body } = await searchFor({ groups: [[{ field, operator: 'equals', value: row[field] }]] });
      expect(
        body.data.map((found: { identifier: string }) => found.identifier),
        field,
      ).toContain(ids[1]);
    }
    for (const field of ['templateId', 'passTemplateName'])
      expect(await selected({ field, operator: 'equals', value: row[field] })).toHaveLength(5);
    expect(await selected({ field: 'walletSaveUri', operator: 'notEmpty' })).toHaveLength(5);
    for (const field of [
      'relevantDate',
      'validAsOfDate',
      'groupingIdentifier',
      'emailRecipient',
      'phoneRecipient',
      'lastUsage',
      'bundleId',
      'firstDownloadedAt',
    ]) {
      expect(await selected({ field, operator: 'empty' }), field).toHaveLength(5);
    }
    for (const field of ['numberOfPrinted', 'numberOfActive', 'numberOfInactive']) {
      expect(await selected({ field, operator: 'equals', value: 0 }), field).toHaveLength(5);
    }
    for (const field of ['redeemed', 'voided', 'active'])
      expect(await selected({ field, operator: 'isFalse' })).toHaveLength(5);
  });

  test('searches a phrase in every text, number and date of a row, and in nothing else', async () => {
    const own = await freshAccount({ timezone: 'Europe/Vienna' });
    const template = await own.createTemplate({
      name: 'Season ticket',
      additionalProperties: [{ name: 'Paid', type: 'checkbox' }],
      validValidationPlaces: ['North stand'],
      downloadPinEnabled: true,
    });
    const { identifier } = await own.createPass(template, {
      barcodeAlternativeText: 'Row 7, seat 12',
      downloadPin: '8642',
      labelColor: '#a1b2c3',
      storedValue: 42.5,
      relevantDate: '2031-10-26 02:30',
      expirationDate: '2033-07-04 21:00',
      eligibleValidationPlaces: ['North stand'],
      locations: [{ latitude: 48.2, longitude: 16.37, relevantText: 'Praterstern' }],
      Paid: true,
    });
    const total = async (searchPhrase: string) => {
      const { body } = await own.post('/api/v3/passinstance/search', { query: { searchPhrase } });
      return body.responseMetaData.resultsTotal;
    };
    const shown = [
      'SEASON',
      'seat 12',
      '864',
      '#A1B2',
      '42.5',
      '2031-10-26 02:30:00',
      '-07-04 21:',
      identifier.slice(3, 30),
    ];
    for (const phrase of shown) expect(await total(phrase), phrase).toBe(1);
    for (const phrase of ['row*12', '*seat*', 'sea*ti*et', '2033*21', '4*.5', '*', '']) {
      expect(await total(phrase), phrase).toBe(1);
    }
    for (const phrase of ['12*row', 'true', 'north stand', 'praterstern', 'pkpass', '2031-10-26 00:30', 'row*season']) {
      expect(await total(phrase), phrase).toBe(0);
    }
    await d1("update accounts set timezone = 'UTC' where id = ?", [own.accountId]);
    expect([await total('2033-07-04 21:'), await total('2033-07-04 19:')]).toEqual([0, 1]);
  });

  test('supports expiration by the template’s rules, places, colors, PIN and images', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({
      validValidationPlaces: ['Nordtribüne', 'Südtribüne', 'Bar'],
      downloadPinEnabled: true,
      expiration: { expirationDate: '2034-05-06 07:08', expirationDateDifferentForEachPass: true },
    });
    const fallback = await own.createTemplate({ expiration: { expirationDate: '2034-05-06 07:08' } });
    const made = [
      await own.createPass(template, { eligibleValidationPlaces: ['Nordtribüne', 'Bar'], downloadPin: '1234' }),
      await own.createPass(template, { eligibleValidationPlaces: ['Südtribüne'], labelColor: '#00ff00' }),
      await own.createPass(fallback, {}),
    ].map((pass) => pass.identifier);
    const until = { enableDownloadUntil: '2099-01-02 03:04' };
    expect((await own.post(`/api/pass/${made[1]}/enabledownload`, until)).status).toBe(204);
    const found = async (field: string, operator: string, value?: unknown) => {
      const { body } = await own.post('/api/v3/passinstance/search', {
        query: { groups: [[{ field, operator, value }]] },
      });
      return body.data.map((row: { identifier: string }) => made.indexOf(row.identifier)).sort();
    };
    expect(await found('eligibleValidationPlaces', 'equals', 'SÜDTRIBÜNE')).toEqual([1]);
    expect(await found('eligibleValidationPlaces', 'contains', 'tribüne')).toEqual([0, 1]);
    expect(await found('eligibleValidationPlaces', 'notEquals', ['bar', 'x'])).toEqual([1, 2]);
    expect(await found('eligibleValidationPlaces', 'doesNotContain', 'nord')).toEqual([1, 2]);
    expect(await found('eligibleValidationPlaces', 'empty')).toEqual([2]);
    expect(await found('effectiveExpirationDate', 'equals', '2034-05-06')).toEqual([2]);
    expect(await found('effectiveExpirationDate', 'empty')).toEqual([0, 1]);
    expect(await found('effectiveExpirationDate', 'greaterThan', '2035-01-01')).toEqual([]);
    expect(await found('downloadPin', 'equals', '1234')).toEqual([0]);
    expect(await found('labelColor', 'beginsWith', '#00FF')).toEqual([1]);
    expect(await found('urlToThumbnail', 'empty')).toEqual([0, 1, 2]);
    expect(await found('barcodeAlternativeText', 'notEmpty')).toEqual([]);
    expect(await found('downloadEnabledUntil', 'greaterThan', '2099-01-02')).toEqual([]);
    expect(await found('downloadEnabledUntil', 'equals', '2099-01-02')).toEqual([1]);
  });

  test('sees a change, a void and a deletion at once', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const { identifier } = await own.createPass(template, { userProvidedId: 'before' });
    const total = async (field: string, operator: string, value?: string) => {
      const { body } = await own.post('/api/v3/passinstance/search', {
        query: { groups: [[{ field, operator, value }]] },
      });
      return body.responseMetaData.resultsTotal;
    };
    await own.patch(`/api/v3/pass/${identifier}`, { data: { userProvidedId: 'after' } });
    expect([
      await total('userProvidedId', 'equals', 'before'),
      await total('userProvidedId', 'contains', 'fte'),
    ]).toEqual([0, 1]);
    await own.patch(`/api/v3/pass/${identifier}`, { data: { labelColor: '#0c0ffe' } });
    await own.patch(`/api/v3/pass/${identifier}`, { data: { barcodeAlternativeText: 'Row 9' } });
    expect([
      await total('labelColor', 'equals', '#0C0FFE'),
      await total('barcodeAlternativeText', 'contains', 'w 9'),
    ]).toEqual([1, 1]);
    await own.put(`/api/pass/${identifier}`, { voided: true });
    expect([await total('voided', 'isTrue'), await total('voided', 'isFalse')]).toEqual([1, 0]);
    await own.delete(`/api/v3/pass/${identifier}`);
    expect(await total('userProvidedId', 'equals', 'after')).toBe(0);
  });

  test('finds a custom number by its value and by part of it', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({ customNumberRange: { from: 98, to: 5_000, prefix: 'Ä-', padding: 6 } });
    for (let i = 0; i < 3; i++) await own.createPass(template, { userProvidedId: `n${i}` });
    const found = async (operator: string, value: string) => {
      const query = { groups: [[{ field: 'barcodeValue', operator, value }]] };
      const { body } = await own.post('/api/v3/passinstance/search', { query });
      return body.data.map((row: { barcodeValue: string }) => row.barcodeValue);
    };
    expect(await found('equals', 'ä-000099')).toEqual(['Ä-000099']);
    expect(await found('contains', '0010')).toEqual(['Ä-000100']);
    expect(await found('endsWith', '98')).toEqual(['Ä-000098']);
    expect(await found('beginsWith', 'ä-0000')).toEqual(['Ä-000099', 'Ä-000098']);
    const phrase = await own.post('/api/v3/passinstance/search', { query: { searchPhrase: '-000100' } });
    expect(phrase.body.responseMetaData.resultsTotal).toBe(1);
  });

  test('finds the passes of a bundle that was voided or dissolved', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    for (let i = 0; i < 2; i++) await own.createPass(template, { bundleId: 'Family' });
    const total = async (field: string, operator: string, value?: string) => {
      const { body } = await own.post('/api/v3/passinstance/search', {
        query: { groups: [[{ field, operator, value }]] },
      });
      return body.responseMetaData.resultsTotal;
    };
    expect(await total('bundleId', 'equals', 'family')).toBe(2);
    expect((await own.put('/api/v2/pass-bundle/void/Family', { voided: true })).status).toBeLessThan(300);
    expect(await total('voided', 'isTrue')).toBe(2);
    expect((await own.delete('/api/v2/pass-bundle/Family')).status).toBeLessThan(300);
    expect(await total('bundleId', 'empty')).toBe(2);
  });
});

test('an operator can reindex passes', async () => {
  const own = await freshAccount();
  const { identifier } = await own.createPass(await own.createTemplate(), { userProvidedId: 'before' });
  await d1("update passes set user_provided_id = 'by hand' where id = ?", [identifier]);
  const total = async () => {
    const { body } = await own.post('/api/v3/passinstance/search', { searchPhrase: 'BY HAND' });
    return body.responseMetaData.resultsTotal;
  };
  expect(await total()).toBe(0);
  expect(await admin('search reindex', { account: own.accountId })).toEqual({ indexed: 1, next: null });
  expect(await total()).toBe(1);
});

describe('an invalid query', () => {
  const condition = (field: string, operator: string, value?: unknown) => ({ groups: [[{ field, operator, value }]] });

  test.each<[string, object, RegExp]>([
    ['an unknown field', condition('colour', 'equals', 'red'), /colour/],
    ['an additional property without its template', condition('Points', 'equals', 1), /Points/],
    ...['locations', 'placesUsedAt', 'importErrors', 'localizedBackgroundImages'].map(
      (name): [string, object, RegExp] => [`the structure ${name}`, condition(name, 'notEmpty'), new RegExp(name)],
    ),
    ['a date in another format', condition('createdOn', 'equals', '24.12.2026'), /24\.12\.2026.*2026-12-24 09:10/],
    ['an unknown operator', condition('voided', 'resembles', 'x'), /resembles/],
    ['an inherited name as a field', condition('constructor', 'equals', 'x'), /constructor/],
    ['an inherited name as an operator', condition('voided', 'toString', 'x'), /toString/],
    ['a missing value', condition('userProvidedId', 'equals'), /userProvidedId/],
    ['a text for a number', condition('storedValue', 'greaterThan', 'many'), /storedValue.*many/],
    ['a date that does not exist', condition('createdOn', 'equals', '2026-02-30'), /createdOn.*2026-02-30/],
    ['a phrase in a date', condition('createdOn', 'contains', '2026'), /createdOn.*contains/],
    ['an object as value', condition('userProvidedId', 'equals', { a: 1 }), /groups\.0\.0\.value/],
    ['21 groups', { groups: Array.from({ length: 21 }, () => [{ field: 'voided', operator: 'isTrue' }]) }, /20/],
    ['51 conditions', { groups: [Array.from({ length: 51 }, () => ({ field: 'voided', operator: 'isTrue' }))] }, /50/],
    ['501 values', condition('userProvidedId', 'equals', Array.from({ length: 501 }, String)), /500/],
  ])('with %s is rejected by name', async (_, query, message) => {
    const { status, body } = await searchFor(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, data: [], errors: [expect.stringMatching(message)] });
  });

  test.each(['templateId', 'projectId'])('with an unknown or foreign %s finds nothing', async (name) => {
    const stranger = await freshAccount();
    const foreign =
      name === 'templateId'
        ? await stranger.createTemplate()
        : (await stranger.post('/api/v3/project', { name: 'x' })).body.data.identifier;
    for (const id of [foreign, crypto.randomUUID(), 'nonsense']) {
      expect((await searchFor({ [name]: id })).status, id).toBe(404);
    }
  });

  test.each([0, 101, 1.5])('with a page of %d is rejected', async (pageSize) => {
    expect((await searchFor({}, { pageSize })).status).toBe(400);
  });
});

test('a query at every limit is answered', async () => {
  const value = Array.from({ length: 500 - 49 }, (_, i) => `visitor-${i}`);
  const conditions = Array.from({ length: 49 }, (_, i) => ({
    field: 'Full name',
    operator: 'doesNotContain',
    value: `x${i}`,
  }));
  const one = await searchFor({
    templateId,
    groups: [[{ field: 'userProvidedId', operator: 'equals', value }, ...conditions]],
  });
  expect([one.status, one.body.responseMetaData?.resultsTotal]).toEqual([200, 5]);
  const groups = Array.from({ length: 20 }, (_, i) => [
    { field: 'Points', operator: 'greaterThan', value: i },
    { field: 'createdOn', operator: 'greaterThan', value: '2020-01-01' },
  ]);
  groups[0]!.push(
    ...Array.from({ length: 10 }, () => ({ field: 'userProvidedId', operator: 'greaterThan', value: 'a' })),
  );
  const many = await searchFor({ templateId, searchPhrase: 'visitor', groups });
  expect([many.status, many.body.responseMetaData?.resultsTotal]).toEqual([200, 4]);
  for (const searchPhrase of [':', '1', '-03-0', '*2*0*', `visitor${'*-'.repeat(4_000)}`, '*i'.repeat(4_000)]) {
    const { status, body } = await searchFor({ templateId, searchPhrase, groups });
    expect([status, body.responseMetaData?.resultsTotal], searchPhrase).toEqual([200, searchPhrase.length < 9 ? 4 : 0]);
  }
  const texts = await searchFor({
    groups: [
      [{ field: 'userProvidedId', operator: 'contains', value: Array.from({ length: 500 }, (_, i) => `isitor-${i}`) }],
    ],
  });
  expect([texts.status, texts.body.responseMetaData?.resultsTotal]).toEqual([200, 5]);
});

describe('GET /api/v3/pass', () => {
  const encoded = (query: object) => Buffer.from(JSON.stringify(query)).toString('base64url');

  test('lists all passes without parameters', async () => {
    const { body } = await client.get('/api/v3/pass');
    expect(body.responseMetaData).toEqual({ resultsTotal: 6, resultsThisPage: 6 });
  });

  test('takes a query in base64url and in base64', async () => {
    const query = { searchPhrase: 'ÄNGSTRÖM?>~', groups: [] };
    const found = { searchPhrase: 'ÄNGSTRÖM' };
    const base64 = encodeURIComponent(Buffer.from(JSON.stringify(found)).toString('base64'));
    expect((await client.get(`/api/v3/pass?query=${encoded(found)}`)).body.responseMetaData.resultsTotal).toBe(1);
    expect((await client.get(`/api/v3/pass?query=${base64}`)).body.responseMetaData.resultsTotal).toBe(1);
    expect((await client.get(`/api/v3/pass?query=${encoded(query)}`)).body.responseMetaData.resultsTotal).toBe(0);
  });

  test('starts after a pass, or at a time', async () => {
    const rows = async (parameters: string) =>
      (await client.get(`/api/v3/pass?${parameters}`)).body.data.map((row: { identifier: string }) =>
        ids.indexOf(row.identifier),
      );
    expect(await rows(`startUid=${ids[2]}&pageSize=2`)).toEqual([1, 0]);
    expect(await rows('startCreatedOnTimestamp=2020-01-01%2000:00:00')).toEqual([]);
    expect(await rows('startCreatedOnTimestamp=2099-01-01%2000:00:00&pageSize=1')).toEqual([5]);
  });

  test.each([
    'query=%25',
    `query=${encoded([1])}`,
    'pageSize=0',
    'pageSize=101',
    'startUid=x',
    'startCreatedOnTimestamp=yesterday',
    'formatKeyAdditionalProperties=both',
  ])('rejects %s', async (parameters) => {
    expect((await client.get(`/api/v3/pass?${parameters}`)).status).toBe(400);
  });

  test('stores a query that is too long for an address', async () => {
    const value = [...ids, ...Array.from({ length: 480 }, () => crypto.randomUUID())];
    const query = { groups: [[{ field: 'identifier', operator: 'equals', value }]] };
    const first = await searchFor(query, { pageSize: 4, fields: ['identifier'] });
    expect(first.body.responseMetaData.resultsTotal).toBe(6);
    expect(first.body.page.next.length).toBeLessThan(2_000);
    const next = await client.get(first.body.page.next);
    expect(next.body.data.map((row: { identifier: string }) => row.identifier)).toEqual([ids[1], ids[0]]);
    expect((await client.get('/api/v3/segment')).body.data).toEqual([]);
    const stranger = await freshAccount();
    expect((await stranger.get(first.body.page.next)).status).toBe(404);
  });

  test('stores equal queries once, and of others the latest 200', async () => {
    const account = await freshAccount();
    const templateId = await account.createTemplate();
    for (let i = 0; i < 2; i++) await account.createPass(templateId);
    const value = Array.from({ length: 450 }, () => crypto.randomUUID());
    const query = { templateId, groups: [[{ field: 'identifier', operator: 'notEquals', value }]] };
    const search = async (title: string) =>
      (await account.post('/api/v3/passinstance/search', { query: { ...query, title }, pageSize: 1 })).body.page.next;
    const kept = () => d1('select id from segments where account_id = ?', [account.accountId]);
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => search('A')));
    expect([...new Set(others)]).toEqual([first]);
    expect(await kept()).toHaveLength(1);
    expect((await account.get(first)).body.data).toHaveLength(1);
    const second = await search('B');
    await d1(
      `insert into segments (id, account_id, title, query, created_at, expires_at) with recursive numbers as (select 1 as n
        union all select n + 1 from numbers where n < 200) select lower(hex(randomblob(8))), ?, '', '{}', 0, n from numbers`,
      [account.accountId],
    );
    const third = await search('C');
    expect(await kept()).toHaveLength(200);
    for (const next of [first, second, third]) expect((await account.get(next)).status).toBe(200);
  });
});
