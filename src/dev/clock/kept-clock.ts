import * as z from 'zod';
import { type ClockStep, clockOffset, clockSteps, machineNow, setClockSteps } from '../../platform/clock.ts';

/** Lies beside the data, whose times it belongs to. */
const FILE = 'dev/clock.json';
/** Steps that are remembered: older ones only say when old files were stored. */
const STEPS_MAX = 1_000;

const Steps = z.array(z.object({ machineAt: z.int(), offsetMs: z.int().min(0) }));

/** How the clock of this state was advanced, oldest first. */
export async function readSteps(files: R2Bucket): Promise<ClockStep[]> {
  const file = await files.get(FILE);
  return file ? Steps.parse(JSON.parse(await file.text())) : [];
}

/** Advances the clock to so many milliseconds ahead of the machine's, and keeps that for the next start. */
export async function moveClock(files: R2Bucket, offsetMs: number): Promise<void> {
  if (offsetMs <= clockOffset()) return;
  const steps = [...clockSteps(), { machineAt: machineNow(), offsetMs }].slice(-STEPS_MAX);
  // Kept first: rows must not be of a time that a restart goes behind.
  await files.put(FILE, JSON.stringify(steps));
  setClockSteps(steps);
  shiftDate();
}

let isShifted = false;

/** From now on `Date` is ahead as the clock says: `Date.now()`, and dates that are made without a time. */
export function shiftDate(): void {
  if (isShifted) return;
  isShifted = true;
  const machine = globalThis.Date;
  const now = () => machine.now() + clockOffset();
  // Dates are those of the machine's class, so that nothing else can tell.
  globalThis.Date = new Proxy(machine, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, given, made) =>
      Reflect.construct(target, given.length > 0 ? given : [now()], made === globalThis.Date ? target : made),
    apply: () => new machine(now()).toString(),
  });
}
