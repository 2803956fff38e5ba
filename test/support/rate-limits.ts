import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { Reply } from './api.ts';

export type From = Record<string, string>;

/** Returns an address that no other caller has (RFC 3849). */
export function stranger(): From {
  const [a, b] = [randomInt(65_536).toString(16), randomInt(65_536).toString(16)];
  return { 'CF-Connecting-IP': `2001:db8:${a}:${b}::1` };
}

export interface Hit {
  /** Accepted replies. */
  admitted: Reply[];
  refused: Reply;
}

/**
 * Sends concurrent requests until one is rejected. A period may end meanwhile, which restarts the count, so this sends
 * up to twice the limit. Fails unless `limit` requests were accepted, and the rejection says when to retry.
 */
export async function hit(
  { limit, period }: { limit: number; period: number },
  ask: (i: number) => Promise<Reply>,
  atOnce = 1,
): Promise<Hit> {
  const admitted: Reply[] = [];
  for (let sent = 0; sent <= 2 * limit + atOnce; sent += atOnce) {
    const replies = await Promise.all(Array.from({ length: atOnce }, (_, i) => ask(sent + i)));
    const refused = replies.find(({ status }) => status === 429);
    admitted.push(...replies.filter(({ status }) => status !== 429));
    if (!refused) continue;
    expect(admitted.length).toBeGreaterThanOrEqual(limit);
    expect(refused.headers.get('Retry-After')).toBe(String(period));
    return { admitted, refused };
  }
  throw new Error(`${admitted.length} requests were not refused: ${statusesOf(admitted)}`);
}

export function statusesOf(replies: Reply[]): number[] {
  return [...new Set(replies.map(({ status }) => status))];
}
