import { callerNetwork, enforceRateLimit } from '../../../domain/rate-limits.ts';
import { mailSignInLink } from '../../../domain/users/create-sign-in-link.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { describeError, logLine } from '../../../platform/log.ts';
import type { ConsoleContext } from '../console-env.ts';

/**
 * Mails a sign-in link if the address belongs to a user. Throws too many requests for a network or address that has
 * requested too many. The mail follows the reply, so that the time doesn't reveal whether the address is known.
 */
export async function mailLink(
  c: ConsoleContext,
  email: string,
  options: Parameters<typeof mailSignInLink>[2],
): Promise<void> {
  const { ctx } = c.var;
  const network = callerNetwork(c.req.raw, c.env);
  await enforceRateLimit(c.env, 'sign-in-mail', network);
  // Counts for every e-mail address, so that a rejection doesn't reveal whether it has an account.
  await enforceRateLimit(c.env, 'sign-in-mail-to', network && (await sha256(email.toLowerCase())));
  if (!email) return;
  const work = mailSignInLink(ctx, email, options).catch((error: unknown) =>
    logLine('error', { event: 'sign-in-mail', requestId: ctx.requestId, error: describeError(error) }),
  );
  ctx.waitUntil(work);
}
