import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';
import { RateLimiter } from '../../platform/rate-limiter.ts';

/** "20 requests per second per issuer" (Google Wallet, "Performance tips"). */
const CALLS_PER_SECOND = 20;

/**
 * One object for each Google issuer, named by our row: all jobs of all isolates ask it when they may call. It stores
 * nothing, so after an eviction the limiter starts anew. The class keeps its deployed name.
 */
export class GooglePaceObject extends DurableObject<Env> {
  #limiter = new RateLimiter(CALLS_PER_SECOND);

  /** See `RateLimiter.reserve`. */
  reserve(name: string, calls: number, patienceMs: number): number {
    return this.#limiter.reserve(name, calls, patienceMs, Date.now());
  }
}
