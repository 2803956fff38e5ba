/*
 * `Date` is the machine's clock, except in a local service whose developer has advanced it (`dev/clock/`). Other clocks
 * go on as they were: those of queues, alarms and files, and those of receivers and providers.
 */

/** From a time of the machine's clock on, UTC milliseconds, `Date` is ahead of it by so much. */
export interface ClockStep {
  machineAt: number;
  offsetMs: number;
}

/** How `Date` was advanced, oldest first; nothing in a deployment. */
let steps: readonly ClockStep[] = [];

/** How `Date` was advanced so far. */
export function clockSteps(): readonly ClockStep[] {
  return steps;
}

/** Notes how `Date` was advanced; only what advances it may call this. */
export function setClockSteps(taken: readonly ClockStep[]): void {
  steps = taken;
}

/** Milliseconds by which `Date` is ahead of the machine's clock. */
export function clockOffset(): number {
  return steps.at(-1)?.offsetMs ?? 0;
}

/** The machine's clock, for what somebody else compares with theirs, such as the time of a signature. */
export function machineNow(): number {
  return Date.now() - clockOffset();
}

/** When the machine's clock will say what `Date` says at a time to come: alarms ring by the machine's. */
export function machineTime(at: number): number {
  return at - clockOffset();
}

/** What `Date` said when the machine's clock said `machineAt`, which files and messages are stamped with. */
export function serviceTime(machineAt: number): number {
  return machineAt + (steps.findLast((step) => step.machineAt <= machineAt)?.offsetMs ?? 0);
}
