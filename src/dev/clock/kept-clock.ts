import * as z from 'zod';
import { type ClockStep, clockOffset, clockSteps, machineNow, setClockSteps } from '../../platform/clock.ts';

/** Stored next to the data, whose times depend on it. */
const FILE = 'dev/clock.json';
/** Number of steps to keep. Older ones only determine when old files were stored. */
const STEPS_MAX = 1_000;

const Steps = z.array(z.object({ machineAt: z.int(), offsetMs: z.int().min(0) }));

/** Returns how the clock was advanced, oldest step first. */
export async function readSteps(files: R2Bucket): Promise<ClockStep[]> {
  const file = await files.get(FILE);
  return file ? Steps.parse(JSON.parse(await file.text())) : [];
}

/** Sets the clock `offsetMs` milliseconds ahead of the machine's and stores that for the next start. */
export async function moveClock(files: R2Bucket, offsetMs: number): Promise<void> {
  if (offsetMs <= clockOffset()) return;
  const steps = [...clockSteps(), { machineAt: machineNow(), offsetMs }].slice(-STEPS_MAX);
  // Stored first, so that a restart never sets the clock back behind the times of rows.
  await files.put(FILE, JSON.stringify(steps));
  setClockSteps(steps);
  shiftDate();
}

let isShifted = false;

/** Shifts `Date` by the offset of the clock: `Date.now()`, and dates created without a time. */
export function shiftDate(): void {
  if (isShifted) return;
  isShifted = true;
  const machine = globalThis.Date;
  const now = () => machine.now() + clockOffset();
  // Dates remain instances of the original class, so other code can't tell the difference.
  globalThis.Date = new Proxy(machine, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, given, made) =>
      Reflect.construct(target, given.length > 0 ? given : [now()], made === globalThis.Date ? target : made),
    apply: () => new machine(now()).toString(),
  });
}
