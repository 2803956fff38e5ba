/** Processor seconds of a file that isn't in the table. */
const USUAL_SECONDS = 0.25;

/**
 * Processor seconds of unit tests that take more than one, when last measured. They only balance the parts of a run, so
 * a wrong number only makes one part wait for another.
 */
export const SLOW_FILES: Record<string, number> = {};

/**
 * Distributes files over parts with similar duration: the slowest first, each to the part with the least work so far.
 * Deterministic.
 */
export function dealOut(files: string[], parts: number): string[][] {
  const costOf = (file: string) => SLOW_FILES[file] ?? USUAL_SECONDS;
  const dealt = Array.from({ length: parts }, () => ({ files: [] as string[], seconds: 0 }));
  for (const file of files.toSorted((a, b) => costOf(b) - costOf(a) || (a < b ? -1 : 1))) {
    const part = dealt.reduce((least, one) => (one.seconds < least.seconds ? one : least));
    part.files.push(file);
    part.seconds += costOf(file);
  }
  return dealt.map((part) => part.files);
}
