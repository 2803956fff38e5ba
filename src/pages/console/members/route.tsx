import { Hono } from 'hono';
import { notFound } from '../../../domain/errors.ts';
import { listMembers, type Member, removeMember, setPrivileges } from '../../../domain/users/change-member.ts';
import { mailSignInLink } from '../../../domain/users/create-sign-in-link.ts';
import { inviteUser } from '../../../domain/users/invite-user.ts';
import { PRIVILEGES, type Privilege } from '../../../domain/users/privileges.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, textOf, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { InvitePage, MemberPage, MembersPage, RemoveMemberPage } from './member-pages.tsx';

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
  return submitted(
    c,
    async () => {
      const { userId, email } = await inviteUser(acting, typed);
      await mailSignInLink(acting, email, { invitedTo: acting.account.name });
      return `${sectionPath(acting.account.id, 'members')}?invited=${userId}`;
    },
    () => <InvitePage typed={typed} />,
  );
});

memberRoutes.get('/:user', async (c) => {
  const member = await getMember(c);
  return page(c, <MemberPage member={member} />);
});

memberRoutes.post('/:user', async (c) => {
  const { acting } = c.var;
  const privileges = privilegesOf(await c.req.parseBody({ all: true }));
  const member = await getMember(c);
  return submitted(
    c,
    async () => {
      await setPrivileges(acting, member.userId, { privileges });
      return backToMembers(c);
    },
    () => <MemberPage member={{ ...member, privileges }} />,
  );
});

memberRoutes.get('/:user/remove', async (c) => {
  const member = await getMember(c);
  return page(c, <RemoveMemberPage member={member} />);
});

memberRoutes.post('/:user/remove', async (c) => {
  const { acting } = c.var;
  const member = await getMember(c);
  return submitted(
    c,
    async () => {
      await removeMember(acting, member.userId);
      return backToMembers(c);
    },
    () => <RemoveMemberPage member={member} />,
  );
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

function backToMembers(c: AccountPageContext): Response {
  return c.redirect(sectionPath(c.var.acting.account.id, 'members'), 303);
}
