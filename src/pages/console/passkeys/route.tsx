import { Hono, type MiddlewareHandler } from 'hono';
import { notFound } from '../../../domain/errors.ts';
import { createPasskey, creationOptions } from '../../../domain/passkeys/create-passkey.ts';
import { listPasskeys, removePasskey } from '../../../domain/passkeys/list-passkeys.ts';
import { keepAsked, readAsked } from '../../session.ts';
import { consolePathOf, pathOf } from '../confirm/held-form.ts';
import { freshSignIn } from '../confirm/require-fresh-sign-in.tsx';
import type { ConsoleContext, ConsoleEnv } from '../console-env.ts';
import { page } from '../reply.tsx';
import { browserName } from '../you/browser-name.ts';
import { NewPasskeyPage, passkeyPath, RemovePasskeyPage } from './passkey-pages.tsx';
import { bodyOf, jsonReply } from './sign-in-route.ts';

/** Routes for the person's passkeys, below `/console/you/passkeys`. */
export const passkeyRoutes = new Hono<ConsoleEnv>();

/** Where an account requires passkeys, access to a person's mailbox must not be enough to add another passkey. */
const mayManage: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const { ctx, user, session, memberships } = c.var;
  const isRequired = memberships.some(({ account }) => account.requirePasskey);
  if (!isRequired || session.hasPasskey || (await listPasskeys(ctx, user.id)).length === 0) return next();
  return c.redirect(passkeyPath(c.req.method === 'GET' ? pathOf(c.req.url) : '/console/you'), 303);
};

passkeyRoutes.use('*', freshSignIn, mayManage);

passkeyRoutes.get('/new', (c) => {
  const to = consolePathOf(c.req.query('to') ?? '/console/you');
  const name = browserName(c.req.header('User-Agent') ?? null);
  return page(c, <NewPasskeyPage user={c.var.user} name={name} to={to} />);
});

passkeyRoutes.post('/options', (c) =>
  jsonReply(c, async () => ({ options: await creationOptions(c.var.ctx, c.var.user, keepAsked(c)) })),
);

passkeyRoutes.post('/', (c) =>
  jsonReply(c, async () => {
    const { ctx, user, session } = c.var;
    await createPasskey(ctx, await bodyOf(c), { user, sessionId: session.id, browser: readAsked(c) });
    return { location: '/console/you' };
  }),
);

passkeyRoutes.get('/:passkey/remove', async (c) => {
  const passkey = await getPasskey(c, c.req.param('passkey'));
  return page(c, <RemovePasskeyPage user={c.var.user} passkey={passkey} />);
});

passkeyRoutes.post('/:passkey/remove', async (c) => {
  const { ctx, user, session } = c.var;
  await removePasskey(ctx, user.id, c.req.param('passkey'), session.id);
  return c.redirect('/console/you', 303);
});

async function getPasskey(c: ConsoleContext, id: string) {
  const passkey = (await listPasskeys(c.var.ctx, c.var.user.id)).find((one) => one.id === id);
  if (!passkey) throw notFound();
  return passkey;
}
