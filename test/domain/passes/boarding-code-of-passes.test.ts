import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { SAMPLE_FLIGHT, sampleTemplate } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const CODE = 'M1LOVELACE/ADA        EX7Y8Z9 VIEHAMOS 0171 060           00';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

async function newFlight(barcode: object, fields: object = {}) {
  const air = { type: 'boardingPass', transitType: 'PKTransitTypeAir', barcode } as const;
  const { identifier } = await createTemplate(ctx, TemplateDefinition.parse(sampleTemplate(air)));
  return (await createPass(ctx, identifier, { ...SAMPLE_FLIGHT, ...fields }, { wait: true })).pass;
}

const changed = async (id: string, sent: Record<string, unknown>) =>
  (await patchPass(ctx, id, sent, { wait: true })).pass.barcodeValue;

test('a flight without a barcode text gets the code that airports read, and a new seat changes it', async () => {
  const { id, barcodeValue } = await newFlight({ format: 'aztec' });
  expect(barcodeValue).toBe(CODE);
  expect(await changed(id, { seatNumber: '14A' })).toBe(`${CODE.slice(0, 48)}014A      00`);
  expect(await changed(id, { barcodeValue: 'own' })).toBe('own');
  expect(await changed(id, { seatNumber: '15A' })).toBe('own');
  expect(await changed(id, { barcodeValue: null })).toBe(`${CODE.slice(0, 48)}015A      00`);
});

test('a custom code does not change with the flight', async () => {
  const own = await newFlight({ useAutoIdForValue: true });
  expect([own.barcodeValue, await changed(own.id, { seatNumber: '14A' })]).toEqual([own.generatedId, own.generatedId]);
});

test('a signed code is signed again when the flight changes', async () => {
  const { id, barcodeValue } = await newFlight({ value: '{bcbp}{sign()}' });
  expect(barcodeValue).toMatch(new RegExp(`^${CODE}30[0-9a-f]+$`));
  const after = await changed(id, { seatNumber: '14A' });
  expect(after.slice(0, CODE.length)).toBe(`${CODE.slice(0, 48)}014A      00`);
  expect(after.slice(CODE.length)).not.toBe(barcodeValue.slice(CODE.length));
});
