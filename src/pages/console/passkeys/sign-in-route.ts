import { Hono } from 'hono';
import { invalid } from '../../../domain/errors.ts';
import { signInOptions, signInWithPasskey } from '../../../domain/passkeys/sign-in-with-passkey.ts';
import { callerNetwork } from '../../../domain/rate-limits.ts';
import { findSession } from '../../../domain/users/sessions.ts';
import { keepAsked, keepSession, readAsked, readSession } from '../../session.ts';
import { visitOf } from '../../visit.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { bodyOf, jsonReply, tooManyTries } from './json-reply.ts';

/** Routes that sign in with a passkey, open to everyone. */
export const passkeySignInRoutes = new Hono<ConsoleEnv>();

passkeySignInRoutes.post('/options', async (c) => {
  const { success } = await c.env.RATE_LIMITER.limit({ key: `sign-in ${callerNetwork(c.req.raw, c.env) ?? ''}` });
  if (!success) return tooManyTries(c);
  return jsonReply(c, async () => ({ options: await signInOptions(c.var.ctx, keepAsked(c)) }));
});

passkeySignInRoutes.post('/', (c) =>
  jsonReply(c, async () => {
    const { ctx } = c.var;
    const browser = { before: readSession(c), browser: readAsked(c), ...visitOf(c) };
    const { session } = await signInWithPasskey(ctx, await bodyOf(c), browser);
    keepSession(c, session);
    return { location: '/console' };
  }),
);

/** Signs in a signed-in person again. Only the person's own passkeys are accepted. */
passkeySignInRoutes.post('/again', (c) =>
  jsonReply(c, async () => {
    const { ctx } = c.var;
    const before = readSession(c);
    const live = before === undefined ? undefined : await findSession(ctx, before);
    if (!live) throw invalid('You are signed out. Reload the page to sign in.');
    const browser = { before, browser: readAsked(c), ...visitOf(c) };
    const { session } = await signInWithPasskey(ctx, await bodyOf(c), browser, live.user.id);
    keepSession(c, session);
    return { location: '/console' };
  }),
);
