import type { Issue } from '../../../domain/errors.ts';
import type { Member } from '../../../domain/users/list-members.ts';
import { PRIVILEGES, type Privilege } from '../../../domain/users/privileges.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Checkboxes, TextField } from '../fields.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, Confirm, EntryForm, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';

const SECTION = 'members';

const MEANINGS: Record<Privilege, string> = {
  owner: 'Full access, including members.',
  'api_keys.manage': 'Creates, deactivates and deletes API keys.',
  'templates.edit': 'Designs, publishes and deletes templates.',
  'passes.edit': 'Creates, changes, voids and deletes passes; imports and sends messages.',
  personal_data: 'Views PINs, recipients, personal properties, exports, and links of passes.',
  scan: 'Manages the scanner: app configurations and their links.',
  read: 'Views everything except keys and personal data. Can’t make changes.',
};

const OPTIONS = PRIVILEGES.map((value) => ({ value, title: value, hint: MEANINGS[value] }));

/** Who may act for the account. */
export function MembersPage({ frame, members }: { frame: Frame; members: Member[] }) {
  const base = sectionPath(frame.account.id, SECTION);
  const invite = (
    <a class="button" href={`${base}/new`}>
      Invite member
    </a>
  );
  return (
    <AccountLayout frame={frame} title="Members" section={SECTION} actions={invite}>
      <section class="panel">
        <ListTable columns={['Address', 'Privileges', 'Member since']} hasActions>
          {members.map(({ userId, email, privileges, createdAt }) => (
            <tr>
              <th scope="row">{email}</th>
              <td data-label="Privileges">
                <span class="badges">
                  {privileges.map((privilege) => (
                    <Badge tone={privilege === 'owner' ? 'calm' : undefined}>{privilege}</Badge>
                  ))}
                </span>
              </td>
              <td data-label="Member since">
                <Time at={createdAt} timezone={frame.account.timezone} />
              </td>
              <td class="row-actions">
                <a class="button small quiet" href={`${base}/${userId}`} aria-label={`Change ${email}`}>
                  Change
                </a>
                <a class="button small quiet" href={`${base}/${userId}/remove`} aria-label={`Remove ${email}`}>
                  Remove
                </a>
              </td>
            </tr>
          ))}
        </ListTable>
      </section>
    </AccountLayout>
  );
}

interface InvitePageProps {
  frame: Frame;
  typed: { email: string; privileges: string[] };
  messages?: Issue[];
}

export function InvitePage({ frame, typed, messages }: InvitePageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title="Invite member" section={SECTION}>
      <EntryForm messages={messages} action={base} button="Invite" back={base}>
        <TextField
          name="email"
          label="E-mail address"
          type="email"
          hint="A sign-in link is sent there."
          value={typed.email}
          required
          more={{ autocomplete: 'off' }}
        />
        <Checkboxes name="privileges" legend="Privileges" options={OPTIONS} values={typed.privileges} />
      </EntryForm>
    </AccountLayout>
  );
}

export function MemberPage({ frame, member, messages }: { frame: Frame; member: Member; messages?: Issue[] }) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title={member.email} section={SECTION}>
      <EntryForm messages={messages} action={`${base}/${member.userId}`} button="Save" back={base}>
        <Checkboxes name="privileges" legend="Privileges" options={OPTIONS} values={member.privileges} />
      </EntryForm>
    </AccountLayout>
  );
}

export function RemoveMemberPage(props: { frame: Frame; member: Member; messages?: Issue[] }) {
  const { frame, member, messages = [] } = props;
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title={`Remove ${member.email}?`} section={SECTION}>
      <Problems messages={messages} />
      <Confirm action={`${base}/${member.userId}/remove`} button="Remove" back={base}>
        <p>
          <strong>{member.email}</strong> loses access to {frame.account.name} at once. API keys of this member stay.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
