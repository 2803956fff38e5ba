import { HTTPException } from 'hono/http-exception';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DomainError, describeIssue, type ErrorKind, type Issue } from '../../domain/errors.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { AccountPageContext, ConsoleContext } from './console-env.ts';
import { ConsoleLayout } from './console-layout.tsx';
import type { Listed } from './list-table.tsx';
import { LinkButton } from './parts.tsx';
import { sectionPath } from './sections.ts';
import { type Viewer, ViewerContext } from './viewer.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
type ErrorStatus = 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503;

/** Returns a console page. `issues` belong to the form that it shows again. */
export async function page(
  c: ConsoleContext | AccountPageContext,
  content: Html,
  status: 200 | ErrorStatus = 200,
  issues: Issue[] = [],
) {
  const nonce = newNonce();
  const headers = pageHeaders(nonce);
  // Scripts come from this origin, and fetch only from it. Each page works without them.
  const policy = `${headers['Content-Security-Policy']}; script-src 'self'; connect-src 'self'`;
  const shown = <ViewerContext.Provider value={viewerOf(c, issues, nonce)}>{await content}</ViewerContext.Provider>;
  // With `no-referrer`, browsers send `Origin: null` for the page's own forms (Fetch standard, "append a request
  // `Origin` header").
  return c.html(shown, status, { ...headers, 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin' });
}

/** Returns the viewer of a page; undefined outside accounts. */
export function viewerOf(
  c: ConsoleContext | AccountPageContext,
  issues: Issue[] = [],
  nonce = newNonce(),
): Viewer | undefined {
  const { user, acting, privileges, memberships } = c.var as Partial<AccountPageContext['var']>;
  if (!user || !acting || !privileges || !memberships) return undefined;
  return {
    user,
    account: acting.account,
    privileges,
    hasOthers: memberships.length > 1,
    issues,
    labels: new Map(),
    nonce,
  };
}

/** Errors that show the form again. Privileges are checked earlier, so here `forbidden` means a quota. */
const SHOWN_AGAIN: ErrorKind[] = ['invalid', 'conflict', 'forbidden'];

/**
 * Runs a form's work, which returns a response or a path to redirect to. If a rule rejects it, shows `again`: the form
 * with the submitted values, and the issues, converted by `reworded`.
 */
export async function submitted(
  c: AccountPageContext,
  again: Html | (() => Html | Promise<Html>),
  work: () => Promise<Response | string>,
  reworded: (issues: Issue[]) => Issue[] = (issues) => issues,
): Promise<Response> {
  try {
    const done = await work();
    return typeof done === 'string' ? c.redirect(done, 303) : done;
  } catch (error) {
    if (!(error instanceof DomainError) || !SHOWN_AGAIN.includes(error.kind)) throw error;
    return page(c, await (typeof again === 'function' ? again() : again), 400, reworded(error.issues));
  }
}

/** Returns a function that renames the fields of issues, from the names of the domain to those of the form. */
export const renamed = (names: Record<string, string>) => (issues: Issue[]) =>
  issues.map((issue) => ({ ...issue, path: names[issue.path] ?? issue.path }));

/** Returns the address of a section of the page's account, or of a page in it. */
export function pathTo(c: AccountPageContext, section: string, ...parts: string[]): string {
  return sectionPath(c.var.acting.account.id, section, ...parts);
}

/** Returns the UUID in a parameter of the address; undefined without one. */
export function uuidIn(c: AccountPageContext, name: string): string | undefined {
  const value = c.req.query(name);
  return value !== undefined && UUID_PATTERN.test(value) ? value : undefined;
}

/** Rows per page of a list. Routes read one more, which shows whether there is another page. */
export const PAGE_ROWS = 50;

/** Returns the page of a list that begins at `start` (undefined: the first page), from rows with one extra row. */
export function listed<Row>(found: Row[], start: unknown, nameOf: (row: Row) => string, size = PAGE_ROWS): Listed<Row> {
  const rows = found.slice(0, size);
  return { rows, next: found.length > size ? nameOf(rows.at(-1)!) : undefined, isFirst: start === undefined };
}

/** Returns a form field as text; empty if absent. */
export function textOf(form: Record<string, unknown>, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

/** Returns form fields as texts, by their names. */
export function textsIn<Name extends string>(form: Record<string, unknown>, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, textOf(form, name)])) as Record<Name, string>;
}

/** Returns all values of a form field. */
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
  if (error.kind === 'unavailable') return [503, 'moving'];
  if (error.kind === 'not_found') return [404, 'notFound'];
  if (error.kind === 'invalid' || error.kind === 'conflict') return [400, 'refused'];
  return [500, 'error'];
}

/** Returns the headers of a CSV file to download. */
export const csvHeaders = (fileName: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${fileName}"`,
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
});

/** Messages shown in place of a page, with the next step. */
type Message = [title: string, text: string, action?: { title: string; href: string }];

const MESSAGES = {
  linkSpent: [
    'This link no longer works',
    'Each sign-in link works once and only for a short time. Request a new one.',
    { title: 'Request a link', href: '/console/sign-in' },
  ],
  foreignForm: [
    'This request did not come from the console',
    'Another site sent it, or your browser hides where it came from. Nothing was changed.',
  ],
  tooLarge: ['This form is too large', 'Nothing was changed. Send less data at once.'],
  tooMany: ['Too many requests', 'Wait a minute, then try again.'],
  notFound: ['Page not found', 'The page does not exist, or it belongs to an account that you are not a member of.'],
  forbidden: [
    'Missing privilege',
    'You don’t have the privilege for this page. Ask an owner of the account to grant it.',
  ],
  suspended: [
    'This account is suspended',
    'The operator of the service has suspended it. Its API keys and scanner links don’t work, and its webhooks, messages and processes wait. Its passes still work, and nothing is deleted. Ask the operator to resume it.',
    { title: 'Your sign-in', href: '/console/you' },
  ],
  refused: ['This action isn’t possible', 'Nothing changed.'],
  moving: ['The account is being moved', 'Nothing was changed. Try again in a few seconds.'],
  error: ['Something went wrong', 'The problem is on our end. Try again in a moment.'],
} satisfies Record<string, Message>;

type ConsoleMessage = keyof typeof MESSAGES;

interface MessageProps {
  message: ConsoleMessage;
  /** For support requests. */
  requestId?: string;
  /** Messages of the rule that rejected the request. */
  details?: string[];
}

/** A page with only a message. */
export function ConsoleMessagePage({ message, requestId, details = [] }: MessageProps) {
  const [title, text, action = { title: 'Open console', href: '/console' }]: Message = MESSAGES[message];
  return (
    <ConsoleLayout title={title}>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      {details.map((detail) => (
        <p>{detail}</p>
      ))}
      {requestId && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      <p>
        <LinkButton href={action.href} title={action.title} look="quiet" />
      </p>
    </ConsoleLayout>
  );
}
