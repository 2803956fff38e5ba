import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { createAccount } from '../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../src/domain/context.ts';
import { type Db, openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { d1Over } from '../support/d1-over.ts';
import { d1Runtime, placeDatabase } from '../support/migrated-database.ts';

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

/** Databases of one runtime: to start another runtime takes as long as all tests of a usual file. */
const DATABASES = Array.from({ length: 100 }, (_, i) => `DB${i}`);

interface Runtime {
  miniflare: Miniflare;
  /** Where it looks for databases. */
  folder: string;
  /** Databases that nobody has opened yet. */
  unused: string[];
}

/** The files of a run share their modules (vitest.config.ts), and so this; it ends with their process. */
let runtime: Runtime | undefined;

function startRuntime(): Runtime {
  const folder = mkdtempSync(join(tmpdir(), 'local-databases-'));
  return { miniflare: d1Runtime(DATABASES, folder), folder, unused: [...DATABASES] };
}

/** As D1 says it: a connection can close at the moment when it is used again. */
function lost(cause: unknown): never {
  throw new Error('D1_ERROR: Network connection lost.', { cause });
}

export async function openLocalDatabase(): Promise<LocalDatabase> {
  if (!runtime || runtime.unused.length === 0) runtime = startRuntime();
  const { miniflare, folder, unused } = runtime;
  const name = unused.pop()!;
  await placeDatabase(folder, name);
  let isOpen = true;
  const d1 = d1Over(async (statements) => {
    if (!isOpen) throw new Error('the database is closed');
    const body = JSON.stringify(statements);
    const reply = await miniflare.dispatchFetch(`http://d1/${name}`, { method: 'POST', body }).catch(lost);
    if (!reply.ok) throw new Error(await reply.text());
    return (await reply.json()) as D1Result[];
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
    },
  };
}
