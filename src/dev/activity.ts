import { isLocalService } from '../platform/local-request.ts';

/*
 * What a local service is doing behind replies, so that its clock can wait until a moment is over. A deployment notes
 * nothing.
 */

/** A unit of work that has ended. */
export interface EndedUnit {
  /** UTC milliseconds. */
  at: number;
  /** What the log line names it by. */
  line: Record<string, unknown>;
  status: string;
  rowsWritten: number;
}

/** Messages that are on their way, by their content. */
const sent = new Map<string, number>();
let running = 0;
/** Rises with whatever happens. */
let moves = 0;
let listener: ((unit: EndedUnit) => void) | undefined;

type LocalEnv = { ADMIN_TOKEN?: string };

/** Notes messages that a queue is to deliver at once. */
export function noteSent(env: LocalEnv, bodies: unknown[]): void {
  if (!isLocalService(env)) return;
  moves += 1;
  for (const key of bodies.map((body) => JSON.stringify(body))) sent.set(key, (sent.get(key) ?? 0) + 1);
}

/** Notes work while it runs; `arrived` are messages that have come with it. */
export async function whileRunning<T>(env: LocalEnv, work: () => Promise<T>, arrived: unknown[] = []): Promise<T> {
  if (!isLocalService(env)) return work();
  for (const key of arrived.map((body) => JSON.stringify(body))) {
    const left = (sent.get(key) ?? 0) - 1;
    if (left > 0) sent.set(key, left);
    else sent.delete(key);
  }
  running += 1;
  moves += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    moves += 1;
  }
}

/** Tells whoever listens of a unit of work that has ended. */
export function noteEnded(unit: Omit<EndedUnit, 'at'>): void {
  listener?.({ at: Date.now(), ...unit });
}

/** Has ended units told to one listener, in place of the one before. */
export function listenToUnits(to: ((unit: EndedUnit) => void) | undefined): void {
  listener = to;
}

/** What is under way; `moves` is another number once something has happened. */
export function activity() {
  return { sent: sent.size, running, moves };
}

/** Counts messages as lost that have not come. */
export function forgetSent(): void {
  sent.clear();
}
