import { setTimeout as delay } from 'node:timers/promises';
import type { RunCommand } from '../admin-worker.ts';

const ATTEMPTS_MAX = 4;
const DELAY_MS = 1_000;

/**
 * Retries commands, so that one lost connection doesn't fail a copy that takes hours. A page may be delivered twice.
 */
export function patient(run: RunCommand): RunCommand {
  return async <T>(command: string, options?: Record<string, unknown>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run<T>(command, options);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX) throw error;
        await delay(DELAY_MS * 2 ** (attempt - 1));
      }
    }
  };
}
