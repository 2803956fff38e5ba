import type { PasskeyFacts } from '../../../domain/passkeys/list-passkeys.ts';
import { SESSION_DAYS, SESSION_DAYS_MAX } from '../../../domain/users/begin-session.ts';
import type { SessionFacts, SignedInUser } from '../../../domain/users/sessions.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { ActionButton, Badge, Panel } from '../parts.tsx';
import { PasskeysPanel } from '../passkeys/passkey-pages.tsx';
import { Time } from '../time.tsx';
import { browserName } from './browser-name.ts';

interface YouPageProps {
  user: SignedInUser;
  sessions: SessionFacts[];
  /** The session of the browser that shows the page. */
  presentId: string;
  timezone: string;
  passkeys: PasskeyFacts[];
  /** Whether the service has a name under which there can be passkeys. */
  hasPasskeys: boolean;
}

/** How the person signs in, and where. */
export function YouPage({ user, sessions, presentId, timezone, passkeys, hasPasskeys }: YouPageProps) {
  return (
    <ConsoleLayout title="You" user={user}>
      <header class="page-head">
        <h1>You</h1>
        <div class="actions">
          <a class="button quiet" href="/console">
            Open console
          </a>
        </div>
      </header>
      <p class="lead">Signed in as {user.email}.</p>
      {hasPasskeys && <PasskeysPanel passkeys={passkeys} timezone={timezone} />}
      <SessionsPanel sessions={sessions} presentId={presentId} timezone={timezone} />
    </ConsoleLayout>
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
      <ListTable columns={['Browser', 'Address', 'Signed in', 'Last use']} hasActions>
        {[...present, ...others].map((session) => (
          <SessionRow session={session} isPresent={session.id === presentId} timezone={timezone} />
        ))}
      </ListTable>
      <form class="stack" method="post" action="/console/sign-out/everywhere">
        <button class="button grave" type="submit">
          Sign out everywhere
        </button>
        <p class="quiet">Ends all of these sessions, also this one. Sign-in links in your mailbox stop working.</p>
      </form>
    </Panel>
  );
}

function SessionRow(props: { session: SessionFacts; isPresent: boolean; timezone: string }) {
  const { session, isPresent, timezone } = props;
  const browser = browserName(session.userAgent);
  return (
    <tr>
      <th scope="row">
        <span>
          {browser} {isPresent && <Badge tone="good">This browser</Badge>}
        </span>
      </th>
      <td data-label="Address">{session.address ?? 'Unknown'}</td>
      <td data-label="Signed in">
        <Time at={session.createdAt} timezone={timezone} />
      </td>
      <td data-label="Last use">{isPresent ? 'Now' : <Time at={session.lastUsedAt} timezone={timezone} />}</td>
      <td class="row-actions">
        <ActionButton
          action={`/console/you/sessions/${session.id}/sign-out`}
          title="Sign out"
          label={isPresent ? undefined : `Sign out ${browser}, ${session.address ?? 'unknown address'}`}
        />
      </td>
    </tr>
  );
}
