import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import type { HtmlEscapedString } from 'hono/utils/html';
import { listApiKeys } from '../../domain/api-keys/list-api-keys.ts';
import type { AccountContext } from '../../domain/context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { fieldInformation } from '../../domain/passes/field-information.ts';
import { listTemplateFacts } from '../../domain/templates/list-template-facts.ts';
import { getTemplate } from '../../domain/templates/load-definition.ts';
import { hasPrivilege } from '../../domain/users/privileges.ts';
import { type MembershipOfUser, signOut } from '../../domain/users/sessions.ts';
import { signIn } from '../../domain/users/sign-in.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { stylesheetReply } from '../assets.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import { dropSession, keepSession, readSession } from '../session.ts';
import { AccountPage } from './account-page.tsx';
import { AccountsPage, accountPath } from './accounts-page.tsx';
import type { ConsoleContext, ConsoleEnv } from './console-env.ts';
import type { Crumb } from './console-layout.tsx';
import { type ConsoleMessage, ConsoleMessagePage } from './message-page.tsx';
import { requireUser } from './require-user.ts';
import { ConfirmSignInPage, SignInHelpPage } from './sign-in-pages.tsx';
import { CONSOLE_STYLESHEET } from './stylesheets.ts';
import { TemplatePage } from './template-page.tsx';

/** A form of the console fits in there many times. */
const FORM_BYTES_MAX = 64 * 1024;

/**
 * The console at `/console`, mounted at the root. Its forms carry no token: a browser says itself where a form stands (`Sec-Fetch-Site`, else `Origin`), the
 * middleware refuses every POST that does not come from here, and the session cookie is SameSite=Lax besides.
 */
export const consoleRoutes = new Hono<ConsoleEnv>();

consoleRoutes.onError(showError);
consoleRoutes.get(CONSOLE_STYLESHEET.path, () => stylesheetReply(CONSOLE_STYLESHEET));
consoleRoutes.use('/console/*', (c, next) => {
  const exact = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  c.set('route', exact?.path ?? '/console/*');
  return next();
});
consoleRoutes.use('/console/*', csrf(), bodyLimit({ maxSize: FORM_BYTES_MAX }));

consoleRoutes.get('/console/sign-in', (c) => {
  const token = c.req.query('token');
  const local = c.env.ADMIN_TOKEN !== undefined;
  return page(c, token ? <ConfirmSignInPage token={token} /> : <SignInHelpPage local={local} />);
});

consoleRoutes.post('/console/sign-in', async (c) => {
  const { ctx } = c.var;
  const { token } = await c.req.parseBody();
  const { session } = await signIn(ctx, typeof token === 'string' ? token : '');
  const before = readSession(c);
  if (before !== undefined) await signOut(ctx, before);
  keepSession(c, session);
  return c.redirect('/console', 303);
});

consoleRoutes.post('/console/sign-out', async (c) => {
  const session = readSession(c);
  if (session !== undefined) await signOut(c.var.ctx, session);
  dropSession(c);
  return c.redirect('/console/sign-in', 303);
});

consoleRoutes.use('/console/*', requireUser);

consoleRoutes.get('/console', (c) => {
  const { user, memberships } = c.var;
  const [only] = memberships;
  if (only && memberships.length === 1) return c.redirect(accountPath(only.account.id), 303);
  return page(c, <AccountsPage user={user} memberships={memberships} />);
});

consoleRoutes.get('/console/accounts/:account', async (c) => {
  const { account, privileges } = membershipOf(c);
  const ctx: AccountContext = { ...c.var.ctx, account };
  const [templates, apiKeys] = await Promise.all([
    listTemplateFacts(ctx),
    hasPrivilege(privileges, 'api_keys.manage') ? listApiKeys(ctx) : undefined,
  ]);
  const { user } = c.var;
  const shown = { user, account, templates, apiKeys, trail: trailTo(c), now: Date.now() };
  return page(c, <AccountPage {...shown} />);
});

consoleRoutes.get('/console/accounts/:account/templates/:template', async (c) => {
  const { account } = membershipOf(c);
  const ctx: AccountContext = { ...c.var.ctx, account };
  const { template, definition } = await getTemplate(ctx, c.req.param('template'));
  const trail = [...trailTo(c), { title: account.name, href: accountPath(account.id) }];
  const shown = { user: c.var.user, account, template, trail, baseUrl: ctx.baseUrl };
  return page(c, <TemplatePage {...shown} fields={fieldInformation(definition)} />);
});

consoleRoutes.all('/console/*', () => {
  throw notFound();
});

/** The membership that the path names; not found when the user has none there. */
function membershipOf(c: ConsoleContext): MembershipOfUser {
  const membership = c.var.memberships.find(({ account }) => account.id === c.req.param('account'));
  if (!membership) throw notFound();
  return membership;
}

function trailTo(c: ConsoleContext): Crumb[] {
  return c.var.memberships.length > 1 ? [{ title: 'Accounts', href: '/console' }] : [];
}

type ErrorStatus = 401 | 403 | 404 | 413 | 500;

function page(
  c: ConsoleContext,
  content: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: 200 | ErrorStatus = 200,
) {
  // With `no-referrer`, browsers send `Origin: null` with the page's own forms (Fetch standard, "append a request `Origin` header").
  return c.html(content, status, { ...pageHeaders(newNonce()), 'Referrer-Policy': 'same-origin' });
}

function showError(error: Error, c: ConsoleContext): Response | Promise<Response> {
  const [status, message] = failureOf(error);
  const { requestId } = c.var.ctx;
  if (status === 500) logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  const shownId = status === 500 ? requestId : undefined;
  return page(c, <ConsoleMessagePage message={message} requestId={shownId} />, status);
}

function failureOf(error: unknown): [ErrorStatus, ConsoleMessage] {
  if (error instanceof HTTPException && error.status === 403) return [403, 'foreignForm'];
  if (error instanceof HTTPException && error.status === 413) return [413, 'tooLarge'];
  if (error instanceof DomainError && error.kind === 'unauthorized') return [401, 'linkSpent'];
  if (error instanceof DomainError && error.kind === 'not_found') return [404, 'notFound'];
  return [500, 'error'];
}
