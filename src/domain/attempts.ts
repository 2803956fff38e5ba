import { backOff } from '../platform/transient-error.ts';
import { DomainError } from './errors.ts';

/** Maximum number of attempts. At least one rival succeeds each time, so this many rivals may compete. */
const ATTEMPTS_MAX = 100;

/**
 * Runs `attempt` until it returns a result. It returns undefined if another change was committed between its read and
 * its write. Rivals back off for random times, so that few collide again. Throws `conflict`, naming `subject` ("the
 * pass"), after the last attempt.
 */
export async function retryUntilWritten<T>(
  subject: 'The pass' | 'The passes' | 'The template' | 'The API key',
  attempt: (isFirst: boolean) => Promise<T | undefined>,
): Promise<T> {
  for (let failed = 0; failed < ATTEMPTS_MAX; failed++) {
    if (failed > 0) await backOff(failed);
    const result = await attempt(failed === 0);
    if (result !== undefined) return result;
  }
  const verb = subject === 'The passes' ? 'are' : 'is';
  throw new DomainError('conflict', `${subject} ${verb} being changed by many requests at once; try again`);
}
