import type { Parameters } from 'fast-check';

/**
 * The seed of every random test, unless FC_SEED sets another, so that a failure comes from a change, never from chance.
 */
const SEED = 20260101;

/**
 * Returns parameters for a random test: `runs` cases (multiplied by FC_RUNS) from a fixed seed. No case, and no
 * shrinking, starts after `limitMillis`, so a slow machine checks fewer. A failure prints its seed and path; repeat it
 * with `FC_SEED=… npm test -- <file>`.
 */
export function randomRuns<Ts>(runs: number, limitMillis: number): Parameters<Ts> {
  return {
    seed: Number(process.env.FC_SEED ?? SEED),
    numRuns: Math.ceil(runs * Number(process.env.FC_RUNS ?? 1)),
    interruptAfterTimeLimit: limitMillis * Number(process.env.FC_RUNS ?? 1),
  };
}
