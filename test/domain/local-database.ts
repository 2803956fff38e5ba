import { randomBytes } from 'node:crypto';
import { createAccount } from '../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../src/domain/context.ts';
import { type Db, openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { d1Over } from '../support/d1-over.ts';
import { openMigrated } from '../support/local-d1.ts';

/** A D1 of one test file with every migration applied. */
export interface LocalDatabase {
  /** A context with a session of its own, as each request has. */
  context(): Context;
  /** A context that acts for an account made for this call. */
  accountContext(timezone?: string): Promise<AccountContext>;
  d1: D1Database;
  /**
   * For looking at rows, and changing them, behind the product's back: its statements are the test's own and not
   * recorded.
   */
  look: Db;
  close(): Promise<void>;
}

export async function openLocalDatabase(): Promise<LocalDatabase> {
  const migrated = await openMigrated();
  let isOpen = true;
  const d1 = d1Over(async (statements) => {
    if (!isOpen) throw new Error('the database is closed');
    return migrated.run(statements);
  });
  const env = { DB: d1, BASE_URL: '', ENCRYPTION_KEY: randomBytes(32).toString('base64') } as Env;
  const context = (): Context => ({
    env,
    ...openDatabase(d1),
    baseUrl: 'https://passes.example',
    requestId: crypto.randomUUID(),
    waitUntil: () => {},
  });
  return {
    context,
    async accountContext(timezone) {
      const { account } = await createAccount(context(), { name: 'Test account', timezone });
      return actForAccount(context(), account.id);
    },
    d1,
    // The product takes nothing but sessions of a database.
    look: openDatabase({ withSession: () => d1 } as unknown as D1Database).db,
    async close() {
      isOpen = false;
      migrated.close();
    },
  };
}
