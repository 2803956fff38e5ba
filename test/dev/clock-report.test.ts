import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { expiredPasses, Report } from '../../src/dev/clock/report.ts';
import { inboxItems } from '../../src/dev/inbox/table.ts';
import { type LocalDatabase, openLocalDatabase } from '../domain/local-database.ts';
import { makePass, makeTemplate } from '../domain/search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const NOTHING = { found: [], omitted: 0 };
const unit = (at: number, more: object = {}) => ({
  ...{ at, line: { event: 'job', job: 'send-message' }, status: 'done', rowsWritten: 1 },
  ...more,
});

test('events are listed by time, whatever their source', async () => {
  const ctx = database.context();
  const report = await Report.begin(ctx);
  const now = Date.now();
  await database.look.insert(inboxItems).values(item(now - 20));
  const expired = { at: now - 30, type: 'expired', accountId: 'a', passId: 'p', templateId: 't' } as const;
  await report.add(ctx, [unit(now - 10), unit(now - 40)], { found: [expired], omitted: 0 });
  expect(report.happened.map(({ at, type }) => [now - at, type])).toEqual([
    [40, 'job'],
    [30, 'expired'],
    [20, 'message'],
    [10, 'job'],
  ]);
  await report.add(ctx, [], NOTHING);
  expect(report.happened).toHaveLength(4);
});

test('work that changed nothing is not listed, unless it failed', async () => {
  const ctx = database.context();
  const report = await Report.begin(ctx);
  const upkeep = { line: { event: 'task', task: 'watch-service' } };
  const units = [unit(1, { rowsWritten: 0 }), unit(2, upkeep), unit(3, { rowsWritten: 0, status: 'retry' })];
  await report.add(ctx, units, NOTHING);
  expect(report.happened).toMatchObject([{ at: 3, type: 'job', name: 'send-message', status: 'retry' }]);
});

test('at most a thousand are listed, and the others counted', async () => {
  const ctx = database.context();
  const report = await Report.begin(ctx);
  for (let i = 0; i < 70; i++) {
    await database.look.insert(inboxItems).values(Array.from({ length: 10 }, () => item(Date.now())));
  }
  await report.add(
    ctx,
    Array.from({ length: 600 }, (_, i) => unit(i)),
    NOTHING,
  );
  expect([report.happened.length, report.omitted]).toEqual([1_000, 300]);
  await report.add(ctx, [unit(Date.now())], { found: [], omitted: 5 });
  expect([report.happened.length, report.omitted]).toEqual([1_000, 306]);
});

test('a pass is listed at the moment when it expires, to the millisecond', async () => {
  const acting = await database.accountContext();
  const templateId = await makeTemplate(acting, { expiration: { validityInDays: 2 } });
  const createdAt = Math.ceil(Date.now() / 1_000) * 1_000 + 200;
  const passId = await makePass(acting, templateId, createdAt, {});
  vi.useRealTimers();
  const expiresAt = createdAt + 2 * 24 * 60 * 60_000;
  const between = async (from: number, to: number) =>
    (await expiredPasses(database.context(), from, to)).found.map(({ at, ...one }) => [
      at,
      'passId' in one && one.passId,
    ]);
  expect(await between(createdAt, expiresAt - 1)).toEqual([]);
  expect(await between(expiresAt - 1, expiresAt)).toEqual([[expiresAt, passId]]);
  expect(await between(expiresAt, expiresAt + 5_000)).toEqual([]);
});

test('a pass expires in the time zone of its template', async () => {
  const acting = await database.accountContext('Europe/Berlin');
  const expiration = { expirationDate: '2041-05-05 12:00' };
  const templateId = await makeTemplate(acting, { timezone: 'America/New_York', expiration });
  const passId = await makePass(acting, templateId, Date.now(), {});
  vi.useRealTimers();
  const noon = Date.UTC(2041, 4, 5, 16);
  const { found } = await expiredPasses(database.context(), noon - 1, noon);
  expect(found).toMatchObject([{ at: noon, passId }]);
});

function item(createdAt: number): typeof inboxItems.$inferInsert {
  return { kind: 'sms', recipient: 'a', subject: '', text: '', details: {}, createdAt };
}
