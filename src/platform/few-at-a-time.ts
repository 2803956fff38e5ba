/**
 * Does `work` for each of a list, at most `atATime` at once; the results stand in the order of the list. When one fails
 * no further one is begun, and its error is thrown.
 */
export async function fewAtATime<T, R>(list: T[], atATime: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const takeTurns = async () => {
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
  await Promise.all(Array.from({ length: Math.min(atATime, list.length) }, takeTurns));
  return results;
}
