import { Hono } from 'hono';
import { relyingParty } from '../../../domain/passkeys/challenges.ts';
import { listPasskeys, type PasskeyFacts } from '../../../domain/passkeys/list-passkeys.ts';
import { SESSION_DAYS, SESSION_DAYS_MAX } from '../../../domain/users/begin-session.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { endSession, listSessions, type SessionFacts, type SignedInUser } from '../../../domain/users/sessions.ts';
import { dropSession } from '../../session.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { ActionButton, Badge, LinkButton, Panel, SubmitButton } from '../parts.tsx';
import { PasskeysPanel } from '../passkeys/passkey-pages.tsx';
import { passkeyRoutes } from '../passkeys/route.tsx';
import { page } from '../reply.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { browserName } from './browser-name.ts';

/** Routes for the person's own settings, outside accounts. */
export const youRoutes = new Hono<ConsoleEnv>();

youRoutes.get('/', async (c) => {
  const { ctx, user, session, memberships } = c.var;
  const [sessions, passkeys] = [await listSessions(ctx, user.id), await listPasskeys(ctx, user.id)];
  const timezone = memberships[0]?.account.timezone ?? 'UTC';
  const accounts = memberships.map(({ account: { id, name }, privileges }) => ({
    ...{ id, name },
    hasKeys: hasPrivilege(privileges, 'api_keys.manage'),
    hasLog: hasPrivilege(privileges, 'owner'),
  }));
  const shown = { user, sessions, passkeys, accounts, presentId: session.id, timezone };
  return page(c, <YouPage {...shown} hasPasskeys={relyingParty(ctx) !== undefined} />);
});

youRoutes.route('/passkeys', passkeyRoutes);

youRoutes.post('/sessions/:session/sign-out', async (c) => {
  const { ctx, user, session } = c.var;
  const id = c.req.param('session');
  await endSession(ctx, user.id, id);
  if (id !== session.id) return c.redirect('/console/you', 303);
  dropSession(c);
  return c.redirect('/console/sign-in', 303);
});

interface YouPageProps {
  user: SignedInUser;
  sessions: SessionFacts[];
  /** Id of the current session. */
  presentId: string;
  timezone: string;
  passkeys: PasskeyFacts[];
  /** Whether the service's URL supports passkeys. */
  hasPasskeys: boolean;
  /** The person's accounts, and which of their pages the person can open. */
  accounts: { id: string; name: string; hasKeys: boolean; hasLog: boolean }[];
}

/** The person's sign-in methods and sessions. */
function YouPage({ user, sessions, presentId, timezone, passkeys, hasPasskeys, accounts }: YouPageProps) {
  return (
    <ConsoleLayout title="Profile" user={user}>
      <header class="page-head">
        <h1>Profile</h1>
        <div class="actions">
          <LinkButton href="/console" title="Open console" look="quiet" />
        </div>
      </header>
      <p class="lead">Signed in as {user.email}.</p>
      {hasPasskeys && <PasskeysPanel passkeys={passkeys} timezone={timezone} />}
      <SessionsPanel sessions={sessions} presentId={presentId} timezone={timezone} />
      <LostDevicePanel accounts={accounts} hasPasskeys={hasPasskeys} />
    </ConsoleLayout>
  );
}

/** Steps to take, in order, with links to the pages of each account. */
function LostDevicePanel({ accounts, hasPasskeys }: Pick<YouPageProps, 'accounts' | 'hasPasskeys'>) {
  const linked = accounts.filter(({ hasKeys, hasLog }) => hasKeys || hasLog);
  return (
    <Panel id="lost-device" title="If you lose a device">
      <ol class="bullets numbered">
        <li>Sign out everywhere, then sign in again here.</li>
        {hasPasskeys && <li>Remove the device’s passkey, if it has one.</li>}
        <li>Rotate the API keys that were on the device. For the old values, select “Expires immediately”.</li>
        <li>Check the audit log for actions by you and by these keys since then.</li>
      </ol>
      {linked.length > 0 && (
        <ul>
          {linked.map(({ id, name, hasKeys, hasLog }) => (
            <li>
              {name}: {hasKeys && <a href={sectionPath(id, 'api-keys')}>API keys</a>}
              {hasKeys && hasLog && ', '}
              {hasLog && <a href={sectionPath(id, 'audit-log')}>audit log</a>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function SessionsPanel({ sessions, presentId, timezone }: Pick<YouPageProps, 'sessions' | 'presentId' | 'timezone'>) {
  const present = sessions.filter(({ id }) => id === presentId);
  const others = sessions.filter(({ id }) => id !== presentId);
  return (
    <Panel id="sessions" title="Sessions">
      <p class="quiet">
        Browsers that are signed in. A session ends {SESSION_DAYS} days after its last use, and {SESSION_DAYS_MAX} days
        after you signed in. Times are in {timezone}, to the hour.
      </p>
      <Table
        rows={[...present, ...others]}
        columns={[
          ['Browser', (session) => <Browser session={session} isPresent={session.id === presentId} />],
          ['IP address', ({ address }) => address ?? 'Unknown'],
          ['Signed in', ({ createdAt }) => <Time at={createdAt} timezone={timezone} />],
          [
            'Last use',
            ({ id, lastUsedAt }) => (id === presentId ? 'Now' : <Time at={lastUsedAt} timezone={timezone} />),
          ],
        ]}
        actions={(session) => <SignOut session={session} isPresent={session.id === presentId} />}
      />
      <form class="stack" method="post" action="/console/sign-out/everywhere">
        <SubmitButton title="Sign out everywhere" look="grave" />
        <p class="quiet">
          Ends all of these sessions, including this one. Sign-in links that were already sent stop working.
        </p>
      </form>
    </Panel>
  );
}

interface SessionProps {
  session: SessionFacts;
  isPresent: boolean;
}

function Browser({ session, isPresent }: SessionProps) {
  return (
    <span>
      {browserName(session.userAgent)} {isPresent && <Badge tone="good">This browser</Badge>}
    </span>
  );
}

function SignOut({ session: { id, userAgent, address }, isPresent }: SessionProps) {
  const label = isPresent ? undefined : `Sign out ${browserName(userAgent)}, ${address ?? 'unknown address'}`;
  return <ActionButton action={`/console/you/sessions/${id}/sign-out`} title="Sign out" label={label} />;
}
