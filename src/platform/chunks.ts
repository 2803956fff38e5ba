/** Characters of a bound parameter, whose limit is 2 MB (Cloudflare, D1 limits). A character has up to three bytes. */
export const PARAMETER_CHARS_MAX = 500_000;

/** Splits a list into lists of up to `size` items. */
export function slicesOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/**
 * Splits a list in order into lists of at most `charsMax` characters and `itemsMax` items. A longer item gets its own
 * list. `charsOf` counts the characters of items that aren't texts.
 */
export function chunksOf<T>(
  list: readonly T[],
  charsMax: number,
  charsOf: (item: T) => number = (item) => String(item).length,
  itemsMax = Number.POSITIVE_INFINITY,
): T[][] {
  const chunks: T[][] = [];
  let chars = 0;
  for (const item of list) {
    const added = charsOf(item);
    const last = chunks.at(-1);
    if (last && last.length < itemsMax && chars + added <= charsMax) {
      last.push(item);
      chars += added;
    } else {
      chunks.push([item]);
      chars = added;
    }
  }
  return chunks;
}
