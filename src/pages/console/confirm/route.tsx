import { Hono } from 'hono';
import { showsDevInbox } from '../../../dev/shows-dev-inbox.ts';
import { listPasskeys } from '../../../domain/passkeys/list-passkeys.ts';
import { keepAsked } from '../../session.ts';
import type { ConsoleContext, ConsoleEnv } from '../console-env.ts';
import { PasskeyRequiredPage } from '../passkeys/passkey-pages.tsx';
import { page } from '../reply.tsx';
import { mailLink } from '../sign-in/mail-link.ts';
import { ConfirmedPage, ConfirmPage } from './confirm-page.tsx';
import { consolePathOf, type HeldForm, heldForm } from './held-form.ts';

const CONFIRMED = '/console/confirm/done';

/** Routes that let a signed-in person sign in again and then continue. */
export const confirmRoutes = new Hono<ConsoleEnv>();

confirmRoutes.get('/', async (c) => {
  const to = consolePathOf(c.req.query('to'));
  return page(c, <ConfirmPage user={c.var.user} to={to} hasPasskeys={await hasPasskeys(c)} />);
});

/** For accounts that require passkeys. */
confirmRoutes.get('/passkey', async (c) => {
  const to = consolePathOf(c.req.query('to'));
  return page(c, <PasskeyRequiredPage user={c.var.user} to={to} hasPasskeys={await hasPasskeys(c)} />);
});

async function hasPasskeys(c: ConsoleContext): Promise<boolean> {
  return (await listPasskeys(c.var.ctx, c.var.user.id)).length > 0;
}

confirmRoutes.get('/done', (c) => page(c, <ConfirmedPage user={c.var.user} />));

confirmRoutes.post('/link', async (c) => {
  const { user } = c.var;
  const to = consolePathOf(c.req.query('to'));
  const form = c.req.query('held') === 'yes' ? await waitingForm(c, to) : undefined;
  await mailLink(c, user.email, { browser: keepAsked(c), returnPath: form ? CONFIRMED : to });
  return page(
    c,
    <ConfirmPage user={user} to={to} form={form} sent={{ local: showsDevInbox(c) }} hasPasskeys={false} />,
  );
});

/** Returns the waiting form, with `action` as its target. */
async function waitingForm(c: ConsoleContext, action: string): Promise<HeldForm> {
  const { fields } = await heldForm(c);
  const formPage = c.req.query('formPage');
  return { action, fields, ...(formPage !== undefined && { formPage: consolePathOf(formPage) }) };
}
