import type { Context } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import { clientNetwork } from '../../platform/client-network.ts';
import { Lru } from '../../platform/lru.ts';
import type { PageEnv } from '../page-env.ts';

/** Period of `GUESS_LIMITER` in `wrangler.toml`; its limit is how many wrong guesses a network has in that time. */
const PERIOD_S = 60;
const NETWORKS_MAX = 10_000;

/**
 * Network to when it may guess again, UTC milliseconds. The binding cannot be asked without counting, so each isolate
 * remembers its refusals.
 */
const refusedUntil = new Lru<number>(NETWORKS_MAX);

/**
 * Throws too many requests for a network that has guessed too often: it gets no answer, so that it cannot tell a right
 * guess from a wrong one.
 */
export function refuseGuessers(c: Context<PageEnv>, now = Date.now()): void {
  const network = clientNetwork(c.req.raw.headers);
  if (network !== undefined && (refusedUntil.get(network) ?? 0) > now) throw tooMany(c);
}

/**
 * Counts a userProvidedId that no page has, or a wrong PIN, against the caller's network; throws too many requests beyond the
 * limit.
 */
export async function countGuess(c: Context<PageEnv>): Promise<void> {
  const network = clientNetwork(c.req.raw.headers);
  if (network === undefined) return;
  const { success } = await c.env.GUESS_LIMITER.limit({ key: network });
  if (success) return;
  refusedUntil.set(network, Date.now() + PERIOD_S * 1_000);
  throw tooMany(c);
}

function tooMany(c: Context<PageEnv>): DomainError {
  c.header('Retry-After', String(PERIOD_S));
  return new DomainError('too_many_requests', 'Too many wrong guesses; try again in a minute');
}
