import { DomainError } from '../errors.ts';
import { ATTEMPTS_MAX } from '../passes/change-pass.ts';

/** Runs `attempt` until it has a result: it returns undefined when another change came between its reading and its writing. Throws `conflict` when that does not end. */
export async function repeated<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < ATTEMPTS_MAX; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new DomainError('conflict', 'The passes are being changed by many requests at once; try again');
}
