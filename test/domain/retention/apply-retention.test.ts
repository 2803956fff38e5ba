import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accounts } from '../../../src/domain/accounts/table.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { applyRetention } from '../../../src/domain/retention/apply-retention.ts';
import { jobQueues } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

vi.setConfig({ testTimeout: 30_000 });

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('a pass that is renewed at the moment of its deletion for having expired stays', async () => {
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, ...jobQueues() } };
  const templateId = await makeTemplate(ctx);
  const expired = { expirationDate: '2020-01-01 10:00' };
  const create = async () => (await createPass(ctx, templateId, expired, { wait: true })).pass.id;
  const [renewed, forgotten] = [await create(), await create()];
  const retention = { expiredPassesDays: 10, voidedPassesDays: null, scansDays: null, messagesDays: null };
  await database.look.update(accounts).set({ retention, retentionDueAt: 0 });
  // The passes' files are removed after finding the passes and before deleting them.
  const removeFiles = async (_: unknown, passIds: string[]) => {
    expect(passIds.toSorted()).toEqual([renewed, forgotten].toSorted());
    await patchPass(ctx, renewed, { expirationDate: '2099-01-01 10:00' }, { wait: true });
  };
  await applyRetention(ctx, removeFiles);
  expect((await database.look.select({ id: passes.id }).from(passes)).map(({ id }) => id)).toEqual([renewed]);
  const [{ found } = { found: 0 }] = (
    await database.d1.prepare('select count(*) as found from pass_terms_docsize').all<{ found: number }>()
  ).results;
  expect(found).toBe(1);
  const { results } = await database.d1.prepare('select pass_count as n from templates').all();
  expect(results).toEqual([{ n: 1 }]);
});
