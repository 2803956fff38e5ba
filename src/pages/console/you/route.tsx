import { Hono } from 'hono';
import { relyingParty } from '../../../domain/passkeys/challenges.ts';
import { listPasskeys } from '../../../domain/passkeys/list-passkeys.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { endSession, listSessions } from '../../../domain/users/sessions.ts';
import { dropSession } from '../../session.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { passkeyRoutes } from '../passkeys/route.tsx';
import { page } from '../reply.tsx';
import { YouPage } from './you-page.tsx';

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
