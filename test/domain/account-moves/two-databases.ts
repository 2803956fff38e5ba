import type { Context } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/** The directory and a second database, both open for accounts, and a context that reaches them. */
export interface TwoDatabases {
  /** The directory, `DB`. */
  first: LocalDatabase;
  /** `DB_1`. */
  second: LocalDatabase;
  ctx: Context;
  close(): Promise<void>;
}

/** Opens two databases. Jobs stay in their queues. */
export async function openTwoDatabases(): Promise<TwoDatabases> {
  const [first, second] = [await openLocalDatabase(), await openLocalDatabase()];
  const { env, ...rest } = first.context();
  const queues = { ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() };
  const ctx = { ...rest, env: { ...env, ...queues, DB_1: second.d1, FILES: memoryBucket() } };
  await openForAccounts(ctx, 'DB_1', async () => {});
  const close = async () => {
    await first.close();
    await second.close();
  };
  return { first, second, ctx, close };
}
