import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addToBundle, dissolveBundle } from '../../../src/domain/bundles/edit-bundle.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { claimBundleLink } from '../../../src/domain/passes/bundle-link.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { EMPTY_BUNDLE_DAYS, purgeBundleLinks } from '../../../src/domain/passes/purge-bundle-links.ts';
import { bundleLinks } from '../../../src/domain/passes/table.ts';
import { withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
const NOW = Date.UTC(2030, 0, 3);

let database: LocalDatabase;
let ctx: AccountContext;
let passId: string;
beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  await database.look.delete(bundleLinks);
  ctx = withQueue(await database.accountContext(), { jobs: [], isDown: false });
  passId = (await createPass(ctx, await makeTemplate(ctx), {}, { wait: false })).pass.id;
});
afterAll(() => database.close());

/** Runs every minute of a week, starting at a time. */
async function week(from: number): Promise<void> {
  // With few rows, only the last minutes of the week check any.
  const last = from - (from % WEEK_MS) + WEEK_MS;
  for (let minute = 1; minute <= 3; minute++) await purgeBundleLinks(ctx, last - minute * MINUTE_MS);
}
const kept = async () => (await database.look.select().from(bundleLinks)).map(({ bundleId }) => bundleId).sort();
const join = (bundleId: string) => addToBundle(ctx, bundleId, [passId]);

test('the link of a bundle stays while it has passes, and for months after', async () => {
  const { urlToPass } = await join('trip');
  for (const day of [0, 100, 200]) await week(NOW + day * DAY_MS);
  expect((await join('trip')).urlToPass).toBe(urlToPass);
  await dissolveBundle(ctx, 'trip');
  await week(NOW + 300 * DAY_MS);
  await week(NOW + (300 + EMPTY_BUNDLE_DAYS - 7) * DAY_MS);
  expect(await kept()).toEqual(['trip']);
  expect((await join('trip')).urlToPass).toBe(urlToPass);
});

test('a bundle that stays empty for months gets another link', async () => {
  const { urlToPass } = await join('trip');
  await dissolveBundle(ctx, 'trip');
  await week(NOW);
  await week(NOW + (EMPTY_BUNDLE_DAYS + 7) * DAY_MS);
  expect(await kept()).toEqual([]);
  expect((await join('trip')).urlToPass).not.toBe(urlToPass);
});

test('the months begin when the last pass has left, not when the link was created', async () => {
  await join('trip');
  for (const day of [0, 100, 200]) await week(NOW + day * DAY_MS);
  await dissolveBundle(ctx, 'trip');
  await week(NOW + 207 * DAY_MS);
  expect(await kept()).toEqual(['trip']);
});

test('passes that return restart the time', async () => {
  await join('trip');
  await dissolveBundle(ctx, 'trip');
  await week(NOW);
  await join('trip');
  await week(NOW + 50 * DAY_MS);
  await dissolveBundle(ctx, 'trip');
  await week(NOW + (EMPTY_BUNDLE_DAYS + 7) * DAY_MS);
  expect(await kept()).toEqual(['trip']);
});

test('a link that a request has claimed is not deleted before its passes join', async () => {
  await join('trip');
  await dissolveBundle(ctx, 'trip');
  await week(NOW);
  await ctx.db.batch([claimBundleLink(ctx, 'trip')[0]!]);
  await week(NOW + (EMPTY_BUNDLE_DAYS + 7) * DAY_MS);
  expect(await kept()).toEqual(['trip']);
});

test('checking a link costs a handful of rows', async () => {
  const links = Array.from({ length: 100_800 }, (_, i) => i);
  await database.d1
    .prepare(
      "insert into bundle_links (account_id, bundle_id, page_token, created_at) select 'account', value, value, 1 from json_each(?)",
    )
    .bind(JSON.stringify(links))
    .run();
  const quiet = database.context();
  await purgeBundleLinks(quiet, NOW);
  expect(quiet.meter.rowsWritten).toBe(10);
  expect(quiet.meter.rowsRead).toBeLessThanOrEqual(1 + 6 * 10);
});
