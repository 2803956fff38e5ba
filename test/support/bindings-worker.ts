import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import type { DeliveryJob, Job } from '../../src/domain/jobs.ts';
import { type LinkTokens, openBundleCopy, openTokens } from '../../src/domain/passes/page/links.ts';
import { passes } from '../../src/domain/passes/table.ts';
import { openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { shardOf } from '../../src/platform/ids.ts';
import type { BoundStatement } from './d1-over.ts';
import { askTestDatabases, TestDatabase, type TestDatabases } from './test-database.ts';

// Its objects hold the databases.
export { TestDatabase };

askTestDatabases(env);

/**
 * A job. Without an account, it looks like one from releases before 0.3, and its account is found through its subject.
 */
export type Sent<J> = J extends unknown ? Omit<J, 'accountId'> & { accountId?: string } : never;

/** The tokens in a pass's links, and its bundle's. */
export type ShownTokens = LinkTokens & { bundle: string | null };

/** Calls from tests to the bindings of the Worker under test. */
export interface BindingCalls {
  /** Returns a statement's rows in each of the databases. */
  sql: { in: BoundStatement & { databases: string[] }; out: Record<string, unknown>[] };
  /** Returns the rows of each statement. */
  sqlTogether: { in: { statements: BoundStatement[]; database: string }; out: Record<string, unknown>[][] };
  /** Returns the columns in any database that contain one of the texts, as `table.column`. */
  columnsHolding: { in: { texts: string[]; tables: string[] }; out: string[] };
  send: { in: { jobs: Sent<Job>[] }; out: null };
  wake: { in: { deliveryJobs: Sent<DeliveryJob>[] }; out: null };
  bury: { in: { bodies: object[] }; out: null };
  /** Returns the names of stored files that begin with `prefix`. */
  storedKeys: { in: { prefix: string }; out: string[] };
  /** Returns the tokens in a pass's links, which the database stores encrypted. */
  linkTokens: { in: { passId: string }; out: ShownTokens };
  /** Returns the stored files whose name or content contains one of the texts; skips those stored before `since`. */
  filesHolding: { in: { texts: string[]; since: number }; out: string[] };
}

/** The service itself never sends to the dead-letter queue; the platform does. */
type Bindings = Env & TestDatabases & { DEAD_LETTERS: Queue };

type Handlers = {
  [Name in keyof BindingCalls]: (env: Bindings, input: BindingCalls[Name]['in']) => Promise<BindingCalls[Name]['out']>;
};

/** Returns the database of an object, by its identifier. */
function databaseOf(env: Bindings, id: string): D1Database {
  const shard = shardOf(id);
  return shard === 0 ? env.DB : env[`DB_${shard}`]!;
}

const HANDLERS: Handlers = {
  async sql(env, { sql, params, databases }) {
    const bindings = databases.map((name) => Reflect.get(env, name) as D1Database);
    const answers = await Promise.all(
      bindings.map((binding) =>
        binding
          .prepare(sql)
          .bind(...params)
          .all(),
      ),
    );
    return answers.flatMap(({ results }) => results);
  },
  async sqlTogether(env, { statements, database }) {
    const binding = Reflect.get(env, database) as D1Database;
    const answers = await binding.batch(statements.map(({ sql, params }) => binding.prepare(sql).bind(...params)));
    return answers.map(({ results }) => results as Record<string, unknown>[]);
  },
  async columnsHolding({ TEST_DATABASES, TEST_DATABASE_IDS }, { texts, tables }) {
    const objects = Object.values(TEST_DATABASE_IDS).map((id) => TEST_DATABASES.get(TEST_DATABASES.idFromString(id)));
    return (await Promise.all(objects.map((object) => object.columnsHolding(texts, tables)))).flat();
  },
  async send({ JOBS }, { jobs }) {
    await JOBS.sendBatch(jobs.map((body) => ({ body })));
    return null;
  },
  async wake({ WEBHOOKS }, { deliveryJobs }) {
    await WEBHOOKS.sendBatch(deliveryJobs.map((body) => ({ body })));
    return null;
  },
  async bury({ DEAD_LETTERS }, { bodies }) {
    await DEAD_LETTERS.sendBatch(bodies.map((body) => ({ body })));
    return null;
  },
  storedKeys: async ({ FILES }, { prefix }) => (await FILES.list({ prefix })).objects.map(({ key }) => key),
  async linkTokens(env, { passId }) {
    const [pass] = await openDatabase(databaseOf(env, passId)).db.select().from(passes).where(eq(passes.id, passId));
    if (!pass) throw new Error(`there is no pass ${passId}`);
    return { ...openTokens(env, pass), bundle: openBundleCopy(env, pass) ?? null };
  },
  async filesHolding({ FILES }, { texts, since }) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const listed = await FILES.list({ cursor });
      for (const { key, uploaded } of listed.objects) {
        if (uploaded.getTime() < since) continue;
        const content = new TextDecoder('latin1').decode(await (await FILES.get(key))?.arrayBuffer());
        if (texts.some((text) => key.includes(text) || content.includes(text))) found.push(key);
      }
      cursor = listed.truncated ? listed.cursor : undefined;
    } while (cursor);
    return found;
  },
};

/**
 * A second Worker with the bindings of the one under test: `POST /<call>` with JSON input answers JSON output.
 * Miniflare's own binding proxies block their process until the runtime answers, and a runtime that logs meanwhile
 * waits for that process to read.
 */
export default {
  async fetch(request, env) {
    const handle = HANDLERS[new URL(request.url).pathname.slice(1) as keyof BindingCalls];
    try {
      return Response.json(
        await (handle as (env: Bindings, input: unknown) => Promise<unknown>)(env, await request.json()),
      );
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
} satisfies ExportedHandler<Bindings>;
