import { expect, test } from 'vitest';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';

test('accounts get their parents, and a maximum of active passes becomes a quota', () => {
  const { database, migrate } = openFirstSchema();
  const insert = database.prepare(
    'insert into accounts (id, name, parent_account_id, max_active_passes, created_at) values (?1, ?1, ?2, ?3, 1)',
  );
  for (const account of [
    ['low', 'middle', 7],
    ['middle', 'top', null],
    ['other', null, 3],
    ['top', null, 100],
  ] as const) {
    insert.run(...account);
  }
  migrate('0004_active_pass_counts_by_template');
  database.exec(`insert into active_pass_counts (account_id, template_id, active)
    values ('top', 'a', 1), ('middle', 'b', 2), ('low', 'c', 4), ('low', 'd', 8)`);
  migrate('0007_suspension_and_quotas');
  expect(rowsOf(database, 'select id, ancestor_ids as above from accounts order by id')).toEqual([
    { id: 'low', above: '["top","middle"]' },
    { id: 'middle', above: '["top"]' },
    { id: 'other', above: '[]' },
    { id: 'top', above: '[]' },
  ]);
  expect(rowsOf(database, 'select account_id as id, quota, max, used from account_quotas order by 1')).toEqual([
    { id: 'low', quota: 'activePasses', max: 7, used: 12 },
    { id: 'other', quota: 'activePasses', max: 3, used: 0 },
    { id: 'top', quota: 'activePasses', max: 100, used: 15 },
  ]);
});
