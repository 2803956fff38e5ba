import { expect, test } from 'vitest';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';

test('the numbers of active passes are recounted from the passes, by account and template', () => {
  const { database, migrate } = openFirstSchema();
  const columns = `id, account_id, template_id, number_of_active, template_version, generated_id, barcode_value, properties,
    appearance, page_token, file_token, authentication_token, created_at, modified_at`;
  const insert = database.prepare(
    `insert into passes (${columns}) values (?1, ?2, ?3, ?4, 1, ?1, '', '{}', '{}', ?1, ?1, ?1, 0, 0)`,
  );
  const passes = [
    ['a', 'one', 0],
    ['a', 'one', 1],
    ['a', 'one', 3],
    ['a', 'two', 1],
    ['a', 'three', 0],
    ['b', 'four', 2],
  ] as const;
  for (const [i, pass] of passes.entries()) insert.run(`pass-${i}`, ...pass);
  database.exec("insert into active_pass_counts (account_id, active) values ('a', 3), ('b', 1), ('c', 0)");
  migrate('0004_active_pass_counts_by_template');
  const rows = rowsOf(
    database,
    'select account_id as account, template_id as template, active from active_pass_counts order by 1, 2',
  );
  expect(rows).toEqual([
    { account: 'a', template: 'one', active: 2 },
    { account: 'a', template: 'two', active: 1 },
    { account: 'b', template: 'four', active: 1 },
  ]);
});
