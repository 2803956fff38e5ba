/**
 * Does `work` for each item, at most `atATime` at once; results are in the order of the list. After a failure no
 * further item begins, and the error is thrown.
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
