/*
 * Names of runs that claim the values of a property that becomes unique. A process carries out the run of a template
 * with many passes. Its name contains its progress, so that a page and the progress are one batch in the same database:
 * `process/<process>/<claimed passes>/<last pass>`, in the end `process/<process>/<claimed passes>/done`.
 */

const PREFIX = 'process/';
/** Stands for the last pass in the name of a run that has claimed all values. */
export const DONE = 'done';
const REQUEST_LEASE_MS = 60_000;
/** Longer than a process can be silent, and enough to repeat a request whose reply was lost. */
const PROCESS_LEASE_MS = 15 * 60_000;

/** Progress of a run that a process carries out. */
export interface ProcessRun {
  processId: string;
  /** Number of passes whose values are claimed. */
  claimed: number;
  /** The last of them; empty: none yet. */
  after: string;
  isDone: boolean;
}

/** Returns the name of a run that a process begins. */
export function newProcessRun(processId: string): string {
  return `${processRunPrefix(processId)}0/`;
}

/** Returns what all names of a process's run begin with. */
export function processRunPrefix(processId: string): string {
  return `${PREFIX}${processId}/`;
}

/** Returns the progress in the name of a run; undefined for the run of a request, or none. */
export function processRunOf(run: string | null): ProcessRun | undefined {
  if (!run?.startsWith(PREFIX)) return undefined;
  const [processId = '', claimed, after = ''] = run.slice(PREFIX.length).split('/');
  return { processId, claimed: Number(claimed), after: after === DONE ? '' : after, isDone: after === DONE };
}

/** Returns for how long a run stays without progress, in milliseconds. */
export function leaseOf(run: string): number {
  return run.startsWith(PREFIX) ? PROCESS_LEASE_MS : REQUEST_LEASE_MS;
}
