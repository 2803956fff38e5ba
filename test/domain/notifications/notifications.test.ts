import { eq, getTableColumns, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import {
  deleteNotification,
  insertNotification,
  removeNotifications,
  schedulePublication,
} from '../../../src/domain/notifications/manage-notifications.ts';
import {
  PICKUP_LEASE_MS,
  publishDueNotifications,
} from '../../../src/domain/notifications/publish-due-notifications.ts';
import { notifications } from '../../../src/domain/notifications/table.ts';
import { takeOverPush } from '../../../src/domain/notifications/take-over-push.ts';
import { publishVersion } from '../../../src/domain/templates/publish-template.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
let queue: FakeQueue;

beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.d1.prepare('delete from notifications').run();
  queue = { jobs: [], isDown: false };
  ctx = withQueue(await database.accountContext(), queue);
  templateId = crypto.randomUUID();
});

const NOW = Date.UTC(2026, 11, 24, 18, 0);

async function schedule(publicationAt = NOW): Promise<string> {
  const content = { templateId, publicationAt, text: 'Doors open', version: null };
  const [row] = await insertNotification(ctx, content, sql`true`).returning({ id: notifications.id });
  return row!.id;
}

/** Copies a row. */
async function multiply(id: string, copies: number): Promise<void> {
  const columns = Object.values(getTableColumns(notifications)).map(({ name }) => name);
  const values = columns.map((name) => (name === 'id' ? "id || '-' || value" : name));
  await database.d1
    .prepare(
      `insert into notifications (${columns})
       with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?)
       select ${values} from notifications, numbers where id = ?`,
    )
    .bind(copies, id)
    .run();
}

const rowOf = async (id: string) =>
  (await database.look.select().from(notifications).where(eq(notifications.id, id)))[0];
const cron = (now = NOW) => publishDueNotifications(withQueue(database.context(), queue), publishVersion, now);
const queuedIds = () => queue.jobs.map((job) => 'notificationId' in job && job.notificationId).sort();

describe('the cron task', () => {
  test('hands each due push to the queue once, however many crons run', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => schedule()));
    await Promise.all([cron(), cron(), cron()]);
    await cron();
    expect(queuedIds()).toEqual(ids.sort());
  });

  test('handles more than a page', async () => {
    await multiply(await schedule(), 250);
    await cron();
    expect(new Set(queuedIds()).size).toBe(251);
    expect(queue.jobs).toHaveLength(251);
  });

  test('ignores what is not due, for one round trip and no rows in proportion to the table', async () => {
    await multiply(await schedule(NOW + 60_000), 250);
    const quiet = withQueue(database.context(), queue);
    await publishDueNotifications(quiet, publishVersion, NOW);
    expect(queue.jobs).toEqual([]);
    expect([quiet.meter.roundTrips, quiet.meter.rowsWritten]).toEqual([1, 0]);
    expect(quiet.meter.rowsRead).toBeLessThanOrEqual(8);
  });

  test('finds a push again that was claimed but never reached the queue', async () => {
    const id = await schedule();
    queue.isDown = true;
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await cron();
    expect(JSON.parse(errors.mock.calls[0]![0])).toMatchObject({ level: 'error', event: 'enqueue' });
    expect(await rowOf(id)).toMatchObject({ state: 'executed', executedAt: NOW, takenOverAt: null });
    queue.isDown = false;
    await cron(NOW + PICKUP_LEASE_MS - 1);
    expect(queue.jobs).toEqual([]);
    await cron(NOW + PICKUP_LEASE_MS);
    expect(queuedIds()).toEqual([id]);
    expect(await rowOf(id)).toMatchObject({ executedAt: NOW });
  });

  const jobOf = (notificationId: string) =>
    ({ type: 'push-template-notification', accountId: ctx.account.id, notificationId }) as const;

  test('does not queue a push again that a job has taken over', async () => {
    const id = await schedule();
    await takeOverPush(ctx, jobOf(id));
    expect(await rowOf(id)).toMatchObject({ state: 'scheduled', dueAt: NOW, takenOverAt: null });
    await cron();
    await takeOverPush(ctx, jobOf(id));
    const taken = await rowOf(id);
    expect(taken).toMatchObject({ dueAt: null, takenOverAt: expect.any(Number) });
    await takeOverPush(ctx, jobOf(id));
    const begun = await database.d1.prepare('select text, kind from push_fan_outs where id = ?').bind(id).all();
    expect(begun.results).toEqual([{ text: 'Doors open', kind: 'text' }]);
    await cron(NOW + 10 * PICKUP_LEASE_MS);
    expect(queuedIds()).toEqual([id]);
    expect(await rowOf(id)).toEqual(taken);
  });

  test('either wins or loses against a delete', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => schedule()));
    const deletes = ids.map((id) => deleteNotification({ ...database.context(), account: ctx.account }, id));
    const [outcomes] = await Promise.all([Promise.allSettled(deletes), cron()]);
    const deleted = ids.filter((_, i) => outcomes[i]!.status === 'fulfilled');
    const refused = ids.filter((_, i) => outcomes[i]!.status === 'rejected');
    expect(queuedIds()).toEqual(refused.sort());
    for (const id of deleted) expect(await rowOf(id)).toBeUndefined();
    for (const id of refused) expect(await rowOf(id)).toMatchObject({ state: 'executed' });
  });
});

describe('a scheduled publication', () => {
  const versionOf = async () => {
    const row = await database.d1.prepare('select published_version v from templates where id = ?').bind(templateId);
    return (await row.first<{ v: number }>())?.v;
  };

  /** Inserts the parts of a template's row that publications read. */
  async function insertTemplate(): Promise<void> {
    const columns = await database.d1
      .prepare('select name, type, "notnull" as required, dflt_value from pragma_table_info(\'templates\')')
      .all<{
        name: string;
        type: string;
        required: number;
        dflt_value: string | null;
      }>();
    const given: Record<string, unknown> = {
      id: templateId,
      account_id: ctx.account.id,
      version: 3,
      unique_properties: '[]',
    };
    const named = columns.results.filter(
      ({ name, required, dflt_value }) => name in given || (required && dflt_value === null),
    );
    const values = named.map(({ name, type }) => given[name] ?? (type.toLowerCase() === 'integer' ? 0 : ''));
    await database.d1
      .prepare(`insert into templates (${named.map(({ name }) => name)}) values (${named.map(() => '?')})`)
      .bind(...values)
      .run();
  }

  test('publishes its version when it is due, and leaves no further work', async () => {
    await insertTemplate();
    const [row] = await schedulePublication(ctx, templateId, 2, NOW);
    await cron(NOW - 1);
    expect(await versionOf()).toBe(1);
    await Promise.all([cron(), cron()]);
    expect(await versionOf()).toBe(2);
    expect(await rowOf(row!.id)).toMatchObject({ state: 'executed', text: null, version: 2, dueAt: null });
    expect(queue.jobs).toEqual([]);
  });

  test('stays a single one if 50 requests race, and never moves to an earlier version', async () => {
    const requests = Array.from({ length: 50 }, (_, i) =>
      schedulePublication({ ...database.context(), account: ctx.account }, templateId, 2 + (i % 7), NOW + i),
    );
    const ids = new Set((await Promise.all(requests)).map(([row]) => row!.id));
    expect(ids.size).toBe(1);
    const rows = await database.look.select().from(notifications);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.version).toBe(8);
    expect(rows[0]?.dueAt).toBe(rows[0]?.publicationAt);
  });

  test('starts again once the last one is executed, and does nothing unless its condition holds', async () => {
    const [first] = await schedulePublication(ctx, templateId, 2, NOW);
    await cron();
    expect(await schedulePublication(ctx, templateId, 3, NOW, sql`1 = 0`)).toEqual([]);
    const [second] = await schedulePublication(ctx, templateId, 3, NOW + 1, sql`1 = 1`);
    expect(second!.id).not.toBe(first!.id);
    expect(await database.look.select().from(notifications)).toHaveLength(2);
  });

  test('is deleted with its template', async () => {
    await schedulePublication(ctx, templateId, 2, NOW);
    await schedule();
    await removeNotifications(ctx, templateId);
    expect(await database.look.select().from(notifications)).toEqual([]);
  });
});
