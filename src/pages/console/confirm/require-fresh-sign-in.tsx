import type { MiddlewareHandler } from 'hono';
import { listPasskeys } from '../../../domain/passkeys/list-passkeys.ts';
import type { ConsoleContext, ConsoleEnv } from '../console-env.ts';
import { page } from '../reply.tsx';
import { ConfirmPage } from './confirm-page.tsx';
import { confirmPath, type HeldForm, heldForm, pathOf } from './held-form.ts';

/** Minutes during which a sign-in counts as fresh. */
const FRESH_MINUTES = 15;

/**
 * Paths below an account that need a fresh sign-in: deletions, certificates, keys, members, settings, webhooks (they
 * send all values to a URL) and exports.
 */
const SENSITIVE: { path: RegExp; method?: 'POST' }[] = [
  { path: /\/(delete|delete-unused|dissolve|discard)$/ },
  { path: /^\/passes\/export$/ },
  { path: /^\/scans\/export\.csv$/ },
  { path: /^\/audit-log\/export\.csv$/ },
  { path: /^\/processes\/[^/]+\/errors\.csv$/ },
  { path: /^\/passes\/import\/[^/]+\/errors\.csv$/ },
  { path: /^\/templates\/[^/]+\/export$/ },
  { path: /^\/api-keys\/[^/]/ },
  { path: /^\/persons(\/|$)/, method: 'POST' },
  { path: /^\/api-keys(\/|$)/, method: 'POST' },
  { path: /^\/certificates\/(new|google)$/ },
  { path: /^\/certificates\/[^/]+\/default$/ },
  { path: /^\/certificates(\/|$)/, method: 'POST' },
  { path: /^\/members\/[^/]/ },
  { path: /^\/members$/, method: 'POST' },
  { path: /^\/settings(\/|$)/, method: 'POST' },
  { path: /^\/settings\/signing-key\/rotate$/ },
  { path: /^\/webhooks$/, method: 'POST' },
  { path: /^\/webhooks\/[^/]+\/rotate$/ },
];

/** Returns whether a request to `path` below an account needs a fresh sign-in. */
function needsFreshSignIn(method: string, path: string): boolean {
  return SENSITIVE.some((one) => one.path.test(path) && (one.method === undefined || one.method === method));
}

/** Returns whether the last sign-in is fresh. */
export function hasFreshSignIn(c: Pick<ConsoleContext, 'var'>): boolean {
  return c.var.session.createdAt > Date.now() - FRESH_MINUTES * 60_000;
}

/** Middleware below `/console/accounts/:account` that asks for a sign-in where a fresh one is needed. */
export const requireFreshSignIn: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const below = c.req.path.split('/').slice(4).join('/');
  if (!needsFreshSignIn(c.req.method, `/${below}`)) return next();
  return freshSignIn(c, next);
};

/**
 * Middleware that asks for a sign-in unless the last one is fresh. A submitted form is kept, so nothing must be entered
 * twice.
 */
export const freshSignIn: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (hasFreshSignIn(c)) return next();
  if (c.req.method !== 'POST') return c.redirect(confirmPath(pathOf(c.req.url)), 303);
  return askBefore(c, await heldForm(c));
};

async function askBefore(c: ConsoleContext, form: HeldForm): Promise<Response> {
  const { ctx, user } = c.var;
  const hasPasskeys = (await listPasskeys(ctx, user.id)).length > 0;
  return page(c, <ConfirmPage user={user} to={form.action} form={form} hasPasskeys={hasPasskeys} />, 403);
}
