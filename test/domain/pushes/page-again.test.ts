import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import type { JobOf } from '../../../src/domain/jobs.ts';
import { PAGE_PASSES } from '../../../src/domain/pushes/push-jobs.ts';
import { walkFanOut } from '../../../src/domain/pushes/walk-fan-out.ts';
import { pushPage } from '../../../src/wallets/push-page.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { heldCrowd } from './held-crowd.ts';

/* A page of a fan-out whose job crashed after writing the text, before it notified any device. */

let database: LocalDatabase;
let ctx: AccountContext;
let queue: FakeQueue;
let templateId: string;
let page: JobOf<'push-page'>;
beforeAll(async () => {
  database = openMemoryDatabase();
  queue = { jobs: [], isDown: false };
  ctx = withQueue(await database.accountContext(), queue);
});
afterAll(() => database.close());

const run = (query: ReturnType<typeof sql>) => database.look.run(query);
const FAN_OUT = 'f0000000-0000-4000-8000-000000000000';
const TEXT = 'Doors open';

/** Starts a fan-out and creates one page. */
beforeEach(async () => {
  queue.jobs = [];
  templateId = await heldCrowd(ctx, PAGE_PASSES, 5);
  await begin();
});

async function begin() {
  await run(sql`insert into push_fan_outs (id, account_id, kind, template_id, text, cursor, created_at, due_at)
    values (${FAN_OUT}, ${ctx.account.id}, 'text', ${templateId}, ${TEXT}, 0, 1, 1)`);
  await walkFanOut(ctx, { accountId: ctx.account.id, fanOutId: FAN_OUT }, async () => false);
  page = queue.jobs.findLast((job) => job.type === 'push-page') as JobOf<'push-page'>;
}

/** Processes the page. Without a certificate, all devices are rejected; their number is logged and returned. */
async function toldDevices(): Promise<number> {
  const lines: { event: string; devices: number }[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  await pushPage(ctx, page);
  return lines.filter(({ event }) => event === 'push-refused').reduce((sum, { devices }) => sum + devices, 0);
}

/** Restores the page as the crashed job left it. */
async function putBack(before: Record<string, unknown>) {
  const [{ revision }] = (await database.look.all(
    sql`select revision, count(*) as n from passes where template_id = ${templateId} group by 1 order by n desc`,
  )) as [{ revision: number }];
  await run(sql`insert into push_fan_outs (id, account_id, kind, template_id, text, cursor, created_at)
    values (${FAN_OUT}, ${ctx.account.id}, 'text', ${templateId}, ${TEXT}, 0, 1)`);
  await run(sql`insert into push_pages (fan_out_id, number, last, keys, is_written, requested_at, due_at, claim, attempts)
    values (${FAN_OUT}, ${before.number}, ${before.last}, ${before.keys}, ${revision}, 1, 1, 'dead', 1)`);
}

const pageRow = async () => (await database.look.all(sql`select * from push_pages`))[0] as Record<string, unknown>;
const ofTemplate = (n: number, from = 0) => sql`key in (select key from passes where template_id = ${templateId}
  and number_of_active > 0 order by key limit ${n} offset ${from})`;

test('notifies devices of passes with the text, including one added meanwhile, and nobody else', async () => {
  // Added to a phone between page creation and the text; its place is among the others.
  const late = ofTemplate(1, 90);
  const [{ key }] = (await database.look.all(sql`select key from passes where ${late}`)) as [{ key: number }];
  await run(sql`update passes set number_of_active = 0 where key = ${key}`);
  await run(sql`delete from push_pages`);
  await run(sql`delete from push_fan_outs`);
  await begin();
  const before = await pageRow();
  expect(JSON.parse(before.keys as string)).not.toContain(key);
  await run(sql`update passes set number_of_active = 1 where key = ${key}`);
  // They have already fetched it.
  await run(sql`update passes set push_text = ${TEXT} where ${ofTemplate(40)}`);
  expect(await toldDevices()).toBe(PAGE_PASSES - 40);
  await putBack(before);
  // Their own change notifies their devices.
  await run(sql`update passes set revision = revision + 1 where ${ofTemplate(1, 70)}`);
  expect(await toldDevices()).toBe(PAGE_PASSES - 40 - 1);
  expect(await pageRow()).toBeUndefined();
});

test('with only some passes left notifies those', async () => {
  const before = await pageRow();
  await toldDevices();
  const keys = (JSON.parse(before.keys as string) as number[]).slice(5, 8);
  await putBack({ ...before, last: 0, keys: JSON.stringify(keys) });
  expect(await toldDevices()).toBe(3);
});

test('written by an earlier release notifies those in its list', async () => {
  const before = await pageRow();
  await toldDevices();
  const keys = (JSON.parse(before.keys as string) as number[]).slice(0, 60);
  await putBack({ ...before, keys: JSON.stringify(keys) });
  await run(sql`update push_pages set is_written = 1`);
  await run(sql`update passes set revision = 9 where template_id = ${templateId}`);
  expect(await toldDevices()).toBe(60);
});
