import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { costOf, d1 } from '../../support/control.ts';
import { keepValues } from '../../support/kept-values.ts';

const PLACES = ['Hall', 'Bar "7"', 'Dach\\Terrasse', '7'];

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  await keepValues(d1, client.accountId);
  templateId = await client.createTemplate({ validValidationPlaces: PLACES });
});

const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body;
const countOf = async ({ configurationId }: Configuration) =>
  (await client.get(`/api/appscan/list/${configurationId}`)).body.total;

describe('the state table', () => {
  test('mode 0 voids a valid pass: status 0, then 1', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId, { userProvidedId: 'mode-0' });
    const before = await read(identifier);
    const first = await scan(client, scanner, barcodeValue);
    expect([first.status, first.body]).toEqual([
      201,
      { appScanId: expect.any(String), scanStatus: 0, validityReason: null, passId: identifier },
    ]);
    const after = await read(identifier);
    expect(after).toMatchObject({ voided: true, redeemed: true, placesUsedAt: [] });
    expect(after.lastUsage).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(after.modifiedOn > before.modifiedOn).toBe(true);
    const second = await scan(client, scanner, barcodeValue);
    expect(second.body).toMatchObject({ scanStatus: 1, validityReason: 'voided', passId: identifier });
    expect(second.body.appScanId).not.toBe(first.body.appScanId);
    expect((await read(identifier)).lastUsage).toBe(after.lastUsage);
    expect(await countOf(scanner)).toBe(2);
  });

  test('mode 1 records attendance and does not change the pass: status 2, however often', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    const before = await read(identifier);
    for (let i = 0; i < 2; i++) expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(2);
    const { lastUsage, ...after } = await read(identifier);
    expect(lastUsage).not.toBeNull();
    expect({ ...after, lastUsage: null }).toEqual(before);
    expect((await eventsOf(identifier)).map(({ type }) => type)).toEqual(['app_scan_created', 'app_scan_created']);
  });

  test('mode 1 rejects a voided pass: status 1', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    await client.put(`/api/pass/${identifier}`, { voided: true });
    expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(1);
    expect(await read(identifier)).toMatchObject({ redeemed: false, lastUsage: null });
  });

  test('an unknown barcode and an unknown passId: status 3, and no pass', async () => {
    const scanner = await createConfiguration(client);
    const { configurationId: appConfigurationId } = scanner;
    const unknown = await scan(client, scanner, 'nobody');
    expect([unknown.status, unknown.body]).toEqual([
      201,
      { appScanId: expect.any(String), scanStatus: 3, validityReason: 'not_found', passId: null },
    ]);
    const named = await client.post('/api/appscan', { appConfigurationId, passId: crypto.randomUUID() });
    expect([named.status, named.body.scanStatus, named.body.passId]).toEqual([201, 3, null]);
    expect(await countOf(scanner)).toBe(2);
  });

  test('a pass that the configuration does not cover: status 3, and no change', async () => {
    const other = await client.createTemplate();
    const { identifier, barcodeValue } = await client.createPass(templateId);
    for (const covered of [{ passTemplateId: other }, { passTemplateId: templateId, passTemplateIds: [other] }]) {
      const scanner = await createConfiguration(client, covered);
      expect((await scan(client, scanner, barcodeValue)).body).toMatchObject({
        scanStatus: 3,
        validityReason: 'not_found',
        passId: null,
      });
    }
    expect(await read(identifier)).toMatchObject({ voided: false, lastUsage: null });
    const scanner = await createConfiguration(client, { passTemplateId: other, passTemplateIds: [other, templateId] });
    expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(0);
  });

  test('a restored pass is no longer redeemed, and is voided by the next scan', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId);
    await scan(client, scanner, barcodeValue);
    await client.put(`/api/pass/${identifier}`, { voided: false });
    expect(await read(identifier)).toMatchObject({ voided: false, redeemed: false });
    expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(0);
    const types = (await eventsOf(identifier)).map(({ type }) => type);
    expect(types.filter((type) => type !== 'app_scan_created')).toEqual([
      'pass_voided',
      'pass_unvoided',
      'pass_voided',
    ]);
  });

  test('a pass is found by its barcode value, its generatedId or, in passId, by any of its names', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'named', barcodeValue: 'named-code' });
    const { generatedId } = await read(identifier);
    for (const code of ['named-code', generatedId]) {
      expect((await scan(client, scanner, code)).body.passId).toBe(identifier);
    }
    expect((await scan(client, scanner, 'named')).body.scanStatus).toBe(3);
    for (const passId of [identifier, 'named', 'named-code', generatedId]) {
      const sent = { appConfigurationId: scanner.configurationId, passId };
      expect((await client.post('/api/appscan', sent)).body.passId).toBe(identifier);
    }
  });
});

describe('places', () => {
  test.each(PLACES)('a pass that is valid at %s is accepted there once, and nowhere else', async (place) => {
    const here = await createConfiguration(client, { scanMode: 1, place });
    const there = await createConfiguration(client, { scanMode: 1, place: 'Cellar' });
    const anywhere = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId, { eligibleValidationPlaces: [place] });
    const elsewhere = await scan(client, there, barcodeValue);
    expect(elsewhere.body).toMatchObject({ scanStatus: 1, validityReason: 'wrong_place' });
    expect((await read(identifier)).placesUsedAt).toEqual([]);
    expect((await scan(client, here, barcodeValue)).body.scanStatus).toBe(2);
    const used = (await read(identifier)).placesUsedAt;
    expect(Object.keys(used)).toEqual([place]);
    const again = await scan(client, here, barcodeValue);
    expect(again.body).toMatchObject({ scanStatus: 1, validityReason: 'already_used' });
    expect((await read(identifier)).placesUsedAt).toEqual(used);
    expect((await scan(client, anywhere, barcodeValue)).body.scanStatus).toBe(2);
    expect((await read(identifier)).voided).toBe(false);
  });

  test('a pass without its own places is always accepted, and its last usage there is kept', async () => {
    const here = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    const times = ['2026-03-01 10:00:00', '2026-03-01 11:00:00'];
    for (const createdOn of times)
      expect((await scan(client, here, barcodeValue, { createdOn })).body.scanStatus).toBe(2);
    expect(await read(identifier)).toMatchObject({ placesUsedAt: { Hall: times[1] }, lastUsage: times[1] });
  });

  test('mode 0 voids at the place and records it', async () => {
    const here = await createConfiguration(client, { place: 'Hall' });
    const { identifier, barcodeValue } = await client.createPass(templateId, {
      eligibleValidationPlaces: ['Hall', '7'],
    });
    expect((await scan(client, here, barcodeValue)).body.scanStatus).toBe(0);
    const pass = await read(identifier);
    expect(pass.voided).toBe(true);
    expect(Object.keys(pass.placesUsedAt)).toEqual(['Hall']);
  });

  test('clearing placesUsedAt makes the pass accepted again', async () => {
    const here = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
    const { identifier, barcodeValue } = await client.createPass(templateId, { eligibleValidationPlaces: ['Hall'] });
    for (const placesUsedAt of [[], ['Hall']]) {
      expect((await scan(client, here, barcodeValue)).body.scanStatus).toBe(2);
      expect((await scan(client, here, barcodeValue)).body.scanStatus).toBe(1);
      await client.patch(`/api/v3/pass/${identifier}`, { data: { placesUsedAt } });
      expect((await read(identifier)).placesUsedAt).toEqual([]);
    }
  });

  test('a usage recorded while others are cleared is never lost', async () => {
    const { identifier, barcodeValue } = await client.createPass(templateId, { eligibleValidationPlaces: PLACES });
    const scanners = await Promise.all(PLACES.map((place) => createConfiguration(client, { scanMode: 1, place })));
    await scan(client, scanners[0]!, barcodeValue);
    const clear = () => client.patch(`/api/v3/pass/${identifier}`, { data: { placesUsedAt: [PLACES[0]] } });
    const replies = await Promise.all([
      clear(),
      ...scanners.slice(1).map((scanner) => scan(client, scanner, barcodeValue)),
      clear(),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 201, 201, 201, 200]);
    expect(Object.keys((await read(identifier)).placesUsedAt).sort()).toEqual(PLACES.slice(1).sort());
  });
});

describe('a read with appConfigurationId', () => {
  const at = async (id: string, { configurationId }: Configuration) => {
    const v1 = await client.get(`/api/pass/${id}?appConfigurationId=${configurationId}`);
    const v3 = await client.get(`/api/v3/pass/${id}?appConfigurationId=${configurationId}`);
    const flags = [v1.body.voided, v1.body.redeemed];
    expect([v3.body.data.voided, v3.body.data.redeemed]).toEqual(flags);
    return flags;
  };

  test('shows a pass as voided and redeemed if it is not eligible or was used there, and otherwise unchanged', async () => {
    const here = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
    const there = await createConfiguration(client, { scanMode: 1, place: 'Cellar' });
    const anywhere = await createConfiguration(client, { scanMode: 1 });
    const uncovered = await createConfiguration(client, { passTemplateId: await client.createTemplate() });
    const { identifier, barcodeValue } = await client.createPass(templateId, { eligibleValidationPlaces: ['Hall'] });
    expect(await at(identifier, here)).toEqual([false, false]);
    expect(await at(identifier, anywhere)).toEqual([false, false]);
    expect(await at(identifier, there)).toEqual([true, true]);
    expect(await at(identifier, uncovered)).toEqual([true, true]);
    await scan(client, here, barcodeValue);
    expect(await at(identifier, here)).toEqual([true, true]);
    expect(await at(identifier, anywhere)).toEqual([false, false]);
    expect(await read(identifier)).toMatchObject({ voided: false, redeemed: false });
    await client.put(`/api/pass/${identifier}`, { voided: true });
    expect(await at(identifier, anywhere)).toEqual([true, false]);
    expect(await at(identifier, here)).toEqual([true, true]);
    expect(await at(identifier, there)).toEqual([true, true]);
    expect(await at(identifier, uncovered)).toEqual([true, true]);
  });

  test('shows a pass without its own places as voided and redeemed if it was used there, although it is accepted again', async () => {
    const here = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
    const there = await createConfiguration(client, { scanMode: 1, place: 'Cellar' });
    const anywhere = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    expect(await at(identifier, here)).toEqual([false, false]);
    await scan(client, anywhere, barcodeValue);
    expect(await at(identifier, here)).toEqual([false, false]);
    await scan(client, here, barcodeValue);
    expect(await at(identifier, here)).toEqual([true, true]);
    expect(await at(identifier, there)).toEqual([false, false]);
    expect(await at(identifier, anywhere)).toEqual([false, false]);
    expect((await scan(client, here, barcodeValue)).body.scanStatus).toBe(2);
  });

  test('of an unknown or foreign configuration returns 404', async () => {
    const { identifier } = await client.createPass(templateId);
    const foreign = await createConfiguration(await freshAccount());
    for (const id of [foreign.configurationId, crypto.randomUUID(), 'none', '']) {
      expect((await client.get(`/api/pass/${identifier}?appConfigurationId=${id}`)).status).toBe(404);
      expect((await client.get(`/api/v3/pass/${identifier}?appConfigurationId=${id}`)).status).toBe(404);
    }
  });
});

describe('a status set by the caller', () => {
  test('is recorded as sent, and voids with setVoided', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId);
    for (const scanStatus of [2, 1, 77, -1]) {
      const { body } = await scan(client, scanner, barcodeValue, { scanStatus });
      expect(body).toMatchObject({ scanStatus, validityReason: null });
      expect((await read(identifier)).voided).toBe(false);
    }
    const sent = { scanStatus: 0, setVoided: true };
    expect((await scan(client, scanner, barcodeValue, sent)).body.scanStatus).toBe(0);
    expect(await read(identifier)).toMatchObject({ voided: true, redeemed: true });
    expect((await scan(client, scanner, barcodeValue, sent)).body.scanStatus).toBe(0);
    expect((await eventsOf(identifier)).filter(({ type }) => type === 'pass_voided')).toHaveLength(1);
  });

  test('for an unknown pass is recorded, too', async () => {
    const scanner = await createConfiguration(client);
    const { body } = await scan(client, scanner, 'nobody', { scanStatus: 3 });
    expect(body).toMatchObject({ scanStatus: 3, validityReason: null, passId: null });
    await scan(client, scanner, 'nobody', { scanStatus: 0 });
    const { results } = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body;
    expect(results).toMatchObject([
      { scanStatus: 3, validityReason: null },
      { scanStatus: 0, validityReason: null },
    ]);
  });

  test('setVoided voids in mode 1, too', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    expect((await scan(client, scanner, barcodeValue, { setVoided: true })).body.scanStatus).toBe(2);
    expect((await read(identifier)).voided).toBe(true);
  });
});

describe('createdOn', () => {
  test('earlier than now is kept; later than now becomes now', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { barcodeValue } = await client.createPass(templateId);
    await scan(client, scanner, barcodeValue, { createdOn: '2026-01-31 18:30:15' });
    await scan(client, scanner, barcodeValue, { createdOn: '2026-01-31 18:31' });
    await scan(client, scanner, barcodeValue, { createdOn: '2099-01-01 00:00:00' });
    const { results } = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body;
    expect(results.map((one: { createdOn: string }) => one.createdOn)).toEqual([
      '2026-01-31 18:30:15',
      '2026-01-31 18:31:00',
      expect.not.stringContaining('2099'),
    ]);
    expect(results[0].createdOnUtc).toBe('2026-01-31 17:30:15');
  });

  test('a usage reported late does not move the last usage back', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    await scan(client, scanner, barcodeValue, { createdOn: '2026-02-01 12:00:00' });
    await scan(client, scanner, barcodeValue, { createdOn: '2026-02-01 11:00:00' });
    expect((await read(identifier)).lastUsage).toBe('2026-02-01 12:00:00');
  });
});

describe('invalid input is rejected by name, and nothing is stored', () => {
  test.each([
    [{ scannedBarcodeValue: undefined }, 'scannedBarcodeValue: is required unless you send passId'],
    [{ scannedBarcodeValue: '' }, 'scannedBarcodeValue: is required unless you send passId'],
    [{ scannedBarcodeValue: ['x'] }, 'scannedBarcodeValue'],
    [{ scanStatus: 1.5 }, 'scanStatus'],
    [{ scanStatus: 'ok' }, 'scanStatus'],
    [{ createdOn: '2026-02-30 10:00:00' }, 'createdOn: must look like 2026-12-24 09:10:00'],
    [{ createdOn: 'yesterday' }, 'createdOn'],
    [{ setVoided: 'yes' }, 'setVoided'],
    [{ storedValue: 'much' }, 'storedValue'],
    [{ additionalProperties: [1] }, 'additionalProperties'],
    [{ deviceName: 'x'.repeat(501) }, 'deviceName'],
  ])('%j', async (wrong, message) => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId);
    const reply = await scan(client, scanner, barcodeValue, wrong);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
    expect(await countOf(scanner)).toBe(0);
    expect((await read(identifier)).voided).toBe(false);
  });

  test('an absent, unknown or foreign configuration', async () => {
    const { barcodeValue: scannedBarcodeValue } = await client.createPass(templateId);
    expect((await client.post('/api/appscan', { scannedBarcodeValue })).body.ErrorMessage).toBe(
      'appConfigurationId: is required',
    );
    const foreign = await createConfiguration(await freshAccount());
    for (const configurationId of [foreign.configurationId, crypto.randomUUID(), 'none']) {
      expect((await scan(client, { configurationId }, scannedBarcodeValue)).status).toBe(404);
    }
    expect(await d1('select id from app_scans where configuration_id = ?', [foreign.configurationId])).toEqual([]);
  });
});

describe('additional properties', () => {
  const PROPERTIES = [
    { name: 'Note', type: 'unicode' },
    { name: 'Bags', type: 'double' },
    { name: 'Adult', type: 'boolean' },
  ];

  test('are checked by type, stored, listed and included in events', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1, additionalProperties: PROPERTIES });
    const [note, bags, adult] = scanner.additionalProperties.map(({ id }) => id) as [string, string, string];
    const { identifier, barcodeValue } = await client.createPass(templateId, { 'Full name': 'Ada' });
    const additionalProperties = { [note]: 7, [bags]: '-2.5', [adult]: 'true', mystery: { deep: 1 } };
    const sent = { additionalProperties, deviceName: 'Left scanner' };
    expect((await scan(client, scanner, barcodeValue, sent)).status).toBe(201);
    const told = { [note]: '7', [bags]: -2.5, [adult]: true };
    const { results } = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body;
    expect(results[0]).toMatchObject({ additionalPropertiesScan: told, deviceName: 'Left scanner' });
    const [event] = await eventsOf(identifier);
    expect(event?.body).toMatchObject({
      additionalPropertiesScan: told,
      additionalPropertiesPass: { 'Full name': 'Ada', Level: 'Basic' },
      deviceName: 'Left scanner',
    });
  });

  test.each([
    [0, ['x'], 'must be a string'],
    [1, 'many', 'must be a number'],
    [1, true, 'must be a number'],
    [2, 'yes', 'must be true or false'],
    [2, 1, 'must be true or false'],
  ])('property %i rejects %j: %s', async (nth, value, message) => {
    const scanner = await createConfiguration(client, { additionalProperties: PROPERTIES });
    const { id } = scanner.additionalProperties[nth]!;
    const { barcodeValue } = await client.createPass(templateId);
    const { status, body } = await scan(client, scanner, barcodeValue, { additionalProperties: { [id]: value } });
    expect([status, body.ErrorMessage]).toEqual([
      400,
      expect.stringContaining(`additionalProperties.${id}: ${message}`),
    ]);
    expect(await countOf(scanner)).toBe(0);
  });

  test('preventNegativeNumericValues rejects negative numbers in properties and in storedValue', async () => {
    const fields = { additionalProperties: PROPERTIES, preventNegativeNumericValues: true };
    const scanner = await createConfiguration(client, fields);
    const { id } = scanner.additionalProperties[1]!;
    const { barcodeValue } = await client.createPass(templateId);
    for (const wrong of [{ additionalProperties: { [id]: -1 } }, { storedValue: -1 }]) {
      const { status, body } = await scan(client, scanner, barcodeValue, wrong);
      expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining('must not be negative')]);
    }
    expect(await countOf(scanner)).toBe(0);
  });
});

describe('lists', () => {
  test('have exactly the fields of the contract, in the order of scanning', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId, { userProvidedId: 'listed' });
    const { body } = await scan(client, scanner, barcodeValue, { createdOn: '2026-02-02 10:00:00' });
    await scan(client, scanner, 'nobody', { createdOn: '2026-02-02 09:00:00' });
    const pass = await read(identifier);
    const list = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
    const common = { appConfigurationId: scanner.configurationId, appScanId: expect.any(String) };
    expect(list.body).toEqual([
      {
        ...common,
        scanStatus: 3,
        validityReason: 'not_found',
        createdOn: '2026-02-02 09:00:00',
        passId: null,
        passGeneratedId: null,
        passSearchString: null,
        passVoided: false,
        passUserProvidedId: null,
        passTemplateGuid: null,
        passTemplateName: null,
        scannedBarcodeValue: 'nobody',
      },
      {
        scanStatus: 0,
        validityReason: null,
        createdOn: '2026-02-02 10:00:00',
        passId: identifier,
        passGeneratedId: pass.generatedId,
        passSearchString: pass.searchString,
        passVoided: true,
        passUserProvidedId: 'listed',
        passTemplateGuid: templateId,
        passTemplateName: 'Membership',
        appConfigurationId: scanner.configurationId,
        scannedBarcodeValue: barcodeValue,
        appScanId: body.appScanId,
      },
    ]);
    const { results } = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body;
    expect(results).toMatchObject(list.body);
  });

  test('are paged by next, and start from a date', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { configurationId } = scanner;
    for (let i = 0; i < 5; i++) await scan(client, scanner, `code-${i}`, { createdOn: `2026-02-03 10:0${i % 3}:00` });
    const seen: string[] = [];
    let next: `/${string}` | undefined = `/api/appscan/list/${configurationId}?pageSize=2`;
    const sizes: number[] = [];
    while (next) {
      const { status, body } = await client.get(next);
      expect([status, body.total]).toEqual([200, 5]);
      expect(body.query.self).toContain(`/api/appscan/list/${configurationId}?`);
      seen.push(...body.results.map((one: { scannedBarcodeValue: string }) => one.scannedBarcodeValue));
      sizes.push(body.results.length);
      next = body.query.next?.replace(/^https?:\/\/[^/]+/, '');
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(seen).toEqual(['code-0', 'code-3', 'code-1', 'code-4', 'code-2']);
    const since = encodeURIComponent('2026-02-03 10:01');
    const later = (await client.get(`/api/appscan/list/${configurationId}?createdSince=${since}`)).body;
    expect([later.total, later.results.length]).toEqual([3, 3]);
    const old = await client.get(`/api/appscan?appConfigurationId=${configurationId}&createdSince=${since}%3A30`);
    expect(old.body.map((one: { scannedBarcodeValue: string }) => one.scannedBarcodeValue)).toEqual(['code-2']);
    const start = (await client.get(`/api/appscan/list/${configurationId}?start=4`)).body;
    expect(start.results).toHaveLength(1);
  });

  test('reject invalid queries, and find no foreign configuration', async () => {
    const { configurationId } = await createConfiguration(client);
    const stranger = await freshAccount();
    const list = `/api/appscan/list/${configurationId}` as const;
    expect((await stranger.get(list)).status).toBe(404);
    expect((await stranger.get(`/api/appscan?appConfigurationId=${configurationId}`)).status).toBe(404);
    for (const query of ['pageSize=0', 'pageSize=101', 'start=-1', 'createdSince=soon', 'lastIdOfPriorPage=x']) {
      expect([query, (await client.get(`${list}?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await client.get('/api/appscan')).body.ErrorMessage).toBe('appConfigurationId: is required');
    expect((await client.get(`/api/appscan?appConfigurationId=${configurationId}&createdSince=x`)).status).toBe(400);
  });

  test('no longer name a deleted pass', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId);
    await scan(client, scanner, barcodeValue);
    await client.delete(`/api/pass/${identifier}`);
    const [one] = (await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`)).body;
    expect(one).toMatchObject({ passId: identifier, passGeneratedId: null, passSearchString: null, passVoided: false });
  });
});

describe('events', () => {
  test('a scan that voids creates app_scan_created and pass_voided, once each and in one batch', async () => {
    const scanner = await createConfiguration(client, { name: 'Told' });
    const { identifier, barcodeValue } = await client.createPass(templateId, { userProvidedId: 'told' });
    const { body } = await scan(client, scanner, barcodeValue, { createdOn: '2026-02-04 10:00:00' });
    const events = await eventsOf(identifier);
    expect(events.map(({ type }) => type)).toEqual(['app_scan_created', 'pass_voided']);
    const pass = await read(identifier);
    expect(events[0]!.body).toEqual({
      scanStatus: 0,
      validityReason: null,
      createdOn: '2026-02-04 10:00:00',
      createdOnUtc: '2026-02-04 09:00:00',
      passId: identifier,
      passGeneratedId: pass.generatedId,
      passSearchString: pass.searchString,
      passVoided: true,
      passUserProvidedId: 'told',
      passTemplateGuid: templateId,
      passTemplateName: 'Membership',
      appConfigurationId: scanner.configurationId,
      scannedBarcodeValue: barcodeValue,
      appScanId: body.appScanId,
      deviceName: null,
      additionalPropertiesScan: {},
      additionalPropertiesPass: { Level: 'Basic' },
    });
    await scan(client, scanner, barcodeValue);
    const later = await eventsOf(identifier);
    expect(later.slice(2)).toMatchObject([
      { type: 'app_scan_created', body: { scanStatus: 1, validityReason: 'voided', passVoided: true } },
    ]);
  });

  test('a scan without a pass creates app_scan_created', async () => {
    const scanner = await createConfiguration(client);
    const { body } = await scan(client, scanner, 'nobody');
    const rows = await d1<{ type: string; body: string }>(
      'select type, body from account_events where account_id = ? order by id desc limit 1',
      [client.accountId],
    );
    expect(rows[0]?.type).toBe('app_scan_created');
    expect(JSON.parse(rows[0]!.body)).toMatchObject({
      appScanId: body.appScanId,
      scanStatus: 3,
      validityReason: 'not_found',
      passId: null,
      passVoided: false,
      additionalPropertiesPass: {},
    });
  });
});

test('Idempotency-Key repeats the reply of a scan and scans once', async () => {
  const scanner = await createConfiguration(client);
  const { barcodeValue } = await client.createPass(templateId);
  const sent = { appConfigurationId: scanner.configurationId, scannedBarcodeValue: barcodeValue };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const first = await client.post('/api/appscan', sent, headers);
  const second = await client.post('/api/appscan', sent, headers);
  expect(second.body).toEqual(first.body);
  expect([second.headers.get('Idempotent-Replayed'), await countOf(scanner)]).toEqual(['true', 1]);
});

test('a scan takes two round trips', async () => {
  const scanner = await createConfiguration(client);
  const { barcodeValue } = await client.createPass(templateId);
  for (const code of [barcodeValue, barcodeValue, 'nobody']) {
    expect((await costOf(await scan(client, scanner, code))).roundTrips).toBe(2);
  }
});

test('the older list is marked as deprecated in the contract', async () => {
  const { paths } = (await client.get('/openapi.json')).body;
  expect([paths['/api/appscan'].get.deprecated, paths['/api/appscan/list/{configuration}'].get.deprecated]).toEqual([
    true,
    undefined,
  ]);
});
