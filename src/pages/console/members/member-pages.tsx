import type { Member } from '../../../domain/users/change-member.ts';
import { SIGN_IN_LINK_MINUTES } from '../../../domain/users/create-sign-in-link.ts';
import { PRIVILEGES, type Privilege } from '../../../domain/users/privileges.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Checkboxes, TextField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { Badge, Confirm, EntryForm, LinkButton, Notice, Problems } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, useViewer } from '../viewer.ts';

const SECTION = 'members';

const MEANINGS: Record<Privilege, string> = {
  owner: 'Full access, including members.',
  'api_keys.manage': 'Creates, deactivates and deletes API keys.',
  'templates.edit': 'Designs, publishes and deletes templates.',
  'passes.edit': 'Creates, changes, voids and deletes passes; imports and sends messages.',
  personal_data: 'Views PINs, recipients, passengers, personal properties and pass links; exports data.',
  scan: 'Manages the scanner: app configurations and their links.',
  read: 'Views everything except keys and personal data. Can’t make changes.',
};

const OPTIONS = PRIVILEGES.map((value) => ({ value, title: value, hint: MEANINGS[value] }));

/** The members of the account. `invited` has just been invited. */
export function MembersPage({ members, invited }: { members: Member[]; invited?: Member }) {
  const base = hrefTo(SECTION);
  const invite = <LinkButton href={`${base}/new`} title="Invite member" />;
  return (
    <AccountLayout title="Members" section={SECTION} actions={invite}>
      {invited && (
        <Notice tone="good">
          <p>
            An e-mail with a sign-in link is on its way to <strong>{invited.email}</strong>. The link works for{' '}
            {SIGN_IN_LINK_MINUTES} minutes. After that, they can request a new one on the sign-in page.
          </p>
        </Notice>
      )}
      <section class="panel">
        <Table
          rows={members}
          columns={[
            ['E-mail address', ({ email }) => email],
            [
              'Privileges',
              ({ privileges }) => (
                <span class="badges">
                  {privileges.map((privilege) => (
                    <Badge tone={privilege === 'owner' ? 'calm' : undefined}>{privilege}</Badge>
                  ))}
                </span>
              ),
            ],
            ['Member since', ({ createdAt }) => <Time at={createdAt} />],
          ]}
          actions={({ userId, email }) => (
            <>
              <LinkButton href={`${base}/${userId}`} title="Edit" look="small quiet" label={`Edit ${email}`} />
              <LinkButton
                href={`${base}/${userId}/remove`}
                title="Remove"
                look="small quiet"
                label={`Remove ${email}`}
              />
            </>
          )}
        />
      </section>
    </AccountLayout>
  );
}

interface InvitePageProps {
  typed: { email: string; privileges: string[] };
}

export function InvitePage({ typed }: InvitePageProps) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Invite member" section={SECTION}>
      <EntryForm action={base} button="Invite member" back={base}>
        <TextField
          name="email"
          label="E-mail address"
          type="email"
          hint="We send a sign-in link to this address."
          value={typed.email}
          required
          more={{ autocomplete: 'off' }}
        />
        <Checkboxes name="privileges" legend="Privileges" options={OPTIONS} values={typed.privileges} />
      </EntryForm>
    </AccountLayout>
  );
}

export function MemberPage({ member }: { member: Member }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title={member.email} section={SECTION}>
      <EntryForm action={`${base}/${member.userId}`} button="Save privileges" back={base}>
        <Checkboxes name="privileges" legend="Privileges" options={OPTIONS} values={member.privileges} />
      </EntryForm>
    </AccountLayout>
  );
}

export function RemoveMemberPage(props: { member: Member }) {
  const { member } = props;
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title={`Remove ${member.email}?`} section={SECTION}>
      <Problems />
      <Confirm action={`${base}/${member.userId}/remove`} button="Remove member" back={base}>
        <p>
          <strong>{member.email}</strong> immediately loses access to {useViewer().account.name}. API keys that this
          member created are kept.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
