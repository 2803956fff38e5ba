import { randomBytes } from 'node:crypto';
import { createAccount } from '../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../src/domain/context.ts';
import { type Db, openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { d1Over } from '../support/d1-over.ts';
import { openMigrated } from '../support/local-d1.ts';
import { memoryD1 } from '../support/memory-d1.ts';

/** A D1 database for tests, with every migration applied. */
export interface LocalDatabase {
  /** Returns a context with its own session, like each request's. */
  context(): Context;
  /** Returns a context for a new account. */
  accountContext(timezone?: string): Promise<AccountContext>;
  d1: D1Database;
  /** For reading and changing rows without the product. Its statements belong to the test and aren't recorded. */
  look: Db;
  close(): Promise<void>;
}

/** Opens a database in workerd, for tests that count rows, measure a database, or depend on functions of SQLite. */
export async function openLocalDatabase(): Promise<LocalDatabase> {
  const migrated = await openMigrated();
  let isOpen = true;
  const d1 = d1Over(async (statements) => {
    if (!isOpen) throw new Error('the database is closed');
    return migrated.run(statements);
  });
  return databaseOver(d1, () => {
    isOpen = false;
    migrated.close();
  });
}

/** Opens a database in the process of the test, where a round trip takes a fraction of the time. It counts no rows. */
export function openMemoryDatabase(): LocalDatabase {
  const { d1, database } = memoryD1();
  return databaseOver(d1, () => database.close());
}

function databaseOver(d1: D1Database, close: () => void): LocalDatabase {
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
    // The product only opens sessions of a database.
    look: openDatabase({ withSession: () => d1 } as unknown as D1Database).db,
    async close() {
      close();
    },
  };
}
