import { backOff } from '../platform/back-off.ts';
import { DomainError } from './errors.ts';

/** Each time at least one rival succeeds, so this is also how many may compete. */
const ATTEMPTS_MAX = 100;

/**
 * Runs `attempt` until it has a result: it returns undefined when another change came between its reading and its
 * writing. Rivals wait for random times, so that few of them meet again. Throws `conflict`, naming `subject` ("the
 * pass"), when that does not end.
 */
export async function untilWritten<T>(
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
