import { Hono } from 'hono';
import { DomainError, ERROR_STATUS, invalid } from '../../../domain/errors.ts';
import { signInOptions, signInWithPasskey } from '../../../domain/passkeys/sign-in-with-passkey.ts';
import { callerNetwork } from '../../../domain/rate-limits.ts';
import { findSession } from '../../../domain/users/sessions.ts';
import { keepAsked, keepSession, readAsked, readSession, visitOf } from '../../session.ts';
import type { ConsoleContext, ConsoleEnv } from '../console-env.ts';

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

const RETRY_SECONDS = 60;

/** Returns JSON for the passkey script. Errors of a rule become its message. */
export async function jsonReply(c: ConsoleContext, work: () => Promise<object>): Promise<Response> {
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  try {
    return c.json(await work(), 200, headers);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return c.json({ message: error.message }, ERROR_STATUS[error.kind], headers);
  }
}

/** Returns the reply after too many attempts. */
function tooManyTries(c: ConsoleContext): Response {
  const message = 'Too many attempts from your network. Try again in a minute.';
  return c.json({ message }, 429, { 'Retry-After': String(RETRY_SECONDS), 'Cache-Control': 'no-store' });
}

/** Returns the JSON body of a request. */
export async function bodyOf(c: ConsoleContext): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    return undefined;
  }
}
