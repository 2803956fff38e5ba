import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';
import { Pace } from '../../platform/pace.ts';

/** "20 requests per second per issuer" (Google Wallet, "Performance tips"). */
const CALLS_PER_SECOND = 20;

/**
 * One object for each Google issuer, named by our row, which all jobs of all isolates ask when they may call. It keeps
 * nothing: after an eviction the pace begins anew.
 */
export class GooglePaceObject extends DurableObject<Env> {
  #pace = new Pace(CALLS_PER_SECOND);

  /** See `Pace.turn`. */
  turn(name: string, calls: number, patienceMs: number): number {
    return this.#pace.turn(name, calls, patienceMs, Date.now());
  }
}
