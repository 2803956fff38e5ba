import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listScans } from '../../../src/domain/app-scans/list-scans.ts';
import { recentScans } from '../../../src/domain/app-scans/recent-scans.ts';
import { UNDO_MINUTES, undoScan } from '../../../src/domain/app-scans/undo-scan.ts';
import { patchPass, voidPass } from '../../../src/domain/passes/update-pass.ts';
import type { TemplateInput } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { openScanner, type Scanner } from './scanner-samples.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const scanner = async (fields?: object) => openScanner(await database.accountContext(), fields);
const undo = async (door: Scanner, scanId: string) => undoScan(await door.open(), scanId);

async function eventTypes(passId: string): Promise<string[]> {
  const { results } = await database.d1
    .prepare('select type from account_events where pass_id = ? order by id')
    .bind(passId)
    .all<{ type: string }>();
  return results.map(({ type }) => type);
}

const totalOf = async ({ ctx, configurationId }: Scanner) =>
  (await listScans(ctx, { configurationId, start: 0, pageSize: 10 })).total;

describe('undoing a scan', () => {
  test('restores what it voided, once, and removes the scan from lists and counts', async () => {
    const door = await scanner({ place: 'Hall' });
    const { id, barcodeValue, version } = await door.createPass();
    const { scan } = await door.scan(barcodeValue);
    expect(await door.readPass(id)).toMatchObject({ voided: true, redeemed: true, lastScanId: scan.id });
    await undo(door, scan.id);
    await undo(door, scan.id);
    expect(await door.readPass(id)).toMatchObject({
      voided: false,
      redeemed: false,
      placesUsedAt: null,
      lastUsageAt: null,
      lastScanId: null,
      version: version + 2,
    });
    expect(await eventTypes(id)).toEqual(['pass_created', 'app_scan_created', 'pass_voided', 'pass_unvoided']);
    expect(await totalOf(door)).toBe(0);
    expect(await recentScans(await door.open())).toEqual([]);
    expect((await door.scan(barcodeValue)).scan.scanStatus).toBe(0);
  });

  test('removes a recorded attendance, and the previous one applies again', async () => {
    const door = await scanner({ scanMode: 1, place: 'Hall' });
    const { id, barcodeValue, version } = await door.createPass();
    const at = Date.UTC(2026, 4, 1, 20);
    const first = await door.scan(barcodeValue, { createdAt: at });
    const second = await door.scan(barcodeValue, { createdAt: at + 60_000 });
    await expect(undo(door, first.scan.id)).rejects.toMatchObject({ kind: 'conflict' });
    await undo(door, second.scan.id);
    expect(await door.readPass(id)).toMatchObject({ lastUsageAt: at, placesUsedAt: { Hall: at } });
    await undo(door, first.scan.id);
    expect(await door.readPass(id)).toMatchObject({ lastUsageAt: null, placesUsedAt: null, version });
  });

  test('restores the value that it changed, unless it has changed since', async () => {
    const door = await scanner({ scanMode: 1, incrementStoredValue: true });
    const { id, barcodeValue } = await door.createPass({ storedValue: 10 });
    const { scan } = await door.scan(barcodeValue, { storedValue: -4 });
    expect((await door.readPass(id)).storedValue).toBe(6);
    await undo(door, scan.id);
    expect((await door.readPass(id)).storedValue).toBe(10);
    const again = await door.scan(barcodeValue, { storedValue: -4 });
    await patchPass(door.ctx, id, { storedValue: 100 }, { wait: true });
    await expect(undo(door, again.scan.id)).rejects.toMatchObject({ kind: 'conflict' });
    expect((await door.readPass(id)).storedValue).toBe(100);
  });

  test('keeps a pass voided that was restored and voided otherwise since', async () => {
    const door = await scanner();
    const { id, barcodeValue } = await door.createPass();
    const { scan } = await door.scan(barcodeValue);
    await voidPass(door.ctx, id, false);
    await voidPass(door.ctx, id, true);
    await undo(door, scan.id);
    expect(await door.readPass(id)).toMatchObject({ voided: true, lastUsageAt: null });
  });

  test('works only for accepted scans, for some minutes, and with the link that made them', async () => {
    const door = await scanner();
    const { barcodeValue } = await door.createPass();
    const { scan } = await door.scan(barcodeValue);
    const refused = await door.scan(barcodeValue);
    await expect(undo(door, refused.scan.id)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(undo(await scanner(), scan.id)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(undo(door, crypto.randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    const early = Date.now() - (UNDO_MINUTES + 1) * 60_000;
    const old = early.toString(16).padStart(12, '0');
    const oldId = `${old.slice(0, 8)}-${old.slice(8)}-${scan.id.slice(14)}`;
    await database.d1.batch([
      database.d1.prepare('update app_scans set id = ? where id = ?').bind(oldId, scan.id),
      database.d1.prepare('update passes set last_scan_id = ? where last_scan_id = ?').bind(oldId, scan.id),
    ]);
    await expect(undo(door, oldId)).rejects.toMatchObject({ kind: 'conflict' });
  });

  test('of 20 at once happens one time', async () => {
    const door = await scanner();
    const { id, barcodeValue } = await door.createPass();
    const { scan } = await door.scan(barcodeValue);
    await Promise.all(Array.from({ length: 20 }, () => undo(door, scan.id)));
    expect((await eventTypes(id)).filter((type) => type === 'pass_unvoided')).toHaveLength(1);
    expect(await totalOf(door)).toBe(0);
  });
});

describe('undoing a scan of a pass whose template has a functionality', () => {
  const functional = async (type: string) =>
    openScanner(await database.accountContext('Europe/Vienna'), { scanMode: 1 }, undefined, {
      passFunctionality: { type },
    } as Partial<TemplateInput>);

  test.each([
    ['stampCollect', 3, undefined, 4],
    ['stampSpend', 3, undefined, 2],
    ['loyalty', 3, 10, 13],
    ['prepaid', 3, 1, 2],
    ['stampCollect', null, undefined, 1],
  ])('%s reverts its amount: %j, even if the value was changed since', async (type, before, storedValue, after) => {
    const door = await functional(type);
    const { id, barcodeValue } = await door.createPass({ storedValue: before });
    const storedValueOf = async () => (await door.readPass(id)).storedValue;
    const first = await door.scan(barcodeValue, { storedValue });
    expect(await storedValueOf()).toBe(after);
    await undo(door, first.scan.id);
    expect(await storedValueOf()).toBe(before);
    const second = await door.scan(barcodeValue, { storedValue });
    await patchPass(door.ctx, id, { storedValue: 100 }, { wait: true });
    await undo(door, second.scan.id);
    expect(await storedValueOf()).toBe(100 + (before ?? 0) - after);
    expect(await totalOf(door)).toBe(0);
  });

  test('leaves no value below zero', async () => {
    const door = await functional('stampCollect');
    const { id, barcodeValue } = await door.createPass();
    const { scan } = await door.scan(barcodeValue);
    await patchPass(door.ctx, id, { storedValue: 0 }, { wait: true });
    await expect(undo(door, scan.id)).rejects.toMatchObject({ kind: 'conflict' });
    expect((await door.readPass(id)).storedValue).toBe(0);
  });

  test('oncePerDay is available again on that day, for only one scan', async () => {
    const door = await functional('oncePerDay');
    const { barcodeValue } = await door.createPass();
    const first = await door.scan(barcodeValue);
    expect((await door.scan(barcodeValue)).scan).toMatchObject({ scanStatus: 1, reason: 'limit_reached' });
    await undo(door, first.scan.id);
    const results = await Promise.all(Array.from({ length: 20 }, () => door.scan(barcodeValue)));
    expect(results.filter(({ scan }) => scan.reason === 'accepted')).toHaveLength(1);
  });

  test('of 20 at once reverts the amount once', async () => {
    const door = await functional('prepaid');
    const { id, barcodeValue } = await door.createPass({ storedValue: 50 });
    const { scan } = await door.scan(barcodeValue, { storedValue: 20 });
    await Promise.all(Array.from({ length: 20 }, () => undo(door, scan.id)));
    expect((await door.readPass(id)).storedValue).toBe(50);
  });
});
