import type { MiddlewareHandler } from 'hono';
import { authenticate, digestOfKey } from '../domain/api-keys/authenticate.ts';
import { actingFor } from '../domain/context.ts';
import { DomainError } from '../domain/errors.ts';
import { callerNetwork, openBySecret } from '../domain/rate-limits.ts';
import type { ApiEnv } from './api-env.ts';
import { declaredReadAhead } from './read-ahead.ts';

/**
 * Lets only requests with a live API key pass, and hands their account on: `Authorization: <KEY>` or `Bearer <KEY>`. An
 * address that has sent too many invalid keys is refused before the database is asked.
 */
export const requireKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = sentKey(c.req.header('Authorization'));
  // Nothing is guessed by it, nor asked.
  if (key === '') throw unauthorized();
  const readAhead = await declaredReadAhead(c);
  const caller = await openBySecret(c.env, 'key', callerNetwork(c.req.raw, c.env), {
    digest: () => digestOfKey(key),
    open: () => authenticate(c.var.baseContext, key, readAhead),
    digestOf: ({ keyDigest }) => keyDigest,
  });
  if (!caller) throw unauthorized();
  const actor = { type: 'api_key', id: caller.apiKeyId, name: caller.keyName } as const;
  const account = { ...caller.account, templateIds: caller.rights.templateIds ?? undefined };
  c.set('ctx', { ...actingFor(caller.ctx, account), actor });
  c.set('apiKeyId', caller.apiKeyId);
  c.set('rights', caller.rights);
  c.set('requestQuotas', caller.requestQuotas);
  c.set('ahead', caller.ahead);
  await next();
};

/** The key in the header, with or without `Bearer`; empty when there is none. */
export function sentKey(header: string | undefined): string {
  return (header?.trim() ?? '').replace(/^Bearer(\s+|$)/i, '');
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Missing or invalid API key');
}
