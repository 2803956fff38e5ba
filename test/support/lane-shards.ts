/** Processor seconds of a file that no table names. */
const USUAL_SECONDS = 0.25;

/**
 * Processor seconds of unit tests that take more than one, as they were when last measured. They only balance the parts
 * of a run: a wrong number makes one part wait for the other, nothing else.
 */
export const SLOW_FILES: Record<string, number> = {};

/**
 * Deals files out to parts that take about as long: the slowest first, each to the part that has least to do so far.
 * The same files give the same parts.
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
