import type { Round } from './load.ts';

/** How long a comparison takes. */
export interface Effort {
  rounds: number;
  /** Length of one round. */
  seconds: number;
}

/** Does one thing for some seconds. */
export type Runner<R extends Round = Round> = (seconds: number) => Promise<R>;

/**
 * Runs things in turn, round after round, so that what else the machine does meets all of them alike; every other round
 * goes backwards. A first round of each is thrown away: it warms caches and compilers.
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

/** The middle of some numbers, or the value below which a share of them lies; NaN of none. */
export function quantile(values: number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const medianRate = (rounds: Round[]): number => quantile(rounds.map(({ rate }) => rate));

/** How many times as fast the first is, as the median over rounds that ran next to each other. */
export function rateRatio(ours: Round[], theirs: Round[]): number {
  return quantile(ours.map(({ rate }, i) => rate / theirs[i]!.rate));
}

/** A quantile of the latencies of all rounds, in milliseconds. */
export function latency(rounds: Round[], share: number): number {
  return quantile(
    rounds.flatMap(({ latencies }) => latencies),
    share,
  );
}
