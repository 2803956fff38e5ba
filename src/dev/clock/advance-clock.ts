import { type Column, sql } from 'drizzle-orm';
import { accountDeletions } from '../../domain/accounts/table.ts';
import { certificates } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { forEachDatabase } from '../../domain/databases/list-databases.ts';
import { deadLetters } from '../../domain/dead-letters/table.ts';
import { DomainError } from '../../domain/errors.ts';
import { imageChecks } from '../../domain/images/table.ts';
import { messages } from '../../domain/messages/table.ts';
import { notifications } from '../../domain/notifications/table.ts';
import { passErasures, passTombstones } from '../../domain/passes/table.ts';
import { pendingPushes, pushFanOuts, pushPages } from '../../domain/pushes/table.ts';
import { accountQuotas } from '../../domain/quotas/table.ts';
import { uniquePropertyChanges } from '../../domain/templates/table.ts';
import { webhookDeliveries, webhookSubscriptions } from '../../domain/webhooks/table.ts';
import { clockOffset, machineNow } from '../../platform/clock.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { type EndedUnit, listenToUnits } from '../activity.ts';
import { moveClock } from './kept-clock.ts';
import { Report } from './report.ts';
import { runDue, waitUntilIdle } from './run-due.ts';

/** A caller can disappear without ending its advance, so the lock expires after this time. */
const SILENCE_MS_MAX = 10_000;

/** End of the lock on the clock, in machine time. A running advance extends it. */
let lockedUntil = 0;

interface Advanced {
  report: Report;
  /** Whether all work has ended. Long-running work continues after the reply. */
  isSettled: boolean;
}

/**
 * Advances the clock of a local service. It stops at each due time until the work there is done, so that things happen
 * in order and on time. Throws a conflict while another caller advances it.
 */
export async function advanceClock(ctx: Context, advanceMs: number): Promise<Advanced> {
  if (machineNow() < lockedUntil) throw new DomainError('conflict', 'The clock is being advanced; wait for that reply');
  const noteProgress = () => {
    lockedUntil = machineNow() + SILENCE_MS_MAX;
  };
  noteProgress();
  const units: EndedUnit[] = [];
  listenToUnits((unit) => void units.push(unit));
  try {
    return await advance(ctx, advanceMs, units, noteProgress);
  } finally {
    listenToUnits(undefined);
    lockedUntil = 0;
  }
}

async function advance(
  ctx: Context,
  advanceMs: number,
  units: EndedUnit[],
  noteProgress: () => void,
): Promise<Advanced> {
  const goalOffset = clockOffset() + advanceMs;
  const report = await Report.begin(ctx);
  // Work that was requested earlier belongs to the time before the advance.
  let isSettled = await waitUntilIdle(noteProgress);
  for (let stops = 0; clockOffset() < goalOffset; stops++) {
    const now = Date.now();
    const goal = machineNow() + goalOffset;
    const stop = nextStop(now, goal, await nextDueAt(ctx, now), stops);
    await moveClock(ctx.env.FILES, stop === goal ? goalOffset : stop - machineNow());
    const expired = await report.expired(ctx);
    isSettled = (await runDue(ctx, units, noteProgress)) && isSettled;
    await report.add(ctx, units.splice(0), expired);
    noteProgress();
  }
  return { report, isSettled };
}

/**
 * Columns that hold the time of pending work. Work that depends on the age of rows runs once a day and isn't listed.
 */
export const DUE: Column[] = [
  accountDeletions.dueAt,
  accountQuotas.notifyAt,
  certificates.refreshAt,
  certificates.warnAt,
  deadLetters.dueAt,
  imageChecks.dueAt,
  messages.dueAt,
  notifications.dueAt,
  passErasures.dueAt,
  passTombstones.googleDueAt,
  pendingPushes.dueAt,
  pushFanOuts.dueAt,
  pushPages.dueAt,
  uniquePropertyChanges.dueAt,
  webhookDeliveries.nextAttemptAt,
  webhookSubscriptions.notifyOwnerAt,
];

/** Returns the next due time after `after` in any database, or undefined if nothing waits. */
async function nextDueAt(ctx: Context, after: number): Promise<number | undefined> {
  const each = DUE.map((column) => sql`(select min(${column}) from ${column.table} where ${column} > ${after})`);
  const all = sql`select json_array(${sql.join(each, sql`, `)}) as times`;
  const found = await forEachDatabase(ctx, ({ db }) => rawStatement<{ times: string }>(db, all));
  const times = found.flat().flatMap((row) => JSON.parse(row.times) as (number | null)[]);
  const known = times.filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : undefined;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Precision of stops. A request with many stops uses larger steps, so that it comes to an end. */
const GRAINS = [
  { stops: 200, ms: SECOND_MS },
  { stops: 1_000, ms: MINUTE_MS },
  { stops: Number.POSITIVE_INFINITY, ms: HOUR_MS },
];

/**
 * Returns the next stop of a clock that is advanced to `goal`: the first due time or the next midnight in UTC, so that
 * work happens in order. `stops` is the number of stops so far.
 */
export function nextStop(now: number, goal: number, dueAt: number | undefined, stops: number): number {
  const { ms } = GRAINS.find((grain) => stops < grain.stops)!;
  const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const due = dueAt === undefined ? goal : Math.ceil(dueAt / ms) * ms;
  return Math.min(due, midnight, goal);
}
