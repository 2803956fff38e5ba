import type { MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import { ConsoleLayout } from './console-layout.tsx';
import { accountPath } from './sections.ts';

/** The accounts of a user who is a member of several, or of none. */
export function AccountsPage({ user, memberships }: { user: SignedInUser; memberships: MembershipOfUser[] }) {
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
