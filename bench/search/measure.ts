import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { actForAccount } from '../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../src/domain/context.ts';
import { getPass } from '../../src/domain/passes/find-pass.ts';
import { indexPasses } from '../../src/domain/passes/search-index/index-pass.ts';
import { searchPasses } from '../../src/domain/search/search-passes.ts';
import { openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { type BoundStatement, d1Over } from '../../test/support/d1-over.ts';
import { pin } from '../processors.ts';
import { type Results, result } from '../results.ts';
import { quantile } from '../rounds.ts';
import type { BenchOptions } from '../run-options.ts';
import { type BuiltWorker, buildWorker, migrate, type RunningWorkers, startWorkers } from '../workers.ts';
import { PROPERTIES } from './crowd.ts';
import { fillCrowd, openStateDatabase } from './fill.ts';
import { FLOOR_CREATE, floorStatements, PAGE_SIZE, type Question, questionsOf } from './questions.ts';

/** A database with a crowd, and how to access it. */
export interface Crowd {
  stateDir: string;
  workers: Record<'ours' | 'floor', BuiltWorker>;
  adminToken: string;
  apiKey: string;
  accountId: string;
  templateId: string;
  passes: number;
}

const TEMPLATE = {
  name: 'Crowd',
  description: 'Membership card of the Northwind Climbing Hall',
  organizationName: 'Northwind Climbing Hall',
  type: 'generic',
  additionalProperties: PROPERTIES,
};

/** Builds both Workers and fills a database with a crowd. */
export async function makeCrowd({ folder, rows, say }: BenchOptions): Promise<Crowd> {
  const stateDir = join(folder, 'crowd');
  mkdirSync(stateDir);
  const [ours, floor] = await Promise.all([
    buildWorker(join(folder, 'crowd-ours')),
    buildWorker(join(folder, 'crowd-floor'), 'bench/statement-worker.ts'),
  ]);
  const adminToken = randomBytes(32).toString('hex');
  const baseUrl = 'https://passes.example.com';
  ours.variables = { BASE_URL: baseUrl, ADMIN_TOKEN: adminToken, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const crowd = { stateDir, workers: { ours, floor }, adminToken, passes: rows };
  say(`Storing ${rows.toLocaleString('en')} passes with ten properties each …`);
  const workers = await startWorkers(crowd.workers, stateDir);
  let facts: Pick<Crowd, 'apiKey' | 'accountId' | 'templateId'>;
  let fill: (database: ReturnType<typeof openStateDatabase>) => void;
  try {
    await migrate(workers.database);
    facts = await makeTemplate(workers, adminToken);
    const ctx = await contextOf(workers, facts.accountId);
    const { id } = await first<{ id: string }>(workers.database, 'select id from passes');
    const { pass } = await getPass(ctx, id);
    const row = await first<Record<string, string | number | null>>(workers.database, 'select * from passes');
    fill = (database) => fillCrowd(database, pass, row, rows, say);
  } finally {
    await workers.stop();
  }
  const database = openStateDatabase(stateDir, 'pass_terms');
  fill(database);
  database.close();
  return { ...crowd, ...facts };
}

async function makeTemplate({ origins }: RunningWorkers<'ours'>, adminToken: string) {
  const address = { origin: origins.ours, adminToken };
  const { accountId, apiKey } = await runAdminCommand<{ accountId: string; apiKey: string }>(
    address,
    'account create',
    {
      name: 'Crowd',
    },
  );
  const post = async (path: string, body: object) => {
    const headers = { Authorization: apiKey, 'Content-Type': 'application/json' };
    const reply = await fetch(origins.ours + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { data: { identifier: string } }).data.identifier;
  };
  const templateId = await post('/api/v2/pass-template', TEMPLATE);
  await post('/api/v3/pass', { data: { templateId, userProvidedId: 'first' } });
  return { accountId, apiKey, templateId };
}

async function first<Row>(database: D1Database, sql: string): Promise<Row> {
  return (await database.prepare(`${sql} limit 1`).first<Row>())!;
}

/** Returns a domain context in this process; the floor's Worker runs its statements. */
export async function contextOf({ origins }: RunningWorkers<'floor'>, accountId: string): Promise<AccountContext> {
  const binding = d1Over((statements) => runStatements(origins.floor, statements));
  const context: Context = {
    env: { DB: binding, BASE_URL: '' } as Env,
    ...openDatabase(binding),
    baseUrl: 'https://passes.example.com',
    requestId: 'bench',
    waitUntil: () => {},
  };
  return actForAccount(context, accountId);
}

/** Runs statements as one batch in the floor's Worker. */
export async function runStatements(origin: string, statements: BoundStatement[], query = ''): Promise<D1Result[]> {
  const reply = await fetch(`${origin}/${query}`, { method: 'POST', body: JSON.stringify(statements) });
  if (!reply.ok) throw new Error(`${await reply.text()} in ${statements.map(({ sql }) => sql).join('; ')}`);
  return (await reply.json()) as D1Result[];
}

/**
 * Asks each question of the API and of plain tables. Compares the milliseconds of a whole request with the floor's
 * batch (a page and its total), then the rows that D1 reads for them on both sides.
 */
export async function measureSearch(crowd: Crowd, { say, rounds, processors }: BenchOptions): Promise<Results> {
  const workers = await startWorkers(crowd.workers, crowd.stateDir);
  try {
    pin(workers.pid, processors?.server);
    const results: Results = {};
    for (const question of questionsOf(Math.floor(crowd.passes / 2) + 1)) {
      say(`Asking ${question.name} …`);
      const { total, rows, floorRows } = await rowsOf(workers, crowd, question);
      const times = await timesOf(workers, crowd, { ...question, total }, rounds);
      const name = `search: ${question.name}`;
      results[name] = result(times.ours, times.floor, 'ms', times.floor / times.ours);
      results[`${name}, rows`] = result(rows, floorRows, `rows read, ${total.toLocaleString('en')} found`);
    }
    results['search: rows written for a create'] = await writtenPerCreate(workers, crowd);
    return results;
  } finally {
    await workers.stop();
  }
}

async function rowsOf({ origins }: RunningWorkers<'floor'>, crowd: Crowd, question: Question) {
  const ctx = await contextOf({ origins } as RunningWorkers<'floor'>, crowd.accountId);
  const before = ctx.meter.rowsRead;
  const { total, rows } = await searchPasses(ctx, { query: withTemplate(crowd, question), pageSize: PAGE_SIZE });
  const [page, count] = await runStatements(origins.floor, floorStatements(question, total));
  const floorTotal = (count!.results[0] as { passes: number }).passes;
  // The template's first pass has no properties, so only a negation or `empty` selects it.
  if (total !== floorTotal && total !== floorTotal + 1) {
    throw new Error(`${question.name}: ${total} found, the floor finds ${floorTotal}`);
  }
  if (rows.length !== Math.min(total, PAGE_SIZE)) throw new Error(`${question.name}: ${rows.length} rows of ${total}`);
  const floorRows = page!.meta.rows_read + count!.meta.rows_read;
  return { total, rows: ctx.meter.rowsRead - before, floorRows };
}

const withTemplate = ({ templateId }: Crowd, { query }: Question) => ({ ...query, templateId });

/** Returns the median milliseconds of both sides, asked alternately. */
async function timesOf(
  { origins }: RunningWorkers<'ours' | 'floor'>,
  crowd: Crowd,
  question: Question & { total: number },
  rounds: number,
) {
  const ask = async (): Promise<void> => {
    const reply = await fetch(`${origins.ours}/api/v3/passinstance/search`, {
      method: 'POST',
      headers: { Authorization: crowd.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: withTemplate(crowd, question), pageSize: PAGE_SIZE }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${question.name}: ${reply.status} ${text}`);
  };
  const statements = floorStatements(question, question.total);
  const askFloor = async (): Promise<void> => void (await runStatements(origins.floor, statements));
  const times: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] };
  for (let round = -1; round < rounds; round++) {
    for (const [side, work] of [['ours', ask] as const, ['floor', askFloor] as const]) {
      const begin = performance.now();
      await work();
      if (round >= 0) times[side].push(performance.now() - begin);
    }
  }
  return { ours: quantile(times.ours), floor: quantile(times.floor) };
}

/**
 * Returns the rows that D1 writes for search when a pass is created, on both sides. Ours don't depend on the number of
 * properties; the floor writes one per index.
 */
async function writtenPerCreate({ origins, database }: RunningWorkers<'ours' | 'floor'>, crowd: Crowd) {
  const ctx = await contextOf({ origins } as RunningWorkers<'floor'>, crowd.accountId);
  const { pass } = await getPass(ctx, (await first<{ id: string }>(database, 'select id from passes')).id);
  const before = ctx.meter.rowsWritten;
  await ctx.db.batch(indexPasses(ctx, [{ pass, version: pass.version }]) as never);
  const ours = ctx.meter.rowsWritten - before;
  const results = await runStatements(origins.floor, FLOOR_CREATE);
  const floor = results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
  return result(ours, floor, 'rows written for search');
}
