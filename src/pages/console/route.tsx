import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { matchedRoutes } from 'hono/route';
import { notFound } from '../../domain/errors.ts';
import { BULK_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import type { MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import { apiKeyRoutes } from './api-keys/route.tsx';
import { appConfigurationRoutes } from './app-configurations/route.tsx';
import { auditLogRoutes } from './audit-log/route.tsx';
import { bundleRoutes } from './bundles/route.tsx';
import { certificateRoutes } from './certificates/route.tsx';
import { requireFreshSignIn } from './confirm/require-fresh-sign-in.tsx';
import { confirmRoutes } from './confirm/route.tsx';
import type { AccountEnv, ConsoleEnv } from './console-env.ts';
import { ConsoleLayout } from './console-layout.tsx';
import { failedJobRoutes } from './failed-jobs/route.tsx';
import { memberRoutes } from './members/route.tsx';
import { messageRoutes } from './messages/route.tsx';
import { overviewRoutes } from './overview/route.tsx';
import { passRoutes } from './passes/route.tsx';
import { recordPersonalViews } from './personal-views.ts';
import { personRoutes } from './persons/route.tsx';
import { processRoutes } from './processes/route.tsx';
import { page, showError } from './reply.tsx';
import { requireMembership, requireUser } from './require-user.ts';
import { scanRoutes } from './scans/route.tsx';
import { accountPath } from './sections.ts';
import { serviceRoutes } from './service/route.tsx';
import { settingsRoutes } from './settings/route.tsx';
import { signInRoutes } from './sign-in/route.tsx';
import { statisticsRoutes } from './statistics/route.tsx';
import { templateRoutes } from './templates/route.tsx';
import { webhookRoutes } from './webhooks/route.tsx';
import { youRoutes } from './you/route.tsx';

/** A form of the console fits in there many times; what takes files has a limit of its own. */
const FORM_BYTES_MAX = 64 * 1024;
/** A whole definition, and with it three images of the largest size that is taken in. */
const DESIGNER_FORM_BYTES_MAX = 16 * 1024 * 1024;

/** Addresses whose forms may be larger than others. */
const LARGE_FORMS = [
  { path: /^\/console\/accounts\/[^/]+\/passes\/import$/, limit: bodyLimit({ maxSize: BULK_BODY_BYTES_MAX }) },
  {
    path: /^\/console\/accounts\/[^/]+\/templates\/[^/]+(\/images)?$/,
    limit: bodyLimit({ maxSize: DESIGNER_FORM_BYTES_MAX }),
  },
];
const formLimit = bodyLimit({ maxSize: FORM_BYTES_MAX });

/**
 * The console at `/console`, mounted at the root; a section of it is the folder of its name. Its forms carry no token:
 * a browser says itself where a form stands (`Sec-Fetch-Site`, else `Origin`), the middleware refuses every POST that
 * does not come from here, and the session cookie is SameSite=Lax besides.
 */
export const consoleRoutes = new Hono<ConsoleEnv>();

consoleRoutes.onError(showError);
consoleRoutes.use('/console/*', (c, next) => {
  const exact = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  c.set('route', exact?.path ?? '/console/*');
  return next();
});
consoleRoutes.use('/console/*', async (c, next) => {
  await enforceRateLimit(c.env, 'console', callerNetwork(c.req.raw, c.env));
  await next();
});
consoleRoutes.use('/console/*', csrf(), (c, next) =>
  (LARGE_FORMS.find(({ path }) => path.test(c.req.path))?.limit ?? formLimit)(c, next),
);
consoleRoutes.route('/console', signInRoutes);
consoleRoutes.use('/console/*', requireUser);

consoleRoutes.get('/console', async (c) => {
  const { user, memberships } = c.var;
  const [only] = memberships;
  if (only && memberships.length === 1) return c.redirect(accountPath(only.account.id), 303);
  return page(c, <AccountsPage user={user} memberships={memberships} />);
});
consoleRoutes.route('/console/you', youRoutes);
consoleRoutes.route('/console/service', serviceRoutes);
consoleRoutes.route('/console/confirm', confirmRoutes);

const account = new Hono<AccountEnv>();
account.use('*', requireMembership, requireFreshSignIn, recordPersonalViews);
account.route('/', overviewRoutes);
account.route('/templates', templateRoutes);
account.route('/passes', passRoutes);
account.route('/bundles', bundleRoutes);
account.route('/persons', personRoutes);
account.route('/processes', processRoutes);
account.route('/app-configurations', appConfigurationRoutes);
account.route('/scans', scanRoutes);
account.route('/statistics', statisticsRoutes);
account.route('/api-keys', apiKeyRoutes);
account.route('/members', memberRoutes);
account.route('/audit-log', auditLogRoutes);
account.route('/webhooks', webhookRoutes);
account.route('/settings', settingsRoutes);
account.route('/certificates', certificateRoutes);
account.route('/messages', messageRoutes);
account.route('/failed-jobs', failedJobRoutes);
consoleRoutes.route('/console/accounts/:account', account);

consoleRoutes.all('/console/*', () => {
  throw notFound();
});

/** The accounts of a user who is a member of several, or of none. */
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
