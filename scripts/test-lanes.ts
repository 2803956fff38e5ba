import { availableParallelism } from 'node:os';
import { QUICK_FAULTS, withFaults } from '../test/support/fault-exceptions.ts';

/*
 * The lanes of `npm test`, each a run of vitest with its own Worker, except those of unit tests. Lanes share no state.
 */

/** Arguments for vitest, by lane. */
export type Lanes = Record<string, string[]>;

/** Splits a project into parts. */
function shards(project: string, count: number): Lanes {
  const names = Array.from({ length: count }, (_, i) => `${project} ${i + 1}`);
  return Object.fromEntries(names.map((name, i) => [name, ['--project', project, '--shard', `${i + 1}/${count}`]]));
}

/** The lanes of the quick check: as many as a small machine has cores. */
export const QUICK_LANES: Lanes = shards('unit', 2);

/**
 * The unit tests of a full run. In one process they take four fifths of the processor time that they take in several,
 * because each loads and compiles most of the modules.
 */
const UNIT_LANE: Lanes = shards('unit', 1);

/**
 * How much less urgent other lanes are. Each has several processes, which would leave too little to that one. With more
 * it would end long before them.
 */
export const LESS_URGENT = 4;

/** Each lane takes ten seconds of processor time to start and end its Worker, so few cores have few lanes. */
const WORKER_LANES = Math.min(4, availableParallelism());

/** The longest come first, because one that begins last would run alone at the end. */
export const LANES: Lanes = {
  ...UNIT_LANE,
  ...shards('worker', WORKER_LANES),
  ...shards('browser', 2),
  faults: withFaults(QUICK_FAULTS),
};

/**
 * Lanes and checks that run side by side. Two for each processor keep all of them busy, because tests also wait
 * for alarms and browsers. More would only slow down each request, until tests reach their time limits.
 */
export const AT_ONCE = 2 * availableParallelism();
