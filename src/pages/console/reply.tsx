import { HTTPException } from 'hono/http-exception';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DomainError, describeIssue, type ErrorKind, type Issue } from '../../domain/errors.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { AccountPageContext, ConsoleContext } from './console-env.ts';
import type { Frame } from './console-layout.tsx';
import { type ConsoleMessage, ConsoleMessagePage } from './message-page.tsx';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
type ErrorStatus = 400 | 401 | 403 | 404 | 413 | 429 | 500;

/** The reply with a console page. `nonce` is that of styles which belong to this page alone. */
export function page(
  c: ConsoleContext | AccountPageContext,
  content: Html,
  status: 200 | ErrorStatus = 200,
  nonce = newNonce(),
) {
  const headers = pageHeaders(nonce);
  // Scripts come from this origin, and fetch what the same page shows; each page is complete without them.
  const policy = `${headers['Content-Security-Policy']}; script-src 'self'; connect-src 'self'`;
  // With `no-referrer`, browsers send `Origin: null` with the page's own forms (Fetch standard, "append a request
  // `Origin` header").
  return c.html(content, status, { ...headers, 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin' });
}

/** Who looks at which account: what the frame of an account's page shows. */
export function frameOf(c: AccountPageContext): Frame {
  const { user, acting, privileges, memberships } = c.var;
  return { user, account: acting.account, privileges, hasOthers: memberships.length > 1 };
}

/**
 * What a form is shown again for; privileges are checked before the work, so what is forbidden there is beyond a quota.
 */
const SHOWN_AGAIN: ErrorKind[] = ['invalid', 'conflict', 'forbidden'];

/**
 * Runs the work that a form asks for. Where a rule refuses it, `again` shows the form once more, with what was typed
 * and the messages; other errors are for the error page. `nonce` is that of the page shown again.
 */
export async function submitted(
  c: AccountPageContext,
  work: () => Promise<Response>,
  again: (messages: Issue[]) => Html | Promise<Html>,
  nonce = newNonce(),
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && SHOWN_AGAIN.includes(error.kind)) {
      return page(c, await again(error.issues), 400, nonce);
    }
    throw error;
  }
}

/** A field of a form as text; absent is empty. */
export function textOf(form: Record<string, unknown>, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

/** The values of a field that a form may hold several times. */
export function textsOf(form: Record<string, unknown>, name: string): string[] {
  return [form[name] ?? []].flat().filter((value) => typeof value === 'string');
}

export function showError(error: Error, c: ConsoleContext): Response | Promise<Response> {
  const [status, message] = failureOf(error);
  const { requestId } = c.var.ctx;
  if (status === 500) logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  const told = error instanceof DomainError && status === 400 ? error.issues.map(describeIssue) : undefined;
  const shownId = status === 500 ? requestId : undefined;
  return page(c, <ConsoleMessagePage message={message} requestId={shownId} details={told} />, status);
}

function failureOf(error: unknown): [ErrorStatus, ConsoleMessage] {
  if (error instanceof HTTPException && error.status === 403) return [403, 'foreignForm'];
  if (error instanceof HTTPException && error.status === 413) return [413, 'tooLarge'];
  if (!(error instanceof DomainError)) return [500, 'error'];
  if (error.kind === 'unauthorized') return [401, 'linkSpent'];
  if (error.kind === 'suspended') return [403, 'suspended'];
  if (error.kind === 'forbidden') return [403, 'forbidden'];
  if (error.kind === 'too_many_requests') return [429, 'tooMany'];
  if (error.kind === 'not_found') return [404, 'notFound'];
  if (error.kind === 'invalid' || error.kind === 'conflict') return [400, 'refused'];
  return [500, 'error'];
}
