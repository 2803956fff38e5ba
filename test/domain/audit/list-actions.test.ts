import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIT_RETENTION_DAYS, listActions, purgeActions } from '../../../src/domain/audit/list-actions.ts';
import { ALWAYS, recordAction } from '../../../src/domain/audit/record-action.ts';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const DAY_MS = 24 * 60 * 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

describe('entries', () => {
  test('are deleted after 400 days', async () => {
    const ctx = await database.accountContext();
    for (const name of ['old', 'young']) {
      await recordAction(ctx, { action: 'project.create', target: { type: 'project', name } }, ALWAYS);
    }
    expect(AUDIT_RETENTION_DAYS).toBe(400);
    const age = (name: string, days: number) =>
      database.d1
        .prepare('update audit_entries set created_at = ? where target = ? and account_id = ?')
        .bind(Date.now() - days * DAY_MS, name, ctx.account.id)
        .run();
    await age('old', 400);
    await age('young', 399);
    await purgeActions(database.context());
    const kept = await listActions(ctx, { action: 'project.create' }, { limit: 10 });
    expect(kept.map(({ target }) => target.name)).toEqual(['young']);
  });

  test('list a limited number of fields, and the number of the others', async () => {
    const ctx = await database.accountContext();
    const changes = Array.from({ length: 60 }, (_, i) => ({ field: `f${i}` }));
    await recordAction(ctx, { action: 'template.update', changes }, ALWAYS);
    const [entry] = await listActions(ctx, {}, { limit: 1 });
    expect([entry!.changes.length, entry!.changes.at(-1)]).toEqual([51, { field: '10 more' }]);
  });

  test('of an earlier release stay, with their actor', async () => {
    const { database: old, migrate } = openFirstSchema();
    old.exec("insert into users (id, email, created_at) values ('u1', 'ada@example.com', 1)");
    old.exec(`insert into audit_entries (id, account_id, email, action, target, outcome, created_at) values
      ('1', 'a', 'ada@example.com', 'member.invite', 'bob', 'done', 1), ('2', 'a', 'gone@example.com', 'pass.void', 'x', 'refused', 2)`);
    migrate('0013_audit_log');
    const columns = 'id, actor_type, actor_id, email, action, target_type, target, outcome';
    expect(rowsOf(old, `select ${columns} from audit_entries order by id`)).toMatchObject([
      { id: '1', actor_type: 'user', actor_id: 'u1', email: 'ada@example.com', target: 'bob', outcome: 'done' },
      { id: '2', actor_type: 'user', actor_id: null, email: 'gone@example.com', target: 'x', outcome: 'refused' },
    ]);
    // The previous release may still be running.
    old.exec(
      `insert into audit_entries (id, account_id, email, action, target, created_at) values ('3', 'a', 'ada@example.com', 'x.y', 'z', 3)`,
    );
    const ctx = await database.accountContext();
    await database.d1
      .prepare(
        "insert into audit_entries (id, account_id, email, action, target, outcome, created_at) values ('0', ?, 'ada@example.com', 'pass.void', 'x', 'refused', 1)",
      )
      .bind(ctx.account.id)
      .run();
    const entry = (await listActions(ctx, {}, { limit: 10 })).at(-1);
    expect(entry).toMatchObject({
      ...{ actor: { type: 'user', id: null, name: 'ada@example.com' }, target: { type: 'pass', id: null, name: 'x' } },
      changes: [{ field: 'outcome', new: 'refused' }],
    });
  });
});
