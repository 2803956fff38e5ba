import type { Context } from '../../domain/context.ts';
import { DomainError } from '../../domain/errors.ts';
import { clockOffset, machineNow } from '../../platform/clock.ts';
import { type EndedUnit, listenToUnits } from '../activity.ts';
import { nextDueAt } from './due-times.ts';
import { moveClock } from './kept-clock.ts';
import { nextStop } from './next-stop.ts';
import { Report } from './report.ts';
import { runDue } from './run-due.ts';
import { waitUntilIdle } from './wait-until-idle.ts';

/** A caller can disappear without ending its advance, so the lock expires after this time. */
const SILENCE_MS_MAX = 10_000;

/** End of the lock on the clock, in machine time. A running advance extends it. */
let lockedUntil = 0;

export interface Advanced {
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
