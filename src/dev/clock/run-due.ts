import { gt, isNull, or } from 'drizzle-orm';
import type { Context } from '../../domain/context.ts';
import { forEachDatabase, usedDatabases } from '../../domain/databases/list-databases.ts';
import type { Tick } from '../../domain/jobs.ts';
import { PRUNE_DELAY_MS } from '../../domain/processes/process-row.ts';
import { processStub } from '../../domain/processes/process-stub.ts';
import { processes } from '../../domain/processes/table.ts';
import { PAGE_ROWS } from '../../domain/purge.ts';
import { DIRECTORY } from '../../domain/shard-map.ts';
import { machineNow } from '../../platform/clock.ts';
import { mapConcurrent } from '../../platform/concurrency.ts';
import { activity, type EndedUnit, forgetSent, noteSent } from '../activity.ts';

/** Maximum cron runs at one moment, if each leaves work for the next. */
const ROUNDS_MAX = 50;
const DAY_MS = 24 * 60 * 60_000;
const PROCESSES_MAX = 100;
const PROCESSES_AT_A_TIME = 6;

/**
 * Does all due work, and the work that follows from it. A unit in `units` that filled a page may have left more.
 * Returns false if some work doesn't end.
 */
export async function runDue(ctx: Context, units: EndedUnit[], noteProgress: () => void): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = units.length;
    for (const begin of [tickOthers, tickDirectory, ringProcesses]) {
      await begin(ctx);
      if (!(await waitUntilIdle(noteProgress))) return false;
    }
    if (!units.slice(before).some(({ rowsWritten }) => rowsWritten >= PAGE_ROWS)) return true;
  }
  return true;
}

/** Runs the cron tasks in all databases except the first. */
async function tickOthers(ctx: Context): Promise<void> {
  const others = (await usedDatabases(ctx)).filter(({ name }) => name !== DIRECTORY);
  await Promise.all(others.map(({ name }) => tick(ctx, name)));
}

/** The first database comes last, because one of its tasks checks the others. */
const tickDirectory = (ctx: Context): Promise<void> => tick(ctx, DIRECTORY);

async function tick({ env }: Context, database: string): Promise<void> {
  const message: Tick = { type: 'tick', database };
  noteSent(env, [message]);
  await env.TICKS.send(message);
}

/** Wakes open processes, because their alarms follow the machine's clock. */
async function ringProcesses(ctx: Context): Promise<void> {
  const since = Date.now() - PRUNE_DELAY_MS - 2 * DAY_MS;
  await forEachDatabase(ctx, async (there) => {
    const open = await there.db
      .select({ id: processes.id })
      .from(processes)
      .where(or(isNull(processes.finishedAt), gt(processes.finishedAt, since)))
      .limit(PROCESSES_MAX);
    await mapConcurrent(open, PROCESSES_AT_A_TIME, ({ id }) => processStub(there, id).wake());
  });
}

const POLL_MS = 5;
/** A local queue delivers within a second or two. */
const LOST_MS = 5_000;
/** Longer than any request of the service takes. */
const STUCK_MS = 40_000;

/** Waits until no work is running. Returns false if work neither ends nor makes progress. */
export async function waitUntilIdle(noteProgress: () => void): Promise<boolean> {
  let { moves } = activity();
  let since = machineNow();
  for (;;) {
    const seen = activity();
    if (seen.sent === 0 && seen.running === 0) return true;
    if (seen.moves !== moves) {
      moves = seen.moves;
      since = machineNow();
    }
    const silentMs = machineNow() - since;
    if (seen.running === 0 && silentMs > LOST_MS) forgetSent();
    if (silentMs > STUCK_MS) return false;
    noteProgress();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
