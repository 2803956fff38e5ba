import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { flagsAt, type ModelPass, type ModelScan, type ModelScanner, scanModel } from '../../support/scan-model.ts';

/*
 * Random scanners, passes and requests: after each one, the service must agree with a plain model.
 */

const RUNS = 25;
const LIMIT_MILLIS = 60_000;
const PLACES = ['Hall', 'a"b\\c', '7'];

const someScanner = fc.record({
  scanMode: fc.constantFrom(0 as const, 1 as const, 1 as const),
  place: fc.constantFrom('', 'Hall', 'Cellar', ...PLACES),
  covered: fc.constantFrom(null, [0], [1], [0, 1]),
  incrementStoredValue: fc.boolean(),
  preventNegativeNumericValues: fc.nat(4).map((n) => n === 0),
  preventNegativeStoredValueBalance: fc.boolean(),
});
const FUNCTIONALITIES = [undefined, 'loyalty', 'stampCollect', 'stampSpend', 'oncePerDay', 'prepaid'] as const;
const TIMES = {
  early: { validAsOfDate: '2099-01-01' },
  valid: { validAsOfDate: '2020-01-01', expirationDate: '2099-01-01 00:00' },
  late: { expirationDate: '2020-01-01 00:00' },
};
const somePass = fc.record({
  template: fc.nat(1),
  time: fc.constantFrom('valid' as const, 'valid' as const, 'valid' as const, 'early' as const, 'late' as const),
  eligibleValidationPlaces: fc.subarray(PLACES),
  storedValue: fc.constantFrom(null, 0, 5),
});
const someScan = fc.record(
  {
    scanStatus: fc.constantFrom(0, 1, 2, 3, 9),
    setVoided: fc.boolean(),
    storedValue: fc.constantFrom(-6, -1, 0, 2.5),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const plain = fc.constant({});
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('scan' as const),
      scanner: fc.nat(2),
      pass: fc.nat(3),
      scan: fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: someScan }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('void' as const), pass: fc.nat(2), voided: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clear' as const),
      pass: fc.nat(2),
      place: fc.constantFrom(...PLACES, ''),
    }),
  },
);
const story = fc.record({
  scanners: fc.array(someScanner, { minLength: 3, maxLength: 3 }),
  functionalities: fc.tuple(fc.constantFrom(...FUNCTIONALITIES), fc.constantFrom(...FUNCTIONALITIES)),
  passes: fc.array(somePass, { minLength: 3, maxLength: 3 }),
  steps: fc.array(step, { minLength: 4, maxLength: 14, size: 'max' }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

interface Known<Model> {
  id: string;
  code: string;
  model: Model;
}

async function prepare(client: Client, templates: string[], { scanners, passes, functionalities }: Story) {
  const madeScanners = scanners.map(async ({ covered, ...fields }): Promise<Known<ModelScanner>> => {
    const ids = covered?.map((i) => templates[i]!) ?? null;
    const named = ids?.length === 1 ? { passTemplateId: ids[0] } : { passTemplateIds: ids };
    const { configurationId } = await createConfiguration(client, { ...fields, ...named });
    return { id: configurationId, code: '', model: { ...fields, templates: ids, scans: 0 } };
  });
  const madePasses = passes.map(async ({ template, time, ...fields }): Promise<Known<ModelPass>> => {
    const templateId = templates[template]!;
    const { identifier, barcodeValue } = await client.createPass(templateId, { ...fields, ...TIMES[time] });
    const flags = { voided: false, redeemed: false, wasUsed: false, wasAccepted: false };
    const state = { ...flags, usedAt: new Set<string>(), events: [] };
    const functionality = functionalities[template];
    return { id: identifier, code: barcodeValue, model: { templateId, functionality, time, ...fields, ...state } };
  });
  return { scanners: await Promise.all(madeScanners), passes: await Promise.all(madePasses) };
}

async function takeStep(
  client: Client,
  at: Story['steps'][number],
  scanners: Known<ModelScanner>[],
  passes: Known<ModelPass>[],
) {
  const pass = passes[at.pass];
  if (at.kind === 'void') {
    const { model } = pass!;
    await client.put(`/api/pass/${pass!.id}`, { voided: at.voided });
    if (model.voided !== at.voided) model.events.push(at.voided ? 'pass_voided' : 'pass_unvoided');
    model.voided = at.voided;
    model.redeemed &&= at.voided;
  } else if (at.kind === 'clear') {
    const { model } = pass!;
    const before = model.usedAt.size;
    await client.patch(`/api/v3/pass/${pass!.id}`, { data: { placesUsedAt: at.place === '' ? '' : [at.place] } });
    if (at.place === '') model.usedAt.clear();
    else model.usedAt.delete(at.place);
    if (model.usedAt.size < before) model.events.push('pass_updated');
  } else {
    const scanner = scanners[at.scanner]!;
    const expected = scanModel(scanner.model, pass?.model, at.scan as ModelScan);
    const reply = await scan(client, { configurationId: scanner.id }, pass?.code ?? 'nobody', at.scan);
    const { scanStatus, validityReason } = reply.body;
    expect(reply.status === 400 ? 'refused' : [scanStatus, validityReason]).toEqual(expected);
  }
}

async function compare(client: Client, scanners: Known<ModelScanner>[], passes: Known<ModelPass>[]) {
  for (const { id, model } of passes) {
    const { body } = await client.get(`/api/pass/${id}`);
    expect({
      voided: body.voided,
      redeemed: body.redeemed,
      storedValue: body.storedValue,
      usedAt: Object.keys(body.placesUsedAt).sort(),
      wasUsed: body.lastUsage !== null,
      events: (await eventsOf(id)).map(({ type }) => type),
    }).toEqual({
      voided: model.voided,
      redeemed: model.redeemed,
      storedValue: model.storedValue,
      usedAt: [...model.usedAt].sort(),
      wasUsed: model.wasUsed,
      events: model.events,
    });
    for (const scanner of scanners) {
      const seen = (await client.get(`/api/pass/${id}?appConfigurationId=${scanner.id}`)).body;
      expect([seen.voided, seen.redeemed]).toEqual(flagsAt(scanner.model, model));
    }
  }
  for (const { id, model } of scanners) {
    const { body } = await client.get(`/api/appscan/list/${id}`);
    expect([body.total, body.results.length]).toEqual([model.scans, model.scans]);
  }
}

test('random scans agree with the model', { timeout: LIMIT_MILLIS * 4 }, async () => {
  const property = fc.asyncProperty(story, async (told) => {
    // The rate limit is 600 requests per minute and key.
    const client = await freshAccount();
    const validValidationPlaces = PLACES;
    const templates: string[] = [];
    for (const type of told.functionalities) {
      const passFunctionality = type && { type };
      const expiration = { expirationDateDifferentForEachPass: true };
      templates.push(await client.createTemplate({ validValidationPlaces, passFunctionality, expiration }));
    }
    const { scanners, passes } = await prepare(client, templates, told);
    for (const at of told.steps) await takeStep(client, at, scanners, passes);
    await compare(client, scanners, passes);
  });
  await fc.assert(property, randomRuns(RUNS, LIMIT_MILLIS));
});
