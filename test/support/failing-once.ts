import { d1Around } from './d1-over.ts';

/** Returns a D1 whose first round trip fails: `before` it takes effect, or `after`, when only the answer is lost. */
export function failingOnce(d1: D1Database, when: 'before' | 'after'): D1Database {
  let roundTrips = 0;
  return d1Around(d1, async (work) => {
    if (roundTrips++ > 0) return work();
    if (when === 'after') await work();
    throw new Error('D1_ERROR: the connection is lost');
  });
}

/**
 * Returns a D1 whose first write fails, `before` or `after` it takes effect. With `isDead`, everything afterwards
 * fails, too.
 */
export function failingWrite(
  d1: D1Database,
  when: 'before' | 'after',
  { message, isDead }: { message: string; isDead: boolean },
): D1Database {
  let failed = false;
  return d1Around(d1, async (work, statements) => {
    if (failed && isDead) throw new Error(message);
    if (failed || !statements.some(({ sql }) => !sql.startsWith('select'))) return work();
    failed = true;
    if (when === 'after') await work();
    throw new Error(message);
  });
}
