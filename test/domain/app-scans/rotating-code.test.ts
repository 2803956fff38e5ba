import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createScan } from '../../../src/domain/app-scans/create-scan.ts';
import { rotatingKey } from '../../../src/domain/passes/page/rotating-key.ts';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { totp } from '../../../src/platform/totp.ts';
import type { TemplateInput } from '../../support/samples.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { openScanner, type Scanner } from './scanner-samples.ts';

const TERMS = { periodSeconds: 30, digits: 6 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

function openRotating(rotating: object = {}, fields: object = {}, template: Partial<TemplateInput> = {}) {
  const barcode = { format: 'qr', rotating: { ...TERMS, ...rotating } } as const;
  return database
    .accountContext()
    .then((ctx) => openScanner(ctx, { scanMode: 1, ...fields }, undefined, { barcode, ...template }));
}

function codeOf({ ctx }: Scanner, pass: Pass, at = Date.now()): string {
  return `${pass.barcodeValue}.${totp(Buffer.from(rotatingKey(ctx.env, pass)!, 'hex'), at, TERMS)}`;
}

const reasonOf = async (door: Scanner, barcode: string, more: object = {}) =>
  (await door.scan(barcode, more)).scan.reason;

describe('a rotating code', () => {
  test('is accepted once per app configuration, and so is a later code of the pass', async () => {
    const door = await openRotating();
    const pass = await door.createPass();
    const code = codeOf(door, pass);
    expect([await reasonOf(door, code), await reasonOf(door, code)]).toEqual(['accepted', 'stale_code']);
    expect(await reasonOf(door, codeOf(door, pass, Date.now() - 30_000))).toBe('accepted');
    const other = await openScanner(door.ctx, { scanMode: 1 });
    expect(await reasonOf(other, code)).toBe('accepted');
  });

  test('is valid in its period and the adjacent ones, at the time of the scan', async () => {
    const door = await openRotating();
    const pass = await door.createPass();
    const at = Date.now() - 10 * MINUTE_MS;
    const codes = [-60_000, -30_000, 0, 30_000, 60_000].map((distance) => codeOf(door, pass, at + distance));
    const reasons: string[] = [];
    for (const code of codes) reasons.push(await reasonOf(door, code, { createdAt: at }));
    expect(reasons).toEqual(['stale_code', 'accepted', 'accepted', 'accepted', 'stale_code']);
  });

  test('is valid now although the scanner’s clock is slow, and stays used', async () => {
    const door = await openRotating();
    const code = codeOf(door, await door.createPass());
    expect(await reasonOf(door, code, { createdAt: Date.now() - 20 * MINUTE_MS })).toBe('accepted');
    expect(await reasonOf(door, code)).toBe('stale_code');
  });

  test('is valid again once its scan was undone', async () => {
    const door = await openRotating();
    const code = codeOf(door, await door.createPass());
    const { scan } = await door.scan(code);
    await database.d1.prepare('update app_scans set undone_at = 1 where id = ?').bind(scan.id).run();
    expect(await reasonOf(door, code)).toBe('accepted');
  });

  test('is accepted by one of 50 simultaneous scans', async () => {
    const door = await openRotating();
    const code = codeOf(door, await door.createPass());
    const reasons = await Promise.all(Array.from({ length: 50 }, () => reasonOf(door, code)));
    expect(Map.groupBy(reasons, (reason) => reason).get('accepted')).toHaveLength(1);
    expect(new Set(reasons)).toEqual(new Set(['accepted', 'stale_code']));
  });
});

describe('a code that was accepted', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['whose clock is days slow', 0, -3 * DAY_MS],
    ['with the right time, after one whose clock is days slow', -3 * DAY_MS, 0],
    ['whose clock is hours slow', 0, -5 * HOUR_MS],
    ['whose clock is slow by another time', -2 * DAY_MS, -9 * DAY_MS],
  ])('is stale for a scanner %s', async (_, first, second) => {
    const door = await openRotating();
    const code = codeOf(door, await door.createPass());
    expect(await reasonOf(door, code, { createdAt: Date.now() + first })).toBe('accepted');
    expect(await reasonOf(door, code, { createdAt: Date.now() + second })).toBe('stale_code');
  });

  test.each([
    ['hours later', 5 * HOUR_MS, 0],
    ['hours later, after a scanner whose clock is days slow', 5 * HOUR_MS, -3 * DAY_MS],
    ['days later', 3 * DAY_MS, 0],
  ])('is stale for an offline scan that is sent %s', async (_, later, slow) => {
    const door = await openRotating();
    const pass = await door.createPass();
    const at = Date.now();
    expect(await reasonOf(door, codeOf(door, pass), { createdAt: at + slow })).toBe('accepted');
    expect(await reasonOf(door, codeOf(door, pass, at - MINUTE_MS), { createdAt: at - MINUTE_MS })).toBe('accepted');
    vi.useFakeTimers({ toFake: ['Date'], now: at + later });
    expect(await reasonOf(door, codeOf(door, pass))).toBe('accepted');
    expect(await reasonOf(door, codeOf(door, pass, at), { createdAt: at + 5_000 })).toBe('stale_code');
  });

  test('is accepted by one of 50 simultaneous scans, whatever their clocks say', async () => {
    const door = await openRotating();
    const code = codeOf(door, await door.createPass());
    const slow = (i: number) => ({ createdAt: Date.now() - (i % 10) * DAY_MS });
    const reasons = await Promise.all(Array.from({ length: 50 }, (_, i) => reasonOf(door, code, slow(i))));
    expect(reasons.filter((reason) => reason === 'accepted')).toHaveLength(1);
    expect(new Set(reasons)).toEqual(new Set(['accepted', 'stale_code']));
  });

  test('costs a scan no round trip, and no row for the scans of the day', async () => {
    // Identifiers never go back in time, so this is after all other tests.
    const end = Date.now() + 30 * DAY_MS;
    const cost = async (usages: number) => {
      const door = await openRotating();
      const pass = await door.createPass();
      const start = end + usages * DAY_MS;
      const scan = () => createScan(door.ctx, { configurationId: door.configurationId, barcode: codeOf(door, pass) });
      for (let i = 0; i < usages; i++) {
        vi.useFakeTimers({ toFake: ['Date'], now: start + i * HOUR_MS });
        expect((await scan()).scan.reason).toBe('accepted');
      }
      vi.useFakeTimers({ toFake: ['Date'], now: start + usages * HOUR_MS });
      const { meter } = door.ctx;
      const before = { ...meter };
      expect((await scan()).scan.reason).toBe('accepted');
      return [meter.roundTrips - before.roundTrips, meter.rowsRead - before.rowsRead];
    };
    const [one, six] = [await cost(1), await cost(6)];
    expect(six).toEqual(one);
    expect(six[0]).toBe(2);
    expect(six[1]).toBeLessThanOrEqual(19);
  });
});

describe('other codes of such a pass are stale', () => {
  test.each([
    ['the value alone', (pass: Pass) => pass.barcodeValue],
    ['the readable identifier', (pass: Pass) => pass.generatedId],
    ['a wrong code', (pass: Pass) => `${pass.barcodeValue}.000000`],
    ['a code of another length', (pass: Pass) => `${pass.barcodeValue}.00000000`],
  ])('%s', async (_, barcodeOf) => {
    const door = await openRotating();
    const pass = await door.createPass({ barcodeValue: 'own' });
    const { scan } = await door.scan(barcodeOf(pass));
    expect([scan.reason, scan.scanStatus, scan.passId]).toEqual(['stale_code', 1, pass.id]);
    expect((await door.readPass(pass.id)).lastUsageAt).toBeNull();
  });

  test('before any other reason applies', async () => {
    const door = await openRotating();
    const pass = await door.createPass();
    await database.d1.prepare('update passes set voided = 1 where id = ?').bind(pass.id).run();
    expect(await reasonOf(door, pass.barcodeValue)).toBe('stale_code');
    expect(await reasonOf(door, codeOf(door, pass))).toBe('voided');
  });

  test('but a status set by the caller applies, and naming the pass is not a code', async () => {
    const door = await openRotating();
    const pass = await door.createPass();
    expect(await reasonOf(door, pass.barcodeValue, { status: 0 })).toBe('told');
    const byName = { passName: pass.id, barcode: undefined } as object;
    expect(['accepted', 'told']).toContain(await reasonOf(door, pass.id, byName));
  });
});

describe('the value that Apple Wallet shows', () => {
  test('is accepted once per app configuration, whenever that was', async () => {
    const door = await openRotating({ apple: 'static' });
    const { id, barcodeValue } = await door.createPass();
    expect(await reasonOf(door, barcodeValue, { createdAt: Date.now() - MINUTE_MS })).toBe('accepted');
    await database.d1.prepare('update app_scans set created_at = 1 where pass_id = ?').bind(id).run();
    expect(await reasonOf(door, barcodeValue)).toBe('stale_code');
    const other = await openScanner(door.ctx, { scanMode: 1 });
    expect(await reasonOf(other, barcodeValue)).toBe('accepted');
  });

  test('is accepted by one of 50 simultaneous scans, and so are later rotating codes', async () => {
    const door = await openRotating({ apple: 'static' });
    const pass = await door.createPass();
    const reasons = await Promise.all(Array.from({ length: 50 }, () => reasonOf(door, pass.barcodeValue)));
    expect(reasons.filter((reason) => reason === 'accepted')).toHaveLength(1);
    expect(await reasonOf(door, codeOf(door, pass))).toBe('accepted');
  });
});

describe('a pass whose code doesn’t rotate', () => {
  test('is found by a value that looks like one with a code', async () => {
    const door = await openScanner(await database.accountContext(), { scanMode: 1 });
    await door.createPass({ barcodeValue: 'A' });
    await door.createPass({ barcodeValue: 'B.123456' });
    expect([await reasonOf(door, 'B.123456'), await reasonOf(door, 'A.123456')]).toEqual(['accepted', 'not_found']);
  });
});
