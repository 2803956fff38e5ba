import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import type { Job, JobOf } from '../../../src/domain/jobs.ts';
import { insertNotification } from '../../../src/domain/notifications/manage-notifications.ts';
import { publishDueNotifications } from '../../../src/domain/notifications/publish-due-notifications.ts';
import { notifications } from '../../../src/domain/notifications/table.ts';
import { takeOverPush } from '../../../src/domain/notifications/take-over-push.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { PAGE_PASSES } from '../../../src/domain/pushes/push-jobs.ts';
import { resumePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { walkFanOut } from '../../../src/domain/pushes/walk-fan-out.ts';
import { publishVersion } from '../../../src/domain/templates/publish-template.ts';
import { pushPasses } from '../../../src/wallets/apple/push-passes.ts';
import { pushPage } from '../../../src/wallets/push-page.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { heldCrowd } from './held-crowd.ts';

/* The D1 cost of pushes doesn't depend on the machine, so it is tested here. */

const ACTIVE = 250;
const INACTIVE = 2_000;

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
let queue: FakeQueue;

beforeAll(async () => {
  database = await openLocalDatabase();
  queue = { jobs: [], isDown: false };
  ctx = withQueue(await database.accountContext(), queue);
  templateId = await heldCrowd(ctx, ACTIVE, INACTIVE);
  await heldCrowd(ctx, 300, 0);
});
afterAll(() => database.close());

/** Measures the cost of some work. */
async function cost(work: (ctx: Context) => Promise<unknown>) {
  const metered = withQueue(database.context(), queue);
  await work(metered);
  return metered.meter;
}

const taken = <T extends Job['type']>(type: T) => {
  const found = queue.jobs.filter((job) => job.type === type);
  queue.jobs = queue.jobs.filter((job) => job.type !== type);
  return found as JobOf<T>[];
};

const pushJob = (id: string) => ({ type: 'push-passes' as const, accountId: ctx.account.id, passIds: [id] });

/** Executes a notification like the cron, and creates its pages. */
async function begin(text: string) {
  const content = { templateId, publicationAt: 1, text, version: null };
  const [row] = await insertNotification(ctx, content, sql`true`).returning({ id: notifications.id });
  await publishDueNotifications(withQueue(database.context(), queue), publishVersion);
  const walk = await cost(async (some) => {
    const accountId = ctx.account.id;
    await takeOverPush(some, { type: 'push-template-notification', accountId, notificationId: row!.id });
    await walkFanOut(some, { accountId, fanOutId: row!.id }, async () => false);
  });
  return { walk, pages: taken('push-page') };
}

describe('a fan-out', () => {
  test('reads one index row per active pass to create its pages, and none of others', async () => {
    const { walk, pages } = await begin('Pages');
    expect(pages).toHaveLength(Math.ceil(ACTIVE / PAGE_PASSES));
    expect(walk.roundTrips).toBe(4);
    expect(walk.rowsRead).toBeLessThanOrEqual(ACTIVE + 40);
    expect(walk.rowsWritten).toBeLessThanOrEqual(pages.length * 4 + 14);
  });

  test.each([
    // The first answer to a pass creates a row of facts and an index entry; later ones are added to the row.
    ['the same for all', 'Doors open', 4, 7, 4],
    ['with placeholders', 'Doors open for {generatedId}', 4, 13, 3],
  ])('takes four round trips and three written rows per pass for a page, with a text %s', async (...row) => {
    const [, text, trips, reads, writes] = row;
    const { pages } = await begin(text);
    // An isolate's first page may have to read the definition.
    const [first, ...others] = pages;
    await pushPage(withQueue(database.context(), queue), first!);
    for (const page of others) {
      const { passes } = (await database.d1
        .prepare('select json_array_length(keys) as passes from push_pages where fan_out_id = ? and number = ?')
        .bind(page.fanOutId, page.page)
        .first<{ passes: number }>())!;
      const spent = await cost((some) => pushPage(some, page));
      expect(spent.roundTrips).toBeLessThanOrEqual(trips);
      expect(spent.rowsWritten).toBeLessThanOrEqual(passes * writes + 12);
      expect(spent.rowsRead).toBeLessThanOrEqual(passes * reads + 30);
      const again = await cost((some) => pushPage(some, page));
      expect([again.roundTrips, again.rowsWritten]).toEqual([1, 0]);
    }
    const left = await database.d1.prepare('select count(*) as n from push_fan_outs where text = ?').bind(text).all();
    expect(left.results).toEqual([{ n: 0 }]);
  });

  test('gives each active pass its text, and no other', async () => {
    const { pages } = await begin('To all of {generatedId}');
    for (const page of pages) await pushPage(withQueue(database.context(), queue), page);
    const { results } = await database.d1
      .prepare(
        `select count(*) as n, count(distinct push_text) as texts, min(number_of_active) as active from passes
         where template_id = ? and push_text = 'To all of ' || generated_id`,
      )
      .bind(templateId)
      .all();
    expect(results).toEqual([{ n: ACTIVE, texts: ACTIVE, active: 1 }]);
  });
});

test('texts too large for one parameter are sent in several, and nothing is lost', async () => {
  const long = 'ä'.repeat(9_900);
  const { pages } = await begin(`{generatedId} ${long}`);
  for (const page of pages) {
    const spent = await cost((some) => pushPage(some, page));
    expect(spent.roundTrips).toBeLessThanOrEqual(4);
  }
  const { results } = await database.d1
    .prepare(`select count(*) as n from passes where template_id = ? and push_text = generated_id || ' ' || ?`)
    .bind(templateId, long)
    .all();
  expect(results).toEqual([{ n: ACTIVE }]);
});

describe('a push of one pass', () => {
  const somePass = async () =>
    (await database.d1
      .prepare('select id from passes where template_id = ? and number_of_active = 1 order by random() limit 1')
      .bind(templateId)
      .first<{ id: string }>())!.id;

  test('adds one written row to the change, and its job takes two round trips', async () => {
    const id = await somePass();
    const change = await cost((some) =>
      patchPass({ ...some, account: ctx.account }, id, { storedValue: Math.random() }, { wait: false }),
    );
    expect(change.roundTrips).toBe(2);
    expect(change.rowsRead).toBeLessThanOrEqual(30);
    expect(change.rowsWritten).toBeLessThanOrEqual(7);
    const [job] = taken('push-passes');
    expect(job).toEqual(pushJob(id));
    const spent = await cost((some) => pushPasses(some, job!));
    expect(spent.roundTrips).toBe(2);
    expect(spent.rowsRead).toBeLessThanOrEqual(22);
    // Two are for the push, and two create the pass's timeline; later changes are added to that row.
    expect(spent.rowsWritten).toBeLessThanOrEqual(4);
    const again = await cost((some) => pushPasses(some, job!));
    expect([again.roundTrips, again.rowsWritten]).toEqual([1, 0]);
  });

  test('that no device has queues no job', async () => {
    const inactive = (await database.d1
      .prepare('select id from passes where template_id = ? and number_of_active = 0 limit 1')
      .bind(templateId)
      .first<{ id: string }>())!.id;
    queue.jobs = [];
    await patchPass(ctx, inactive, { storedValue: 3 }, { wait: false });
    expect(queue.jobs).toEqual([]);
    const { results } = await database.d1
      .prepare('select 1 from requested_pushes where pass_id = ?')
      .bind(inactive)
      .all();
    expect(results).toEqual([]);
  });

  test('survives a failed queue: the change stays, and the cron hands the push over', async () => {
    const id = await somePass();
    queue.isDown = true;
    await patchPass(ctx, id, { storedValue: Math.random() }, { wait: false });
    queue.isDown = false;
    expect(taken('push-passes')).toEqual([]);
    const soon = Date.now() + 61_000;
    await resumePushes(withQueue(database.context(), queue), soon);
    await resumePushes(withQueue(database.context(), queue), soon);
    expect(taken('push-passes')).toEqual([pushJob(id)]);
    await pushPasses(withQueue(database.context(), queue), pushJob(id));
    await resumePushes(withQueue(database.context(), queue), soon + 120_000);
    expect(taken('push-passes')).toEqual([]);
  });

  test('costs the cron two round trips and a handful of rows if nothing is due', async () => {
    const idle = await cost((some) => resumePushes(some));
    expect(idle.roundTrips).toBe(2);
    expect(idle.rowsRead).toBeLessThanOrEqual(20);
    expect(idle.rowsWritten).toBe(0);
  });
});
