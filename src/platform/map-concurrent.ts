/**
 * Runs `work` for each item, at most `atATime` at once, and returns the results in the order of the list. After a
 * failure, starts no further items and throws the error.
 */
export async function mapConcurrent<T, R>(list: T[], atATime: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const at = next++;
      try {
        results[at] = await work(list[at]!);
      } catch (error) {
        next = list.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, list.length) }, worker));
  return results;
}
