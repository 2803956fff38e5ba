import { isLocalService } from '../platform/local-request.ts';

/*
 * Tracks work that a local service does behind its replies, so that the dev clock can wait for it to end. A deployment
 * tracks nothing.
 */

/** A finished unit of work. */
export interface EndedUnit {
  /** UTC milliseconds. */
  at: number;
  /** The members of its log line. */
  line: Record<string, unknown>;
  status: string;
  rowsWritten: number;
}

/** Messages that were sent but haven't arrived, by their content. */
const sent = new Map<string, number>();
let running = 0;
/** Increases with every activity. */
let moves = 0;
let listener: ((unit: EndedUnit) => void) | undefined;

type LocalEnv = { ADMIN_TOKEN?: string };

/** Records messages that a queue delivers at once. */
export function noteSent(env: LocalEnv, bodies: unknown[]): void {
  if (!isLocalService(env)) return;
  moves += 1;
  for (const key of bodies.map((body) => JSON.stringify(body))) sent.set(key, (sent.get(key) ?? 0) + 1);
}

/** Tracks work while it runs. `arrived` are the messages that started it. */
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

/** Reports a finished unit of work to the listener. */
export function noteEnded(unit: Omit<EndedUnit, 'at'>): void {
  listener?.({ at: Date.now(), ...unit });
}

/** Sets the only listener for finished units. It replaces the previous one. */
export function listenToUnits(to: ((unit: EndedUnit) => void) | undefined): void {
  listener = to;
}

/** Returns the current activity. `moves` changes whenever something happens. */
export const activity = () => ({ sent: sent.size, running, moves });

/** Treats messages that haven't arrived as lost. */
export function forgetSent(): void {
  sent.clear();
}
