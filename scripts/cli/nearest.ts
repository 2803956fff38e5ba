/** Words with more edits aren't typos. */
const EDITS_MAX = 2;

/** Returns the word that was probably meant: one with this prefix, or within a few edits. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const started = known.filter((one) => word.length > 1 && one.startsWith(word));
  if (started.length === 1) return started[0];
  const distances = known.map((one) => ({ one, edits: editsBetween(word, one) }));
  const [best] = distances.sort((a, b) => a.edits - b.edits);
  return best && best.edits <= Math.min(EDITS_MAX, best.one.length - 1) ? best.one : undefined;
}

/** Returns a suggestion to append to a sentence; empty if no word is near. */
export function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** Counts letters to insert, remove, replace or swap with their neighbor (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1]! + 1, rows[i - 1]![j]! + 1, rows[i - 1]![j - 1]! + changed);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
