/*
 * `Date` is the machine's clock, unless the developer of a local service has advanced it (`dev/clock/`). Other clocks
 * stay as they are: those of queues, alarms and files, and those of receivers and providers.
 */

/** From the machine time `machineAt` on (UTC milliseconds), `Date` is `offsetMs` milliseconds ahead. */
export interface ClockStep {
  machineAt: number;
  offsetMs: number;
}

/** How `Date` was advanced, oldest step first; empty in a deployment. */
let steps: readonly ClockStep[] = [];

/** Returns how `Date` was advanced so far. */
export function clockSteps(): readonly ClockStep[] {
  return steps;
}

/** Sets how `Date` was advanced. Only the code that advances it may call this. */
export function setClockSteps(taken: readonly ClockStep[]): void {
  steps = taken;
}

/** Returns the milliseconds by which `Date` is ahead of the machine's clock. */
export function clockOffset(): number {
  return steps.at(-1)?.offsetMs ?? 0;
}

/** Returns the machine's time, for values that others compare with their clock, such as the time of a signature. */
export function machineNow(): number {
  return Date.now() - clockOffset();
}

/** Converts a future time of `Date` to machine time, which alarms follow. */
export function machineTime(at: number): number {
  return at - clockOffset();
}

/** Converts machine time to the time of `Date` at that moment. Files and messages have machine timestamps. */
export function serviceTime(machineAt: number): number {
  return machineAt + (steps.findLast((step) => step.machineAt <= machineAt)?.offsetMs ?? 0);
}
