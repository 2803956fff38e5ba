import type { MiddlewareHandler } from 'hono';
import { authenticate, digestOfKey } from '../domain/api-keys/authenticate.ts';
import { actingFor } from '../domain/context.ts';
import { DomainError } from '../domain/errors.ts';
import { callerNetwork, openBySecret } from '../domain/rate-limits.ts';
import type { ApiEnv } from './api-env.ts';
import { declaredReadAhead } from './read-ahead.ts';
import { matchedOperation } from './scope.ts';

/**
 * Admits only requests with an active API key (`Authorization: <KEY>` or `Bearer <KEY>`) and sets their account.
 * Refuses an address that sent too many invalid keys before it queries the database.
 */
export const requireKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = sentKey(c.req.header('Authorization'));
  // An empty key isn't a guess, so it doesn't count as one and needs no query.
  if (key === '') throw unauthorized();
  const readAhead = await declaredReadAhead(c);
  const caller = await openBySecret(c.env, 'key', callerNetwork(c.req.raw, c.env), {
    digest: () => digestOfKey(key),
    open: () => authenticate(c.var.baseContext, key, readAhead, matchedOperation(c)),
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

/** Returns the key in the header, with or without `Bearer`; empty if there is none. */
export function sentKey(header: string | undefined): string {
  return (header?.trim() ?? '').replace(/^Bearer(\s+|$)/i, '');
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Missing or invalid API key');
}
