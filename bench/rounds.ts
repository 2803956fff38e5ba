import type { Round } from './load.ts';

/** Effort of a comparison. */
export interface Effort {
  rounds: number;
  /** Duration of one round. */
  seconds: number;
}

/** Runs one thing for some seconds. */
export type Runner<R extends Round = Round> = (seconds: number) => Promise<R>;

/**
 * Runs things alternately, so that other load on the machine affects all alike; every other round is in reverse order.
 * Discards a first round of each, which warms up caches and compilers.
 */
export async function alternate<Name extends string, R extends Round>(
  runners: Record<Name, Runner<R>>,
  { rounds, seconds }: Effort,
): Promise<Record<Name, R[]>> {
  const names = Object.keys(runners) as Name[];
  const results = Object.fromEntries(names.map((name): [Name, R[]] => [name, []])) as Record<Name, R[]>;
  for (const name of names) await runners[name](seconds);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await runners[name](seconds));
    }
  }
  return results;
}

/** Returns the median of some numbers, or another quantile; NaN if there are none. */
export function quantile(values: number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const medianRate = (rounds: Round[]): number => quantile(rounds.map(({ rate }) => rate));

/** Returns how many times as fast the first is, as the median over adjacent rounds. */
export function rateRatio(ours: Round[], theirs: Round[]): number {
  return quantile(ours.map(({ rate }, i) => rate / theirs[i]!.rate));
}

/** Returns a quantile of all rounds' latencies, in milliseconds. */
export function latency(rounds: Round[], share: number): number {
  return quantile(
    rounds.flatMap(({ latencies }) => latencies),
    share,
  );
}
