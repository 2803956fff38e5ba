import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLink } from '../../../src/domain/app-configurations/open-link.ts';
import { openLinkForScan } from '../../../src/domain/app-scans/create-scan.ts';
import { listScans } from '../../../src/domain/app-scans/list-scans.ts';
import { recentScans } from '../../../src/domain/app-scans/recent-scans.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { openScanner, type Scanner } from './scanner-samples.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const scanner = async (fields?: object) => openScanner(await database.accountContext(), fields);
const totalOf = async ({ ctx, configurationId }: Scanner) =>
  (await listScans(ctx, { configurationId, start: 0, pageSize: 10 })).total;

describe('a scan by a link', () => {
  test('takes two round trips in total, and records the link’s first use', async () => {
    const door = await scanner();
    const { barcodeValue } = await door.createPass();
    const before = door.ctx.meter.roundTrips;
    const { scan, found } = await door.scan(barcodeValue);
    expect(door.ctx.meter.roundTrips - before).toBe(2);
    expect([scan.scanStatus, scan.reason, found?.pass.voided]).toEqual([0, 'accepted', true]);
    const { usedAt } = (await door.open()).link;
    expect(usedAt).not.toBeNull();
    await door.scan(barcodeValue);
    expect((await door.open()).link.usedAt).toBe(usedAt);
  });

  test('that is repeated counts once, even if both are simultaneous', async () => {
    const door = await scanner();
    const { id, barcodeValue } = await door.createPass();
    const clientId = crypto.randomUUID();
    const results = await Promise.all(Array.from({ length: 20 }, () => door.scan(barcodeValue, { clientId })));
    expect(results.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
    expect(new Set(results.map(({ scan }) => scan.id)).size).toBe(1);
    expect(results.every(({ scan }) => scan.scanStatus === 0)).toBe(true);
    expect(await totalOf(door)).toBe(1);
    expect((await door.readPass(id)).version).toBe(2);
  });

  test('that was made offline keeps its time, and sees what others did since', async () => {
    const door = await scanner();
    const { barcodeValue } = await door.createPass();
    await door.scan(barcodeValue);
    const createdAt = Date.UTC(2026, 4, 1, 20);
    const late = await door.scan(barcodeValue, { createdAt });
    expect(late.scan).toMatchObject({ scanStatus: 1, reason: 'voided', createdAt });
  });

  test.each([
    ['not_found', {}, 'nobody', {}],
    ['uncovered', { passTemplateId: 'other' }, undefined, {}],
    ['wrong_place', { place: 'Bar' }, undefined, { eligibleValidationPlaces: ['Hall'] }],
  ])('reports that a pass is %s', async (reason, fields, barcode, passFields) => {
    const { ctx } = await scanner();
    const other = 'passTemplateId' in fields ? { passTemplateId: (await openScanner(ctx)).templateId } : fields;
    const door = await openScanner(ctx, other);
    const { barcodeValue } = await door.createPass(passFields);
    expect((await door.scan(barcode ?? barcodeValue)).scan.reason).toBe(reason);
  });

  test('never reaches what belongs to another account', async () => {
    const [door, foreign] = await Promise.all([scanner(), scanner()]);
    const { id, barcodeValue } = await foreign.createPass();
    expect((await door.scan(barcodeValue)).scan).toMatchObject({ scanStatus: 3, passId: null });
    expect((await foreign.readPass(id)).voided).toBe(false);
    const named = { barcode: barcodeValue, configurationId: foreign.configurationId, clientId: crypto.randomUUID() };
    // The link doesn't allow a change, so its own configuration applies.
    expect((await openLinkForScan(door.ctx, door.token, named))?.configuration.id).toBe(door.configurationId);
    await database.d1.prepare('update app_configuration_links set can_change_config = 1').run();
    expect(await openLinkForScan(door.ctx, door.token, named)).toBeUndefined();
    expect(await openLink(door.ctx, `${door.token.slice(0, -1)}_`)).toBeUndefined();
  });
});

test('recentScans returns the link’s scans, newest first, and which can be undone', async () => {
  const door = await scanner();
  const { barcodeValue, generatedId } = await door.createPass({ userProvidedId: 'ada' });
  await door.scan(barcodeValue);
  await door.scan(barcodeValue);
  await door.scan('nobody');
  expect(await recentScans(await door.open())).toMatchObject([
    { scanStatus: 3, scannedBarcodeValue: 'nobody', passId: null, templateName: null, isUndoable: false },
    { scanStatus: 1, reason: 'voided', userProvidedId: 'ada', isUndoable: false },
    { scanStatus: 0, userProvidedId: 'ada', generatedId, templateName: 'Membership', isUndoable: true },
  ]);
});
