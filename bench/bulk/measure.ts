import { actForAccount } from '../../src/domain/accounts/find-account.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import { updatePasses } from '../../src/domain/passes/bulk/bulk-update.ts';
import { ledgerOf } from '../../src/domain/processes/ledger.ts';
import { updatesOf } from '../../src/domain/processes/process-items.ts';
import { RANGE_ITEMS_MAX } from '../../src/domain/processes/process-state.ts';
import { openDatabase } from '../../src/platform/db.ts';
import type { Env } from '../../src/platform/env.ts';
import { type BoundStatement, d1Over } from '../../test/support/d1-over.ts';
import { jobQueues } from '../../test/support/fake-queue.ts';
import { JobLog } from '../job-log.ts';
import { pin, residentMiB } from '../processors.ts';
import { type Results, result } from '../results.ts';
import { quantile } from '../rounds.ts';
import type { BenchOptions } from '../run-options.ts';
import { type Crowd, contextOf, runStatements } from '../search/measure.ts';
import { crowdId } from '../seed.ts';
import { type RunningWorkers, startWorkers } from '../workers.ts';

/** Maximum number of passes in one operation. */
const PASSES_MAX = 100_000;
const ROUNDS = 3;
/** Interval for checking a process and its memory, in milliseconds. */
const LOOK_MS = 100;

type Pair = RunningWorkers<'ours' | 'floor'>;

/**
 * Changes many passes by one API call, and the same passes by bare D1 batches: the product's own, prepared in advance
 * and sent in sequence. Each round changes the same passes again on both sides.
 */
export async function measureBulk(crowd: Crowd, { say, processors }: BenchOptions): Promise<Results> {
  const passes = Math.min(PASSES_MAX, crowd.passes);
  const rates: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] };
  const peaks: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] };
  const written = { ours: 0, floor: 0 };
  const log = new JobLog();
  for (let round = 0; round < ROUNDS; round++) {
    say(`Changing ${passes.toLocaleString('en')} passes, round ${round + 1} of ${ROUNDS} …`);
    // A separate process for each side, so that their memory can be told apart.
    await withWorkers(crowd, log, async (workers) => {
      const batches = await recordBatches(workers, crowd, passes, `floor ${round}`);
      pin(workers.pid, processors?.server);
      const peak = watchMemory(workers.pid);
      const begin = performance.now();
      written.floor = 0;
      for (const batch of batches) {
        const results = await runStatements(workers.origins.floor, batch, '?quiet');
        written.floor += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
      }
      rates.floor.push((passes * 1000) / (performance.now() - begin));
      peaks.floor.push(peak());
    });
    await withWorkers(crowd, log, async (workers) => {
      pin(workers.pid, processors?.server);
      const peak = watchMemory(workers.pid);
      log.clear();
      rates.ours.push((passes * 1000) / (await patchAll(workers, crowd, passes, `ours ${round}`)));
      peaks.ours.push(peak());
      await log.settle();
      written.ours = log.sum().rowsWritten;
    });
  }
  const ratio = quantile(rates.ours.map((rate, i) => rate / rates.floor[i]!));
  return {
    bulk_patch: result(quantile(rates.ours), quantile(rates.floor), 'passes/s', ratio),
    bulk_patch_memory: result(Math.max(...peaks.ours), Math.max(...peaks.floor), 'MiB of workerd, at most'),
    bulk_patch_rows: result(written.ours / passes, written.floor / passes, 'rows written/pass'),
  };
}

async function withWorkers(crowd: Crowd, log: JobLog, work: (workers: Pair) => Promise<void>): Promise<void> {
  const { ours, floor } = crowd.workers;
  const workers = await startWorkers({ ours: { ...ours, consumes: true }, floor }, crowd.stateDir, log.take);
  try {
    await work(workers);
  } finally {
    await workers.stop();
  }
}

/** The change on both sides: one property gets another value. */
const change = (mark: string) => ({ note: `Changed by ${mark}` });

/**
 * Returns the batches of statements, with their operands, with which the product changes the passes. Runs none of them.
 */
async function recordBatches(workers: Pair, crowd: Crowd, passes: number, mark: string): Promise<BoundStatement[][]> {
  const batches: BoundStatement[][] = [];
  const writes = ({ sql }: BoundStatement) => /^(insert|update|delete|with .* (insert|update))/i.test(sql);
  const binding = d1Over(async (statements) => {
    if (!statements.some(writes)) return runStatements(workers.origins.floor, statements);
    batches.push(statements);
    // Pretend that every change succeeded: the update is the last statement, and returns a row per pass.
    const ids = JSON.stringify(statements.at(-1)!.params).match(/0198f0[0-9a-f-]{30}/g) ?? [];
    const done = [...new Set(ids)].map((id) => ({ id }));
    return statements.map((_, i) => ({ results: i === statements.length - 1 ? done : [], meta: {} }) as D1Result);
  });
  const ctx = await recordingContext(binding, crowd, workers);
  for (let from = 1; from <= passes; from += RANGE_ITEMS_MAX) {
    const last = Math.min(from + RANGE_ITEMS_MAX - 1, passes);
    const items = Array.from({ length: last - from + 1 }, (_, i) => ({ seq: from + i, key: crowdId(from + i) }));
    const operation = { kind: 'update', mode: 'patch', data: change(mark) } as Parameters<typeof updatesOf>[0];
    await updatePasses(ctx, updatesOf(operation, items), ledgerOf(ctx, mark, { first: from, last }));
  }
  return batches;
}

async function recordingContext(binding: D1Database, { accountId }: Crowd, workers: Pair): Promise<AccountContext> {
  const reading = await contextOf(workers, accountId);
  const env = { DB: binding, BASE_URL: '', ...jobQueues() } as Env;
  return actForAccount({ ...reading, env, ...openDatabase(binding) }, accountId);
}

/** Changes the passes by one call and waits for the process. Returns the milliseconds from the call to the end. */
async function patchAll(workers: Pair, { apiKey, templateId }: Crowd, passes: number, mark: string): Promise<number> {
  const headers = { Authorization: apiKey, 'Content-Type': 'application/json' };
  const query = {
    templateId,
    groups: [
      [
        { field: 'barcodeValue', operator: 'beginsWith', value: 'CROWD' },
        { field: 'userProvidedId', operator: 'lowerThanOrEquals', value: `member-${String(passes).padStart(9, '0')}` },
      ],
    ],
  };
  const begin = performance.now();
  const reply = await fetch(`${workers.origins.ours}/api/v3/pass/bulk`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ data: change(mark), filter: { query } }),
  });
  const { data, count } = (await reply.json()) as { data: { processId: string }; count: number };
  if (count !== passes) throw new Error(`${count} passes were selected instead of ${passes}`);
  for (;;) {
    const { data: process } = (await (
      await fetch(`${workers.origins.ours}/api/v3/process/${data.processId}`, { headers })
    ).json()) as { data: { status: string; current: number; errors: unknown } };
    if (process.status === 'finished' && process.current === passes) return performance.now() - begin;
    if (process.status.startsWith('finished')) throw new Error(`the process ended with ${JSON.stringify(process)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Watches a process's memory. The returned function stops that and returns the peak, in MiB. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, residentMiB(pid));
  };
  look();
  const timer = setInterval(look, 5 * LOOK_MS);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}
