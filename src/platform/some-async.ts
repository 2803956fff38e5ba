/** Returns whether an asynchronous condition holds for one of the items. Checks them in order, up to the first hit. */
export async function someAsync<T>(items: T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}
