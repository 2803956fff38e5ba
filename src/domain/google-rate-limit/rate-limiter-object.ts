import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';
import { RateLimiter } from '../../platform/rate-limiter.ts';
import { CALLS_PER_SECOND } from './rate.ts';

/**
 * One object per Google issuer, named by our row: the jobs of all isolates ask it when they may call. It stores
 * nothing, so an eviction resets the limiter. The class keeps its deployed name.
 */
export class GooglePaceObject extends DurableObject<Env> {
  #limiter = new RateLimiter(CALLS_PER_SECOND);

  /** See `RateLimiter.take`. */
  take(calls: number, patienceMs: number): number {
    return this.#limiter.take(calls, patienceMs, Date.now());
  }

  /** See `RateLimiter.book`. */
  book(calls: number): number {
    return this.#limiter.book(calls, Date.now());
  }
}
