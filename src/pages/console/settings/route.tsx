import { Hono } from 'hono';
import { changeAccountSettings, listSubCustomers } from '../../../domain/accounts/account-settings.ts';
import { invalidField } from '../../../domain/errors.ts';
import { listQuotas } from '../../../domain/quotas/list-quotas.ts';
import { rotateSigningKey } from '../../../domain/signing-keys/rotate-signing-key.ts';
import { listSigningKeys } from '../../../domain/signing-keys/signer.ts';
import { clientFile } from '../../../platform/client-files.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pageOf, submitted, textOf, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { RotateKeyPage, SigningKeyPage, SubCustomersPage } from './parts-pages.tsx';
import { RETENTIONS, SECTION, SettingsPage, type TypedSettings } from './settings-page.tsx';

const PAGE_ROWS = 50;

/** Routes for account settings. All members can view them; only owners can change them. */
export const settingsRoutes = new Hono<AccountEnv>();

const owner = requirePrivilege('owner');
settingsRoutes.post('*', owner);

const pathOf = (c: AccountPageContext, ...parts: string[]) => sectionPath(c.var.acting.account.id, SECTION, ...parts);

settingsRoutes.get('/', async (c) => {
  const quotas = await listQuotas(c.var.acting);
  const saved = c.req.query('saved') !== undefined;
  return page(c, <SettingsPage quotas={quotas} saved={saved} />);
});

settingsRoutes.post('/', async (c) => {
  const { acting, session } = c.var;
  const form = await c.req.parseBody();
  const [name, timezone, language, logoUrl, iconUrl, replyTo] = [
    ...['name', 'timezone', 'language', 'logoUrl', 'iconUrl', 'replyTo'].map((field) => textOf(form, field)),
  ] as [string, string, string, string, string, string];
  const userProvidedLinks = textOf(form, 'userProvidedLinks') === 'true';
  const requirePasskey = textOf(form, 'requirePasskey') === 'true';
  const links = { logoUrl, iconUrl, userProvidedLinks };
  const retention = Object.fromEntries(
    Object.keys(RETENTIONS).map((field) => [field, textOf(form, `retention.${field}`)]),
  ) as TypedSettings['retention'];
  const typed: TypedSettings = { name, timezone, language, replyTo, ...links, requirePasskey, retention };
  return submitted(
    c,
    async () => {
      // Requires a working passkey from the person who sets this, so that the last owner can't lock everyone out.
      if (requirePasskey && !session.hasPasskey) throw invalidField('requirePasskey', 'sign in with a passkey first');
      await changeAccountSettings(acting, typed);
      return c.redirect(`${pathOf(c)}?saved`, 303);
    },
    async () => {
      const shown = { quotas: await listQuotas(acting), typed };
      return <SettingsPage {...shown} saved={false} />;
    },
  );
});

settingsRoutes.get('/sub-customers', async (c) => {
  const beforeId = uuidIn(c, 'before');
  const found = await listSubCustomers(c.var.acting, { limit: PAGE_ROWS + 1, beforeId });
  const [accounts, next] = pageOf(found, PAGE_ROWS, ({ id }) => id);
  const shown = { accounts, next, isFirst: beforeId === undefined };
  return page(c, <SubCustomersPage {...shown} />);
});

settingsRoutes.get('/signing-key', async (c) => {
  const keys = await listSigningKeys(c.var.acting);
  const shown = { keys, scripts: [clientFile('console/copy-code.ts').path] };
  return page(c, <SigningKeyPage {...shown} />);
});

settingsRoutes.get('/signing-key/rotate', owner, (c) => page(c, <RotateKeyPage />));

settingsRoutes.post('/signing-key/rotate', async (c) => {
  const { acting } = c.var;
  await rotateSigningKey(acting);
  return c.redirect(pathOf(c, 'signing-key'), 303);
});
