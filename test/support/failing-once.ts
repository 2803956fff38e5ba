import { d1Around } from './d1-over.ts';

/** A D1 whose first round trip fails: `before` it has taken effect, or `after`, when only the answer is lost. */
export function failingOnce(d1: D1Database, when: 'before' | 'after'): D1Database {
  let roundTrips = 0;
  return d1Around(d1, async (work) => {
    if (roundTrips++ > 0) return work();
    if (when === 'after') await work();
    throw new Error('D1_ERROR: the connection is lost');
  });
}
