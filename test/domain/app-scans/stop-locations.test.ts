import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScan } from '../../../src/domain/app-scans/create-scan.ts';
import type { TemplateInput } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { openScanner } from './scanner-samples.ts';

/* A template can remove its passes' locations after their first use. */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const LOCATIONS: Partial<TemplateInput> = { locations: [{ latitude: 48.2, longitude: 16.4 }] };
const scanner = async (template: Partial<TemplateInput>) =>
  openScanner(await database.accountContext(), { scanMode: 1 }, undefined, template);

describe('the first accepted scan', () => {
  test('changes the card if it ends the locations, and later ones do not', async () => {
    const door = await scanner({ ...LOCATIONS, stopLocationsAfterUse: true });
    const { id, barcodeValue } = await door.createPass();
    const before = await door.readPass(id);
    await door.scan(barcodeValue);
    const after = await door.readPass(id);
    expect([after.version, after.lastUsageAt !== null]).toEqual([before.version + 1, true]);
    expect(after.modifiedAt).toBeGreaterThan(before.modifiedAt);
    await door.scan(barcodeValue);
    expect((await door.readPass(id)).version).toBe(before.version + 1);
  });

  test.each<[string, Partial<TemplateInput>]>([
    ['the template does not ask for it', LOCATIONS],
    ['there are no locations', { stopLocationsAfterUse: true }],
  ])('does not change the card if %s', async (_, template) => {
    const door = await scanner(template);
    const { id, barcodeValue } = await door.createPass();
    const { version } = await door.readPass(id);
    await door.scan(barcodeValue);
    expect((await door.readPass(id)).version).toBe(version);
  });

  test('is not one that its caller has rejected', async () => {
    const door = await scanner({ ...LOCATIONS, stopLocationsAfterUse: true });
    const { id, barcodeValue } = await door.createPass();
    const { ctx, configurationId } = door;
    await createScan(ctx, { configurationId, barcode: barcodeValue, status: 1 });
    expect((await door.readPass(id)).lastUsageAt).toBeNull();
    await createScan(ctx, { configurationId, barcode: barcodeValue, status: 2 });
    expect(await door.readPass(id)).toMatchObject({ version: 2, lastUsageAt: expect.any(Number) });
  });

  test('that voids the pass has one version, too', async () => {
    const door = await openScanner(await database.accountContext(), { scanMode: 0 }, undefined, {
      ...LOCATIONS,
      stopLocationsAfterUse: true,
    });
    const { id, barcodeValue } = await door.createPass();
    await door.scan(barcodeValue);
    expect(await door.readPass(id)).toMatchObject({ version: 2, voided: true, lastUsageAt: expect.any(Number) });
  });
});
