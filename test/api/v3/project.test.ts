import { expect, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';

test('an account can have 10,000 projects, also if many are created at once', async () => {
  const owner = await freshAccount();
  await d1(
    `insert into projects (id, account_id, name, created_at) with recursive numbers as (select 1 as n union all
      select n + 1 from numbers where n < 9998) select lower(hex(randomblob(16))), ?, 'A', 0 from numbers`,
    [owner.accountId],
  );
  const made = await Promise.all(
    Array.from({ length: 6 }, () => owner.post('/api/v3/project', { name: 'Summer festival' })),
  );
  const refused = made.filter(({ status }) => status === 400);
  expect(made.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(refused.map(({ body }) => body.errors)).toEqual(
    Array.from({ length: 4 }, () => ['An account can have at most 10000 projects']),
  );
});
