import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { matchedRoutes } from 'hono/route';
import type { ActionName } from '../../domain/audit/actions.ts';
import { recordView } from '../../domain/audit/record-action.ts';
import { notFound } from '../../domain/errors.ts';
import { BULK_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import type { MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import { requireFreshSignIn } from './confirm/require-fresh-sign-in.tsx';
import { confirmRoutes } from './confirm/route.tsx';
import type { AccountEnv, ConsoleContext, ConsoleEnv } from './console-env.ts';
import { ConsoleLayout } from './console-layout.tsx';
import { seesPersonalData } from './passes/visible-fields.ts';
import { page, showError } from './reply.tsx';
import { requireMembership, requireUser } from './require-user.ts';
import { ACCOUNT, type SectionRoutes } from './section-routes.ts';
import { accountPath } from './sections.ts';
import { signInRoutes } from './sign-in/route.tsx';

/** Far more than a form needs. Forms with files have their own limits. */
const FORM_BYTES_MAX = 64 * 1024;
/** Fits a whole definition with three images of the maximum size. */
const DESIGNER_FORM_BYTES_MAX = 16 * 1024 * 1024;

/** Paths with larger forms. */
const LARGE_FORMS = [
  { path: /^\/console\/accounts\/[^/]+\/passes\/import$/, limit: bodyLimit({ maxSize: BULK_BODY_BYTES_MAX }) },
  {
    path: /^\/console\/accounts\/[^/]+\/templates\/[^/]+(\/images)?$/,
    limit: bodyLimit({ maxSize: DESIGNER_FORM_BYTES_MAX }),
  },
];
const formLimit = bodyLimit({ maxSize: FORM_BYTES_MAX });

/**
 * The console at `/console` with the given sections, mounted at the root. Its forms have no CSRF token: browsers send
 * their origin (`Sec-Fetch-Site`, or `Origin`), the middleware rejects POST requests from elsewhere, and the session
 * cookie is SameSite=Lax.
 */
export function consoleRoutes(sections: SectionRoutes[]): Hono<ConsoleEnv> {
  const console = new Hono<ConsoleEnv>();
  console.onError(showError);
  console.use('/console/*', noteRoute, limitRate, csrf(), limitForm);
  console.route('/console', signInRoutes);
  console.use('/console/*', requireUser);
  console.get('/console', showAccounts);
  console.route('/console/confirm', confirmRoutes);
  console.route(ACCOUNT, new Hono<AccountEnv>().use('*', requireMembership, requireFreshSignIn, recordPersonalViews));
  for (const { base, routes } of sections) console.route(base, routes as Hono<ConsoleEnv>);
  console.all('/console/*', () => {
    throw notFound();
  });
  return console;
}

const noteRoute: MiddlewareHandler<ConsoleEnv> = (c, next) => {
  const exact = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  c.set('route', exact?.path ?? '/console/*');
  return next();
};

const limitRate: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  await enforceRateLimit(c.env, 'console', callerNetwork(c.req.raw, c.env));
  await next();
};

const limitForm: MiddlewareHandler<ConsoleEnv> = (c, next) =>
  (LARGE_FORMS.find(({ path }) => path.test(c.req.path))?.limit ?? formLimit)(c, next);

async function showAccounts(c: ConsoleContext): Promise<Response> {
  const { user, memberships } = c.var;
  const [only] = memberships;
  if (only && memberships.length === 1) return c.redirect(accountPath(only.account.id), 303);
  return page(c, <AccountsPage user={user} memberships={memberships} />);
}

/** Lists the accounts of a user who is a member of several, or of none. */
function AccountsPage({ user, memberships }: { user: SignedInUser; memberships: MembershipOfUser[] }) {
  return (
    <ConsoleLayout title="Accounts" user={user}>
      <h1>Accounts</h1>
      {memberships.length === 0 && (
        <p class="lead">You are not a member of any account. An owner of one can invite you as {user.email}.</p>
      )}
      <ul class="cards">
        {memberships.map(({ account, privileges }) => (
          <li>
            <a class="card-link" href={accountPath(account.id)}>
              {account.name}
            </a>
            <p class="quiet">{account.timezone}</p>
            <p class="quiet">{privileges.join(', ')}</p>
          </li>
        ))}
      </ul>
    </ConsoleLayout>
  );
}

interface PersonalView {
  action: ActionName;
  /** Name of the address parameter that identifies the viewed item. */
  named?: string;
}

const PASS: PersonalView = { action: 'pass.view', named: 'pass' };
const PASSES: PersonalView = { action: 'passes.view' };
const BUNDLE: PersonalView = { action: 'bundle.view' };
const IMPORT: PersonalView = { action: 'import.view', named: 'import' };
const DELIVERY: PersonalView = { action: 'webhook_delivery.view', named: 'event' };

/** Pages of an account that show or export personal data, by route. A test looks for missing pages. */
const PERSONAL_VIEWS: Record<string, PersonalView> = {
  '/audit-log/export.csv': { action: 'audit_log.export' },
  '/bundles': BUNDLE,
  '/bundles/add': BUNDLE,
  '/bundles/bundle': BUNDLE,
  '/messages': { action: 'messages.view' },
  '/messages/:message': { action: 'message.view', named: 'message' },
  '/messages/:message/again': { action: 'message.view', named: 'message' },
  '/passes': PASSES,
  '/passes/bulk': PASSES,
  '/passes/export': { action: 'passes.export' },
  '/passes/import/:import': IMPORT,
  '/passes/import/:import/errors.csv': IMPORT,
  '/passes/:pass': PASS,
  '/processes/:process': { action: 'process.view', named: 'process' },
  '/processes/:process/errors.csv': { action: 'process.export_errors', named: 'process' },
  '/scans': { action: 'scans.view' },
  '/scans/export.csv': { action: 'scans.export' },
  '/webhooks/:id/deliveries/:event': DELIVERY,
};

/** Returns the view of a route. All pages of one pass share theirs: a rejected form shows the pass again. */
function viewAt(route: string): PersonalView | undefined {
  const path = route.slice(ACCOUNT.length);
  return PERSONAL_VIEWS[path] ?? (path.startsWith('/passes/:pass/') ? PASS : undefined);
}

/**
 * Records each view or export of personal data in the audit log before the reply is sent. Without an entry, there is no
 * reply.
 */
const recordPersonalViews: MiddlewareHandler<AccountEnv> = async (c, next) => {
  await next();
  const view = viewAt(c.var.route);
  const isShown = c.res.status === 200 || c.res.status === 400;
  if (!view || !isShown || !seesPersonalData(c.var.privileges)) return;
  const { action, named } = view;
  const [type] = action.split('.') as [string];
  await recordView(c.var.acting, { action, target: { type, id: named && c.req.param(named) } });
};
