import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';

export const MINUTE_MS = 60_000;

/** What has become of a request that was counted. */
export interface CountedRequest {
  isAllowed: boolean;
  /** Requests of this minute that were allowed. */
  used: number;
  /** Seconds until the next minute begins. */
  retryAfterSeconds: number;
}

/**
 * One object for each account whose requests are counted, named by its identifier, because the Rate Limiting binding
 * has one fixed limit. It counts in memory: after an eviction, which takes a quiet time, a minute begins anew.
 */
export class RequestCounterObject extends DurableObject<Env> {
  #used = 0;
  #endsAt = 0;

  /** Counts a request, unless `max` were counted in this minute. */
  take(max: number): CountedRequest {
    const { used, retryAfterSeconds } = this.peek();
    const isAllowed = used < max;
    if (isAllowed) this.#used += 1;
    return { isAllowed, used: this.#used, retryAfterSeconds };
  }

  /** What is used of the present minute. */
  peek(): Omit<CountedRequest, 'isAllowed'> {
    const now = Date.now();
    if (now >= this.#endsAt) {
      this.#used = 0;
      this.#endsAt = now + MINUTE_MS;
    }
    return { used: this.#used, retryAfterSeconds: Math.ceil((this.#endsAt - now) / 1_000) };
  }
}
