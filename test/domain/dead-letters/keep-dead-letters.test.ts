import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DEAD_LETTER_RETENTION_DAYS,
  keepDeadLetters,
  purgeDeadLetters,
} from '../../../src/domain/dead-letters/keep-dead-letters.ts';
import { listDeadLetters } from '../../../src/domain/dead-letters/manage-dead-letters.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2027, 0, 31);

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database?.close());

const rows = async (statement: string, ...params: unknown[]) =>
  (
    await database.d1
      .prepare(statement)
      .bind(...params)
      .all<Record<string, unknown>>()
  ).results;

describe('keeping', () => {
  test('stores one dead letter per message, however often it arrives, even simultaneously', async () => {
    const { account } = await database.accountContext();
    await rows(
      `insert into template_deletions (template_id, account_id, published_version, resumed_at) values ('deleted', ?, 1, 1)`,
      account.id,
    );
    const body = { type: 'delete-template-passes', templateId: 'deleted' };
    const message = { id: 'twice', body };
    const kept = await Promise.all(
      Array.from({ length: 50 }, () => keepDeadLetters(database.context(), [message, message], NOW)),
    );
    expect(kept.flat()).toEqual([{ id: 'twice', accountId: account.id, type: 'delete-template-passes' }]);
    const [letter, ...others] = await rows('select * from dead_letters');
    expect(others).toEqual([]);
    expect({ ...letter, body: JSON.parse(String(letter!.body)) }).toEqual({
      ...{ id: 'twice', account_id: account.id, type: 'delete-template-passes', body },
      ...{ failed_at: NOW, due_at: null },
    });
  });

  test('accepts any message content', async () => {
    const bodies = [
      null,
      undefined,
      5,
      'text',
      [],
      {},
      { type: 7 },
      { type: 'push-passes', passIds: 'x' },
      { passId: {} },
    ];
    const failed = bodies.map((body, i) => ({ id: `odd-${i}`, body }));
    const kept = await keepDeadLetters(database.context(), failed, NOW);
    expect(kept).toHaveLength(bodies.length);
    expect(kept.every(({ accountId }) => accountId === null)).toBe(true);
    const listed = await listDeadLetters(database.context(), { limit: 100 });
    expect(listed.find(({ id }) => id === 'odd-3')).toMatchObject({ type: 'unknown', body: 'text', subject: null });
  });

  test('accepts a whole batch of the largest messages', async () => {
    const filler = 'ü"\\'.repeat(32_000);
    const failed = Array.from({ length: 10 }, (_, i) => ({ id: `large-${i}`, body: { type: 'large', filler } }));
    expect(await keepDeadLetters(database.context(), failed, NOW)).toHaveLength(10);
    expect(
      await rows(`select distinct body ->> '$.filler' = ? as same from dead_letters where type = 'large'`, filler),
    ).toEqual([{ same: 1 }]);
  });
});

describe('at any size of the tables', () => {
  const ROWS = 5_000;
  beforeAll(async () => {
    const { account } = await database.accountContext();
    const numbers = `with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${ROWS})`;
    await rows(
      `insert into events (id, account_id, type, body, created_at, pass_id) ${numbers}
       select 'event-' || value, ?, 'pass_deleted', '{}', 1, 'pass-' || cast(value as integer) from numbers`,
      account.id,
    );
    await rows(
      `insert into messages (id, account_id, pass_id, template_id, channel, kind, recipient, status, attempts, created_at) ${numbers}
       select 'message-' || cast(value as integer), ?, 'p', 't', 'sms', 'adhoc', 'r', 'sent', 1, 1 from numbers`,
      account.id,
    );
    await rows(
      `insert into dead_letters (id, account_id, type, body, failed_at) ${numbers}
       select 'letter-' || value, ?, 'send-message', json_object('type', 'send-message', 'messageId', 'message-' || cast(value as integer)), ${NOW} from numbers`,
      account.id,
    );
  });

  test('a batch is stored in one round trip, and reads only the rows that it names', async () => {
    const ctx = database.context();
    const passIds = Array.from({ length: 100 }, (_, i) => `pass-${i + 1}`);
    const batch = [
      { id: 'cheap-1', body: { type: 'delete-pass-files', passId: 'pass-77' } },
      { id: 'cheap-2', body: { type: 'push-passes', passIds } },
      { id: 'cheap-3', body: { type: 'send-message', messageId: 'message-77' } },
      { id: 'cheap-4', body: { type: 'send-message', messageId: 'gone' } },
    ];
    const kept = await keepDeadLetters(ctx, batch, NOW);
    expect(kept.map(({ accountId }) => accountId === null)).toEqual([false, false, false, true]);
    expect(ctx.meter.roundTrips).toBe(1);
    // Each list queries three tables.
    expect(ctx.meter.rowsRead).toBeLessThan(800);
    expect(ctx.meter.rowsWritten).toBeLessThanOrEqual(16);
  });

  test('a page of the list reads its own rows, and the next one continues after it', async () => {
    const [one] = await rows(`select account_id from dead_letters where id = 'letter-1'`);
    const ctx = database.context();
    const account = { id: one!.account_id } as never;
    const first = await listDeadLetters({ ...ctx, account }, { limit: 51 });
    expect(ctx.meter.roundTrips).toBe(1);
    expect(ctx.meter.rowsRead).toBeLessThanOrEqual(51 * 5);
    expect(first[0]!.subject).toEqual({ kind: 'message', id: JSON.parse(JSON.stringify(first[0]!.body)).messageId });
    const seen = new Set<string>();
    let before: string | undefined;
    for (;;) {
      const page = await listDeadLetters({ ...database.context(), account }, { limit: 500, before });
      if (page.length === 0) break;
      for (const { id } of page) seen.add(id);
      before = `${page.at(-1)!.failedAt}.${page.at(-1)!.id}`;
    }
    expect(seen.size).toBe(ROWS + 3);
    await expect(async () => listDeadLetters(database.context(), { limit: 1, before: 'x' })).rejects.toThrow('before:');
  });

  test('letters are kept for 30 days, and a minute in which none is due reads next to nothing', async () => {
    expect(DEAD_LETTER_RETENTION_DAYS).toBe(30);
    const count = async () => (await rows('select count(*) as n from dead_letters'))[0]!.n as number;
    await rows(
      `insert into dead_letters (id, type, body, failed_at) with recursive numbers(value) as
        (select 1 union all select value + 1 from numbers where value < 2500)
       select 'old-' || value, 'fan-out-events', '{}', ? from numbers`,
      NOW - 31 * DAY_MS,
    );
    await rows(
      `insert into dead_letters (id, type, body, failed_at) values ('young', 'x', '{}', ?)`,
      NOW - 29 * DAY_MS,
    );
    const before = await count();
    await purgeDeadLetters(database.context(), NOW);
    expect(await count()).toBe(before - 2_500);
    expect(await rows(`select id from dead_letters where id in ('young', 'old-1')`)).toEqual([{ id: 'young' }]);
    const ctx = database.context();
    await purgeDeadLetters(ctx, NOW);
    expect(ctx.meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(ctx.meter.rowsRead).toBeLessThanOrEqual(5);
  });
});
