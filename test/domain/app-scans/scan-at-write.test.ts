import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScan } from '../../../src/domain/app-scans/create-scan.ts';
import { findSubject } from '../../../src/domain/app-scans/find-subject.ts';
import type { NewScan } from '../../../src/domain/app-scans/scan-plan.ts';
import { patchPass, voidPass } from '../../../src/domain/passes/update-pass.ts';
import { replaceTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { publishTemplate } from '../../../src/domain/templates/publish-template.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { openScanner, type Scanner } from './scanner-samples.ts';

/* A scan depends on the pass at the time of the write, whatever was read before. */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const OWN_DATES: Partial<TemplateInput> = { expiration: { expirationDateDifferentForEachPass: true } };
const scanner = async (fields: object = {}, template: Partial<TemplateInput> = OWN_DATES) =>
  openScanner(await database.accountContext(), fields, undefined, template);

/** Scans with data read before `between` runs. */
async function scanAcross(
  door: Scanner,
  barcode: string,
  between: () => Promise<unknown>,
  more: Partial<NewScan> = {},
) {
  const { ctx, configurationId } = door;
  const sent = { configurationId, barcode, ...more };
  const subject = await findSubject(ctx, sent);
  await between();
  const { scan } = await createScan(ctx, sent, subject);
  return [scan.scanStatus, scan.reason];
}

describe.each([0, 1])('a scan in mode %i, if between reading and writing', (scanMode) => {
  const accepted = [scanMode === 0 ? 0 : 2, 'accepted'];

  test.each([
    ['the pass expires', { expirationDate: '2020-01-01 00:00' }, 'expired'],
    ['the pass begins later', { validAsOfDate: '2099-01-01' }, 'not_yet_valid'],
  ])('%s, is rejected', async (_, change, reason) => {
    const door = await scanner({ scanMode });
    const { id, barcodeValue } = await door.createPass();
    const between = () => patchPass(door.ctx, id, change, { wait: true });
    expect(await scanAcross(door, barcodeValue, between)).toEqual([1, reason]);
    expect(await door.readPass(id)).toMatchObject({ voided: false, lastUsageAt: null });
  });

  test.each([
    ['the pass expires later', { expirationDate: '2020-01-01 00:00' }, { expirationDate: null }],
    ['the pass begins at once', { validAsOfDate: '2099-01-01' }, { validAsOfDate: null }],
  ])('%s, is accepted', async (_, fields, change) => {
    const door = await scanner({ scanMode });
    const { id, barcodeValue } = await door.createPass(fields);
    const between = () => patchPass(door.ctx, id, change, { wait: true });
    expect(await scanAcross(door, barcodeValue, between)).toEqual(accepted);
  });

  test.each([
    ['bound to another place', undefined, ['Bar'], 'wrong_place'],
    ['bound to this place, where it was used', undefined, ['Hall'], 'already_used'],
    ['freed from another place', ['Bar'], null, 'accepted'],
  ])('the pass is %s: %s', async (_, before, after, reason) => {
    const door = await scanner({ scanMode: 1, place: 'Hall' }, { validValidationPlaces: ['Hall', 'Bar'] });
    const { id, barcodeValue } = await door.createPass({ eligibleValidationPlaces: before });
    if (reason === 'already_used') await door.scan(barcodeValue);
    const between = () => patchPass(door.ctx, id, { eligibleValidationPlaces: after }, { wait: true });
    expect(await scanAcross(door, barcodeValue, between)).toEqual([reason === 'accepted' ? 2 : 1, reason]);
  });

  test('the pass is voided, is rejected', async () => {
    const door = await scanner({ scanMode });
    const { id, barcodeValue } = await door.createPass();
    expect(await scanAcross(door, barcodeValue, () => voidPass(door.ctx, id, true))).toEqual([1, 'voided']);
  });

  test('the template’s expiration is published, is rejected', async () => {
    const door = await scanner({ scanMode }, {});
    const { barcodeValue } = await door.createPass();
    const definition = TemplateDefinition.parse(sampleTemplate({ expiration: { expirationDate: '2020-01-01 00:00' } }));
    const between = async () => {
      await replaceTemplate(door.ctx, door.templateId, definition);
      await publishTemplate(door.ctx, door.templateId);
    };
    expect(await scanAcross(door, barcodeValue, between)).toEqual([1, 'expired']);
  });

  test('another scan uses the day, is rejected', async () => {
    const door = await scanner({ scanMode }, { passFunctionality: { type: 'oncePerDay' } });
    const { barcodeValue } = await door.createPass();
    const between = () => door.scan(barcodeValue);
    expect(await scanAcross(door, barcodeValue, between)).toEqual([1, 'limit_reached']);
  });

  test('the last stamp is spent, is rejected; and is accepted if stamps are added', async () => {
    const door = await scanner({ scanMode }, { passFunctionality: { type: 'stampSpend' } });
    const one = await door.createPass({ storedValue: 1 });
    const none = await door.createPass();
    const set = (id: string, storedValue: number) => patchPass(door.ctx, id, { storedValue }, { wait: true });
    expect(await scanAcross(door, one.barcodeValue, () => set(one.id, 0))).toEqual([1, 'limit_reached']);
    expect(await scanAcross(door, none.barcodeValue, () => set(none.id, 3))).toEqual(accepted);
    expect((await door.readPass(none.id)).storedValue).toBe(2);
  });
});

test('the balance of a prepaid pass is checked when the amount is deducted', async () => {
  const door = await scanner({ scanMode: 1 }, { passFunctionality: { type: 'prepaid' } });
  const { id, barcodeValue } = await door.createPass({ storedValue: 10 });
  const set = (storedValue: number) => () => patchPass(door.ctx, id, { storedValue }, { wait: true });
  expect(await scanAcross(door, barcodeValue, set(8), { storedValue: 7 })).toEqual([2, 'accepted']);
  expect((await door.readPass(id)).storedValue).toBe(1);
  await set(10)();
  await expect(scanAcross(door, barcodeValue, set(5), { storedValue: 7 })).rejects.toMatchObject({
    message: 'storedValue: 7 is more than the balance of 5',
  });
  expect((await door.readPass(id)).storedValue).toBe(5);
});
