import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { allLogged, d1, logged } from '../../support/control.ts';
import { changesOf, crowdedAccount, ended } from '../../support/processes.ts';

const BULK = '/api/v3/pass/bulk';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const read = async (name: string) => (await client.get(`/api/pass/${name}?includeFieldMapping=true`)).body;
const property = async (name: string, label: string) => {
  const { passFieldData, fieldMapping } = await read(name);
  return passFieldData[fieldMapping[label]];
};
const create = (fields: object) => client.createPass(templateId, { ...fields });

describe('a bulk update', () => {
  test('PATCH changes what is sent, of passes by any of their names; unknown ones end up in errors', async () => {
    const one = await create({ userProvidedId: 'patch-1', 'Full name': 'Ada', storedValue: 1 });
    const two = await create({ userProvidedId: 'patch-2', barcodeValue: 'patch-2-code', 'Full name': 'Grace' });
    const three = await create({ userProvidedId: 'patch-3' });
    const identifiers = [one.identifier, 'patch-2-code', 'patch-3', 'nobody', one.identifier];
    const started = await client.patch(BULK, { data: { storedValue: '7', Level: 'Gold' }, filter: { identifiers } });
    expect([started.status, started.body]).toEqual([
      202,
      {
        success: true,
        description: expect.any(String),
        errors: [],
        data: {
          process: expect.stringMatching(/^http.*\/api\/v3\/process\/[0-9a-f-]{36}$/),
          processId: expect.any(String),
        },
        statusCode: 202,
        count: 4,
        responseMetaData: null,
      },
    ]);
    expect(started.body.data.process).toContain(started.body.data.processId);
    expect(await ended(client, started)).toEqual({
      current: 4,
      total: 4,
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      status: 'finished with errors',
      errors: { nobody: 'Object not found' },
    });
    for (const { identifier } of [one, two, three]) {
      expect((await read(identifier)).storedValue).toBe(7);
      expect(await property(identifier, 'Level')).toBe('Gold');
      const [row] = await d1('select version from passes where id = ?', [identifier]);
      expect(row).toEqual({ version: 2 });
      const events = await d1('select type from account_events where pass_id = ? order by id', [identifier]);
      expect(events).toEqual([{ type: 'pass_created' }, { type: 'pass_updated' }]);
    }
    expect(await property('patch-1', 'Full name')).toBe('Ada');
  });

  test('POST replaces: what is not sent is cleared, barcode value and bundle stay', async () => {
    const { identifier, barcodeValue } = await create({
      'Full name': 'Ada',
      Level: 'Gold',
      storedValue: 5,
      bundleId: 'b',
    });
    const process = await ended(
      client,
      await client.post(BULK, { data: { 'Full name': 'Grace' }, filter: { identifiers: [identifier] } }),
    );
    expect(process).toMatchObject({ current: 1, total: 1, status: 'finished', errors: null });
    expect(await read(identifier)).toMatchObject({ storedValue: null, barcodeValue, bundleId: 'b' });
    expect([await property(identifier, 'Full name'), await property(identifier, 'Level')]).toEqual(['Grace', 'Basic']);
  });

  test('gives each pass its own values; of two for one pass, the last applies', async () => {
    await create({ userProvidedId: 'own-1' });
    await create({ userProvidedId: 'own-2' });
    const started = await client.patch(BULK, {
      passes: [
        { identifier: 'own-1', data: { storedValue: 1 } },
        { identifier: 'own-2', data: { 'Full name': 'Grace' } },
        { identifier: 'own-1', data: { storedValue: 3 } },
        { identifier: 'own-nobody', data: {} },
      ],
    });
    expect(started.body.count).toBe(3);
    expect(await ended(client, started)).toMatchObject({ total: 3, errors: { 'own-nobody': 'Object not found' } });
    expect((await read('own-1')).storedValue).toBe(3);
    expect(await property('own-2', 'Full name')).toBe('Grace');
  });

  test('without a match is a finished process with total 0', async () => {
    const started = await client.patch(BULK, { data: { storedValue: 1 }, filter: { identifiers: [] } });
    expect([started.status, started.body.count]).toEqual([202, 0]);
    const { body } = await client.get(`/api/v3/process/${started.body.data.processId}`);
    expect(body.data).toMatchObject({ current: 0, total: 0, status: 'finished', errors: null });
  });

  test('fails per pass where only some templates allow a value', async () => {
    const places = await client.createTemplate({ validValidationPlaces: ['Gate 1'] });
    const { identifier: allowed } = await client.createPass(places);
    const { identifier: refused } = await create({});
    const data = { eligibleValidationPlaces: ['Gate 1'] };
    const process = await ended(
      client,
      await client.patch(BULK, { data, filter: { identifiers: [allowed, refused] } }),
    );
    expect(process).toMatchObject({ current: 2, total: 2, status: 'finished with errors' });
    expect(process.errors).toEqual({ [refused]: expect.stringContaining('eligibleValidationPlaces') });
    expect((await client.get(`/api/pass/${allowed}`)).body.eligiblePlaces).toEqual(['Gate 1']);
  });

  test('applies rules and unique values: a pass that breaks them fails alone', async () => {
    const strict = await client.createTemplate({
      enforceUniqueUserProvidedId: true,
      additionalProperties: [{ name: 'Seat', unique: true }, { name: 'Row' }],
    });
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push((await client.createPass(strict, { Seat: `s${i}` })).identifier);
    const all = { identifiers: ids };
    const seats = await ended(client, await client.patch(BULK, { data: { Seat: 'window', Row: '1' }, filter: all }));
    expect([seats.current, Object.keys(seats.errors ?? {}).length]).toEqual([12, 11]);
    expect(new Set(Object.values(seats.errors!))).toEqual(new Set(['Seat: the value must be unique']));
    const names = await ended(client, await client.patch(BULK, { data: { userProvidedId: 'only' }, filter: all }));
    expect(new Set(Object.values(names.errors!))).toEqual(new Set([expect.stringContaining('must be unique')]));
    expect(Object.keys(names.errors!)).toHaveLength(11);
    const bundle = await ended(client, await client.patch(BULK, { data: { bundleId: 'bulk-bundle' }, filter: all }));
    expect([bundle.current, Object.keys(bundle.errors!).length]).toEqual([12, 2]);
    const free = await ended(client, await client.patch(BULK, { data: { Row: '2' }, filter: all }));
    expect(free).toMatchObject({ current: 12, errors: null });
    const claims = await d1(
      'select value, count(*) as n from unique_property_values where template_id = ? group by 1',
      [strict],
    );
    expect(claims).toHaveLength(12);
  });

  test('moves passes to the tier they reach, and counts them there', async () => {
    const gold = await client.createTemplate({ name: 'Gold' });
    const loyal = await client.createTemplate({
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 100, templateId: gold }] },
    });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await client.createPass(loyal)).identifier);
    await ended(client, await client.patch(BULK, { data: { storedValue: 100 }, filter: { identifiers: ids } }));
    expect(await d1('select pass_count as n from templates where id in (?, ?) order by id', [gold, loyal])).toEqual([
      { n: 3 },
      { n: 0 },
    ]);
  });

  test('imports images in the background', async () => {
    const pictured = await client.createTemplate({ images: { perPassImages: { thumbnail: true } } });
    const { identifier } = await client.createPass(pictured);
    const data = { urlToThumbnail: 'https://nobody.example/x.png' };
    await ended(client, await client.patch(BULK, { data, filter: { identifiers: [identifier] } }));
    // The address doesn't exist, which the import job finds out.
    const line = await logged({ event: 'pass-images', pass: identifier });
    expect(line.error).toContain('urlToThumbnail');
  });

  test('accepts pushNotificationText together with fields', async () => {
    const { identifier } = await create({});
    const data = { storedValue: 2, pushNotificationText: 'Two points' };
    const process = await ended(client, await client.patch(BULK, { data, filter: { identifiers: [identifier] } }));
    expect(process).toMatchObject({ status: 'finished', current: 1 });
    const wrongs: [string, unknown][] = [
      ['pushNotificationText', { text: 5 }],
      ['storedValue', 'much'],
      ['expirationDate', '2026-02-30 10:00'],
      ['placesUsedAt', 5],
    ];
    for (const [field, value] of wrongs) {
      const wrong = { data: { [field]: value }, filter: { identifiers: [identifier] } };
      expect((await client.patch(BULK, wrong)).body.errors).toEqual([expect.stringMatching(`^data\\.${field}: `)]);
    }
  });

  test('finds no passes of another account', async () => {
    const foreign = await freshAccount();
    const { identifier } = await create({ storedValue: 1 });
    const data = { storedValue: 9 };
    const process = await ended(foreign, await foreign.patch(BULK, { data, filter: { identifiers: [identifier] } }));
    expect(process.errors).toEqual({ [identifier]: 'Object not found' });
    expect((await read(identifier)).storedValue).toBe(1);
  });

  const identifiers = ['x'];
  test.each<[string, object, string]>([
    ['no data', { filter: { identifiers } }, 'data'],
    ['no filter', { data: {} }, 'filter'],
    ['an empty filter', { data: {}, filter: {} }, 'exactly one'],
    ['two filters', { data: {}, filter: { identifiers, segmentId: 's' } }, 'exactly one'],
    ['identifiers that are no list', { data: {}, filter: { identifiers: 'x' } }, 'filter.identifiers'],
    [
      'more than 10,000 identifiers',
      { data: {}, filter: { identifiers: Array(10_001).fill('x') } },
      'filter.identifiers',
    ],
    ['an empty identifier', { data: {}, filter: { identifiers: [''] } }, 'filter.identifiers.0'],
    ['an item without identifier', { passes: [{ data: {} }] }, 'passes.0.identifier'],
    ['an item without data', { passes: [{ identifier: 'x' }] }, 'passes.0.data'],
    ['passes beside a filter', { passes: [], filter: { identifiers }, data: {} }, 'passes'],
    ['data of a wrong type', { data: { storedValue: 'much' }, filter: { identifiers } }, 'storedValue'],
    [
      'a date that does not exist',
      { data: { expirationDate: '2026-02-30 10:00' }, filter: { identifiers } },
      'expirationDate',
    ],
    ['wrong placesUsedAt', { data: { placesUsedAt: 5 }, filter: { identifiers } }, 'placesUsedAt'],
    ['dryRun of a wrong type', { data: {}, filter: { identifiers }, dryRun: 'yes' }, 'dryRun'],
  ])('rejects %s', async (_, body, names) => {
    for (const verb of [client.post, client.patch]) {
      const reply = await verb(BULK, body);
      expect([reply.status, reply.body.success, reply.body.errors.join()]).toEqual([
        400,
        false,
        expect.stringContaining(names),
      ]);
    }
  });

  test('accepts 10,000 identifiers, and bodies up to 10 MiB', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `unknown-${i}`);
    const started = await client.patch(BULK, { data: {}, filter: { identifiers: many } });
    const process = await ended(client, started);
    expect([process.current, process.total, Object.keys(process.errors!).length]).toEqual([10_000, 10_000, 10_000]);
    const padded = (bytes: number) => ({ padding: 'x'.repeat(bytes), data: {}, filter: { identifiers: [] } });
    expect((await client.patch(BULK, padded(10 * 1024 * 1024 - 1_000))).status).toBe(202);
    expect((await client.patch(BULK, padded(10 * 1024 * 1024))).status).toBe(413);
  });

  test('rejects a query too large for its process, by name', async () => {
    const values = Array.from({ length: 120 }, (_, i) => `${i}`.padEnd(9_000, 'x'));
    const queryOf = (count: number) => ({
      groups: [[{ field: 'userProvidedId', operator: 'equals', value: values.slice(0, count) }]],
    });
    for (const dryRun of [false, true]) {
      const reply = await client.patch(BULK, { data: {}, filter: { query: queryOf(120) }, dryRun });
      expect([reply.status, reply.body.errors]).toEqual([413, ['filter.query: is larger than 1048576 bytes']]);
    }
    const query = queryOf(100);
    const data = { thumbnail: 'x'.repeat(800_000) };
    const both = await client.patch(BULK, { data, filter: { query } });
    expect([both.status, both.body.errors]).toEqual([
      413,
      ['data and filter.query: together are larger than 1572864 bytes'],
    ]);
    expect((await client.patch(BULK, { data: {}, filter: { query } })).status).toBe(202);
  });

  test('repeats its reply with the same Idempotency-Key, and runs once', async () => {
    const { identifier } = await create({});
    const body = { data: { storedValue: 4 }, filter: { identifiers: [identifier] } };
    const first = await client.post(BULK, body, { 'Idempotency-Key': 'bulk-1' });
    const second = await client.post(BULK, body, { 'Idempotency-Key': 'bulk-1' });
    expect([second.headers.get('Idempotent-Replayed'), second.body]).toEqual(['true', first.body]);
  });
});

test('a range of 100 passes takes two round trips, and ten rows written per pass', async () => {
  const { client: busy, templateId: crowded, ids } = await crowdedAccount(300);
  const data = { storedValue: 12, 'Full name': 'Ada' };
  const started = await busy.patch(BULK, { data, filter: { identifiers: ids } });
  const process = await ended(busy, started);
  expect(process).toMatchObject({ current: 300, status: 'finished' });
  expect(await changesOf(crowded)).toEqual({ passesByVersion: { 1: 1, 2: 300 }, passesByEvents: { 1: 300 } });
  const { processId: subject } = started.body.data;
  const jobs = await allLogged({ event: 'job', job: 'apply-process-range', subject });
  const own = jobs.filter((job) => (job.rowsWritten as number) >= 100);
  expect(own).toHaveLength(3);
  for (const job of own) {
    // One more for the first read of a definition.
    expect(job.d1RoundTrips).toBeLessThanOrEqual(3);
    // Row and index of the pass, row and three indexes of the event, two of the search index; the ledger has one row
    // and key for all. A pass's first change creates its timeline with a row and an index entry; later ones write one
    // row.
    expect(job.rowsWritten).toBeLessThanOrEqual(100 * 10 + 2);
    expect(job.rowsRead).toBeLessThanOrEqual(100 * 40);
  }
});

describe('a bulk create', () => {
  const CREATE = `${BULK}/create` as const;

  test('creates passes, and names those that fail by userProvidedId or index', async () => {
    const strict = await client.createTemplate({
      enforceUniqueUserProvidedId: true,
      additionalProperties: [{ name: 'Seat', required: true, unique: true }],
    });
    const started = await client.post(CREATE, {
      templateId: strict,
      passes: [
        { userProvidedId: 'c-1', Seat: '1' },
        { userProvidedId: 'c-1', Seat: '2' },
        { userProvidedId: 'c-3', Seat: '1' },
        { Seat: '4', storedValue: 'much' },
        { userProvidedId: 'c-5' },
        { userProvidedId: 6, Seat: '6' },
      ],
    });
    expect([started.status, started.body.count]).toEqual([202, 6]);
    const process = await ended(client, started);
    expect(process).toMatchObject({ current: 6, total: 6, status: 'finished with errors' });
    expect(process.errors).toEqual({
      1: expect.stringContaining('userProvidedId'),
      'c-3': 'Seat: the value must be unique',
      3: expect.stringContaining('storedValue'),
      'c-5': 'Seat: is required',
    });
    const rows = await d1('select user_provided_id as name, version from passes where template_id = ? order by id', [
      strict,
    ]);
    expect(rows).toEqual([
      { name: 'c-1', version: 1 },
      { name: '6', version: 1 },
    ]);
    const events = await d1("select type from account_events where template_id = ? and type = 'pass_created'", [
      strict,
    ]);
    expect(events).toHaveLength(2);
    expect(await d1('select pass_count as n from templates where id = ?', [strict])).toEqual([{ n: 2 }]);
  });

  test('assigns custom numbers without gaps, and stops at maxPasses', async () => {
    const numbered = await client.createTemplate({
      maxPasses: 150,
      customNumberRange: { from: 1, to: 1_000, prefix: 'N', padding: 4 },
    });
    const passes = Array.from({ length: 200 }, () => ({ 'Full name': 'Ada' }));
    const process = await ended(client, await client.post(CREATE, { templateId: numbered, passes }));
    expect(process.current).toBe(200);
    expect(Object.keys(process.errors!)).toHaveLength(50);
    expect(new Set(Object.values(process.errors!))).toEqual(
      new Set([expect.stringContaining('maximum number of passes')]),
    );
    const rows = await d1<{ code: string }>(
      'select barcode_value as code from passes where template_id = ? order by 1',
      [numbered],
    );
    expect(rows.map((row) => row.code)).toEqual(
      Array.from({ length: 150 }, (_, i) => `N${String(i + 1).padStart(4, '0')}`),
    );
  });

  test('of an unknown or foreign template returns 404', async () => {
    const foreign = await freshAccount();
    const passes = [{}];
    for (const reply of [
      await client.post(CREATE, { templateId: crypto.randomUUID(), passes }),
      await client.post(CREATE, { templateId: 'nothing', passes }),
      await foreign.post(CREATE, { templateId, passes }),
      await foreign.post(CREATE, { templateId, passes, dryRun: true }),
    ]) {
      expect([reply.status, reply.body.errors]).toEqual([404, ['Object not found']]);
    }
  });

  test.each([
    [{ passes: [{}] }, 'templateId'],
    [{ templateId: 'x' }, 'passes'],
    [{ templateId: 'x', passes: ['y'] }, 'passes.0'],
    [{ templateId: 'x', passes: Array(10_001).fill({}) }, 'passes'],
  ])('rejects a body without required members (%#)', async (body, names) => {
    const reply = await client.post(CREATE, body);
    expect([reply.status, reply.body.errors.join()]).toEqual([400, expect.stringContaining(names)]);
  });
});

describe('a dry run', () => {
  test('of an update reports what would be rejected, and changes nothing', async () => {
    const strict = await client.createTemplate({ additionalProperties: [{ name: 'Seat', unique: true }] });
    await client.createPass(strict, { userProvidedId: 'dry-1', Seat: 'taken' });
    const { identifier } = await client.createPass(strict, { userProvidedId: 'dry-2', storedValue: 1 });
    const { identifier: other } = await create({ storedValue: 1 });
    const rows = () => d1('select * from passes where id in (?, ?) order by id', [identifier, other]);
    const before = await rows();
    const reply = await client.patch(BULK, {
      data: { Seat: 'taken', storedValue: 2, userProvidedId: 'dry-1', enforceUniqueUserProvidedId: true },
      filter: { identifiers: [identifier, other, 'nobody', 'nobody'] },
      dryRun: true,
    });
    expect([reply.status, reply.body.count]).toEqual([200, 3]);
    expect(reply.body.data).toEqual({
      dryRun: true,
      checked: 3,
      errors: {
        [identifier]: expect.stringMatching(/userProvidedId.*unique.*Seat.*unique/),
        [other]: expect.stringContaining('userProvidedId'),
        nobody: 'Object not found',
      },
    });
    expect(await rows()).toEqual(before);
    expect(await d1('select id from account_events where pass_id in (?, ?)', [identifier, other])).toHaveLength(2);
    const own = { passes: [{ identifier, data: { storedValue: 'much' } }], dryRun: true };
    expect((await client.patch(BULK, own)).body.data.errors).toEqual({
      [identifier]: expect.stringContaining('storedValue'),
    });
    const fine = await client.patch(BULK, {
      data: { storedValue: 2 },
      filter: { identifiers: [identifier] },
      dryRun: true,
    });
    expect(fine.body.data).toEqual({ dryRun: true, checked: 1, errors: null });
  });

  test('of a create reports what would be rejected, and creates nothing', async () => {
    const full = await client.createTemplate({ additionalProperties: [{ name: 'Seat', required: true }] });
    const passes = [{ Seat: '1', userProvidedId: 'fine' }, { userProvidedId: 'seatless' }, {}];
    const reply = await client.post(`${BULK}/create`, { templateId: full, passes, dryRun: true });
    expect([reply.status, reply.body.count]).toEqual([200, 3]);
    expect(reply.body.data).toEqual({
      dryRun: true,
      checked: 3,
      errors: { seatless: 'Seat: is required', 2: 'Seat: is required' },
    });
    expect(await d1('select id from passes where template_id = ?', [full])).toEqual([]);
  });
});
