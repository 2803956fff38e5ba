import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';

export const MINUTE_MS = 60_000;

/** The result of counting a request. */
export interface CountedRequest {
  isAllowed: boolean;
  /** Allowed requests of this minute. */
  used: number;
  /** Seconds until the next minute begins. */
  retryAfterSeconds: number;
}

/**
 * One object per account whose requests are counted, named by its identifier, because the Rate Limiting binding has one
 * fixed limit. It counts in memory: an eviction, which takes a quiet time, resets the count.
 */
export class RequestCounterObject extends DurableObject<Env> {
  #used = 0;
  #endsAt = 0;

  /** Counts a request, unless `max` were already counted in this minute. */
  take(max: number): CountedRequest {
    const { used, retryAfterSeconds } = this.peek();
    const isAllowed = used < max;
    if (isAllowed) this.#used += 1;
    return { isAllowed, used: this.#used, retryAfterSeconds };
  }

  /** Returns the use of the current minute. */
  peek(): Omit<CountedRequest, 'isAllowed'> {
    const now = Date.now();
    if (now >= this.#endsAt) {
      this.#used = 0;
      this.#endsAt = now + MINUTE_MS;
    }
    return { used: this.#used, retryAfterSeconds: Math.ceil((this.#endsAt - now) / 1_000) };
  }
}
