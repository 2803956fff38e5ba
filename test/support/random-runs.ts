import type { Parameters } from 'fast-check';

/**
 * The seed of every random test, unless FC_SEED names another: a run that turns red tells of a change, never of luck.
 */
const SEED = 20260101;

/**
 * How a random test runs: `runs` cases (FC_RUNS multiplies them) from a fixed seed. No new case begins after
 * `limitMillis`, so a slow machine looks at fewer of them, and making a counterexample smaller ends then, too. A
 * failure prints its seed and path; `FC_SEED=… npm test -- <file>` runs it again.
 */
export function randomRuns<Ts>(runs: number, limitMillis: number): Parameters<Ts> {
  return {
    seed: Number(process.env.FC_SEED ?? SEED),
    numRuns: Math.ceil(runs * Number(process.env.FC_RUNS ?? 1)),
    interruptAfterTimeLimit: limitMillis * Number(process.env.FC_RUNS ?? 1),
  };
}
