import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { audited } from '../../../src/domain/audit/audited.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { invalid } from '../../../src/domain/errors.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const ACTION = { email: 'anna@example.com', action: 'api_key.create', target: 'Till 1' };

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

test('returns and throws what the work does, also when its outcome cannot be noted', async () => {
  await database.d1
    .prepare("create trigger deaf before update on audit_entries begin select raise(abort, 'deaf'); end")
    .run();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  // What is told once, a key for example, would be lost; and who sees a failure does the same again.
  expect(await audited(ctx, ACTION, async () => 'the key')).toBe('the key');
  await expect(
    audited(ctx, ACTION, async () => {
      throw invalid('name: is required');
    }),
  ).rejects.toThrow('name: is required');
  expect(logged).toHaveBeenCalledTimes(2);
  const { results } = await database.d1
    .prepare('select email, outcome from audit_entries where account_id = ?')
    .bind(ctx.account.id)
    .all();
  expect(results).toEqual(Array(2).fill({ email: ACTION.email, outcome: null }));
});
