import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { matchedRoutes } from 'hono/route';
import { notFound } from '../../domain/errors.ts';
import { BULK_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import type { MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import { requireFreshSignIn } from './confirm/require-fresh-sign-in.tsx';
import { confirmRoutes } from './confirm/route.tsx';
import type { AccountEnv, ConsoleContext, ConsoleEnv } from './console-env.ts';
import { ConsoleLayout } from './console-layout.tsx';
import { recordPersonalViews } from './personal-views.ts';
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
