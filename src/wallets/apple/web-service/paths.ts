/** Where devices ask for updates: names the shard of the passes, but for the first, as passes of before have it. */
export function webServicePath(shard: number): string {
  return `/wallet/apple${shard === 0 ? '' : `/${shard}`}`;
}
