import { Hono } from 'hono';
import { routePath } from 'hono/route';
import type { Context } from '../../domain/context.ts';
import { notFound } from '../../domain/errors.ts';
import { findPublicPassById } from '../../domain/passes/page/find-page.ts';
import { openTokens } from '../../domain/passes/page/links.ts';
import { callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import { constantTimeEqual } from '../../platform/crypto.ts';
import type { Env } from '../../platform/env.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { passFileReply } from './pass-file-reply.ts';

interface WalletEnv {
  Bindings: Env;
  Variables: { baseContext: Context; route: string };
}

/**
 * The direct link of a pass file (`passFileUri`, `linkToPassFile`). Anyone with the link can download it without a PIN.
 */
export const passFileRoutes = new Hono<WalletEnv>().get('/passes/:id/:file{[A-Za-z0-9_-]+\\.pkpass}', async (c) => {
  c.set('route', routePath(c));
  const { id, file } = c.req.param();
  await enforceRateLimit(c.env, 'page', callerNetwork(c.req.raw, c.env));
  const shown = UUID_PATTERN.test(id) ? await findPublicPassById(c.var.baseContext, id) : undefined;
  if (!shown || !constantTimeEqual(`${openTokens(shown.ctx.env, shown.pass).file}.pkpass`, file)) throw notFound();
  return passFileReply(shown, c.req.raw);
});
