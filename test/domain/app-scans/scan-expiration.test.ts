import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDateTime } from '../../../src/platform/dates.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { openScanner } from './scanner-samples.ts';

/* The SQL statement of a scan computes the effective expiration, and must agree with the contract. */

const TIMEZONE = 'Europe/Vienna';
const RUNS = 60;
const DAY_MILLIS = 24 * 60 * 60_000;
const CREATED_AT = Date.UTC(2026, 0, 1);

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const date = fc.constantFrom('2026-03-01 12:00', '2026-03-29 02:30', '2026-06-01 00:00');
const terms = fc.record(
  {
    expirationDate: date,
    expirationDateDifferentForEachPass: fc.boolean(),
    limitExpirationDateOfPassWithTemplate: fc.boolean(),
    fallbackToTemplateExpirationDateIfEmpty: fc.boolean(),
    validityInDays: fc.constantFrom(30, 100, 200),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const own = fc.option(date, { nil: undefined });
/** The template's zone; absent: the account's applies. */
const zone = fc.option(fc.constant('Pacific/Auckland'), { nil: undefined });

/** Returns when a pass expires, according to the contract. */
function endOf(given: Partial<Record<string, unknown>>, ownDate: string | undefined, timezone = TIMEZONE): number {
  const millis = (text: string) => parseDateTime(text, timezone)!;
  const days = given.validityInDays as number | undefined;
  const template = given.expirationDate ? millis(given.expirationDate as string) : Number.POSITIVE_INFINITY;
  const isOwn = ownDate !== undefined || days !== undefined;
  if (isOwn) {
    const end = ownDate === undefined ? CREATED_AT + days! * DAY_MILLIS : millis(ownDate);
    return given.limitExpirationDateOfPassWithTemplate ? Math.min(end, template) : end;
  }
  const isFallback = !given.expirationDateDifferentForEachPass || given.fallbackToTemplateExpirationDateIfEmpty;
  return isFallback ? template : Number.POSITIVE_INFINITY;
}

test('a pass expires according to its template and its own date, to the millisecond', async () => {
  const ctx = await database.accountContext(TIMEZONE);
  const property = fc.asyncProperty(terms, own, zone, async (expiration, expirationDate, timezone) => {
    const door = await openScanner(ctx, { scanMode: 1 }, undefined, { expiration, timezone });
    const { id, barcodeValue } = await door.createPass(expirationDate === undefined ? {} : { expirationDate });
    await database.d1.prepare('update passes set created_at = ? where id = ?').bind(CREATED_AT, id).run();
    const end = endOf(expiration, expirationDate, timezone);
    const reasonAt = async (createdAt: number) => (await door.scan(barcodeValue, { createdAt })).scan.reason;
    if (Number.isFinite(end)) {
      expect(await reasonAt(end)).toBe('accepted');
      expect(await reasonAt(end + 1)).toBe('expired');
    } else expect(await reasonAt(Date.UTC(2026, 9, 1))).toBe('accepted');
  });
  await fc.assert(property, { numRuns: RUNS });
});
