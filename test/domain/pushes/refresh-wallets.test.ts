import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import type { Job } from '../../../src/domain/jobs.ts';
import { beginRefreshFanOuts } from '../../../src/domain/pushes/begin-fan-out.ts';
import { refreshWallets } from '../../../src/domain/pushes/refresh-wallets.ts';
import { pushFanOuts } from '../../../src/domain/pushes/table.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { failingWrite } from '../../support/failing-once.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { heldCrowd } from './held-crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
const jobs: Job[] = [];
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withJobs(await database.accountContext(), (some) => jobs.push(...some));
});
afterAll(() => database.close());

test('refreshWallets starts a fan-out for each template with passes in a wallet, and for no other account', async () => {
  const held = await heldCrowd(ctx, 3, 2);
  await heldCrowd(ctx, 0, 2);
  await heldCrowd(await database.accountContext(), 2, 0);
  const kinds = new Set((await database.look.select().from(pushFanOuts)).map(({ id }) => id));
  const begun = await refreshWallets(ctx);
  const rows = (await database.look.select().from(pushFanOuts)).filter(({ id }) => !kinds.has(id));
  expect(rows).toHaveLength(begun);
  expect(rows).toContainEqual(
    expect.objectContaining({
      accountId: ctx.account.id,
      kind: 'devices',
      templateId: held,
      text: null,
      version: null,
    }),
  );
  expect(new Set(rows.map(({ templateId }) => templateId))).toEqual(new Set([held]));
  expect(jobs).toEqual(rows.map(({ id }) => ({ type: 'walk-push-fan-out', accountId: ctx.account.id, fanOutId: id })));
});

test('a fan-out begins at once, even if the database loses the answer to its request', async () => {
  const templateId = await heldCrowd(ctx, 1, 0);
  const losing = failingWrite(database.d1, 'after', { message: 'D1_ERROR: Network connection lost', isDead: false });
  const failing = { ...ctx, ...openDatabase(losing) };
  jobs.length = 0;
  await expect(commit(failing, beginRefreshFanOuts(failing, ctx.account.id, templateId))).rejects.toThrow();
  const [row] = (await database.look.select().from(pushFanOuts)).filter((one) => one.templateId === templateId);
  const named = jobs.map((job) => job.type === 'walk-push-fan-out' && job.fanOutId);
  expect(named).toContain(row!.id);
});
