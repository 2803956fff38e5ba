/**
 * Returns the path at which devices get updates. It contains the shard, except the first, which older passes don't
 * name.
 */
export function webServicePath(shard: number): string {
  return `/wallet/apple${shard === 0 ? '' : `/${shard}`}`;
}
