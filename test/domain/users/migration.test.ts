import { expect, test } from 'vitest';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';

test('members who edit passes still see personal data, and nobody else does', () => {
  const { database, migrate } = openFirstSchema();
  const insert = database.prepare(
    'insert into memberships (user_id, account_id, privileges, created_at) values (?, ?, ?, 1)',
  );
  const before = {
    a: ['owner'],
    b: ['read'],
    c: ['passes.edit', 'scan'],
    d: ['api_keys.manage'],
    e: ['passes.edit', 'personal_data'],
  };
  for (const [user, privileges] of Object.entries(before)) insert.run(user, 'account', JSON.stringify(privileges));
  migrate('0011_personal_data');
  const rows = rowsOf(database, 'select user_id, privileges from memberships order by user_id');
  expect(Object.fromEntries(rows.map((row) => [row.user_id, JSON.parse(String(row.privileges))]))).toEqual({
    ...before,
    c: ['passes.edit', 'scan', 'personal_data'],
  });
});
