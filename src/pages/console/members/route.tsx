import { Hono } from 'hono';
import { notFound } from '../../../domain/errors.ts';
import { listMembers, type Member, removeMember, setPrivileges } from '../../../domain/users/change-member.ts';
import { mailSignInLink, SIGN_IN_LINK_MINUTES } from '../../../domain/users/create-sign-in-link.ts';
import { inviteUser } from '../../../domain/users/invite-user.ts';
import { PRIVILEGES, type Privilege } from '../../../domain/users/privileges.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Checkboxes, TextField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { Badge, Confirm, EntryForm, LinkButton, Notice, Problems } from '../parts.tsx';
import { page, pathTo, submitted, textOf, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { Time } from '../time.tsx';
import { hrefTo, useViewer } from '../viewer.ts';

export const memberRoutes = new Hono<AccountEnv>();

memberRoutes.use('*', requirePrivilege('owner'));

memberRoutes.get('/', async (c) => {
  const members = await listMembers(c.var.acting);
  const invited = members.find(({ userId }) => userId === c.req.query('invited'));
  return page(c, <MembersPage members={members} invited={invited} />);
});

memberRoutes.get('/new', (c) => page(c, <InvitePage typed={{ email: '', privileges: ['read'] }} />));

memberRoutes.post('/', async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody({ all: true });
  const typed = { email: textOf(form, 'email'), privileges: privilegesOf(form) };
  return submitted(c, <InvitePage typed={typed} />, async () => {
    const { userId, email } = await inviteUser(acting, typed);
    await mailSignInLink(acting, email, { invitedTo: acting.account.name });
    return `${pathTo(c, SECTION)}?invited=${userId}`;
  });
});

memberRoutes.get('/:user', async (c) => {
  const member = await getMember(c);
  return page(c, <MemberPage member={member} />);
});

memberRoutes.post('/:user', async (c) => {
  const privileges = privilegesOf(await c.req.parseBody({ all: true }));
  const member = await getMember(c);
  return submitted(c, <MemberPage member={{ ...member, privileges }} />, async () => {
    await setPrivileges(c.var.acting, member.userId, { privileges });
    return pathTo(c, SECTION);
  });
});

memberRoutes.get('/:user/remove', async (c) => {
  const member = await getMember(c);
  return page(c, <RemoveMemberPage member={member} />);
});

memberRoutes.post('/:user/remove', async (c) => {
  const member = await getMember(c);
  return submitted(c, <RemoveMemberPage member={member} />, async () => {
    await removeMember(c.var.acting, member.userId);
    return pathTo(c, SECTION);
  });
});

async function getMember(c: AccountPageContext): Promise<Member> {
  const members = await listMembers(c.var.acting);
  const member = members.find(({ userId }) => userId === c.req.param('user'));
  if (!member) throw notFound();
  return member;
}

function privilegesOf(form: Record<string, unknown>): Privilege[] {
  return textsOf(form, 'privileges').filter((name): name is Privilege => PRIVILEGES.some((known) => known === name));
}

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
function MembersPage({ members, invited }: { members: Member[]; invited?: Member }) {
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

function InvitePage({ typed }: InvitePageProps) {
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

function MemberPage({ member }: { member: Member }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title={member.email} section={SECTION}>
      <EntryForm action={`${base}/${member.userId}`} button="Save privileges" back={base}>
        <Checkboxes name="privileges" legend="Privileges" options={OPTIONS} values={member.privileges} />
      </EntryForm>
    </AccountLayout>
  );
}

function RemoveMemberPage({ member }: { member: Member }) {
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
