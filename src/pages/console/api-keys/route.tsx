import { Hono } from 'hono';
import { createApiKey } from '../../../domain/api-keys/create-api-key.ts';
import { deleteApiKey } from '../../../domain/api-keys/delete-api-key.ts';
import { deleteUnusedApiKeys } from '../../../domain/api-keys/delete-unused-api-keys.ts';
import { listApiKeys } from '../../../domain/api-keys/list-api-keys.ts';
import { ALL_RIGHTS, type KeyRights, refuseBeyond } from '../../../domain/api-keys/rights.ts';
import type { Scopes } from '../../../domain/api-keys/scopes.ts';
import { setApiKeyActive } from '../../../domain/api-keys/set-api-key-active.ts';
import { notFound } from '../../../domain/errors.ts';
import { scopesOfMember } from '../../../domain/users/privileges.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, textOf, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { ApiKeyCreatedPage, ApiKeysPage, DeleteApiKeyPage, DeleteUnusedPage, NewApiKeyPage } from './api-key-pages.tsx';

/** The page of API keys. */
export const apiKeyRoutes = new Hono<AccountEnv>();

apiKeyRoutes.use('*', requirePrivilege('api_keys.manage'));

apiKeyRoutes.get('/', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  return page(c, <ApiKeysPage apiKeys={apiKeys} now={Date.now()} />);
});

apiKeyRoutes.get('/new', (c) => {
  const { scopes } = rightsOf(c);
  return page(c, <NewApiKeyPage own={scopes} />);
});

apiKeyRoutes.post('/', async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody({ all: true });
  const typed = {
    name: textOf(form, 'name'),
    lastDay: textOf(form, 'lastDay'),
    scopes: textsOf(form, 'scopes') as Scopes,
  };
  const own = rightsOf(c);
  return submitted(
    c,
    async () => {
      const { apiKey } = await createApiKey(acting, typed, own);
      return page(c, <ApiKeyCreatedPage name={typed.name} apiKey={apiKey} />);
    },
    () => <NewApiKeyPage own={own.scopes} typed={typed} />,
  );
});

apiKeyRoutes.get('/delete-unused', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  return page(c, <DeleteUnusedPage unused={apiKeys.filter(({ lastUsedAt }) => lastUsedAt === null)} />);
});

apiKeyRoutes.post('/delete-unused', async (c) => {
  const { acting } = c.var;
  await deleteUnusedApiKeys(acting);
  return backToKeys(c);
});

apiKeyRoutes.get('/:key/delete', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  const apiKey = apiKeys.find(({ id }) => id === c.req.param('key'));
  if (!apiKey) throw notFound();
  return page(c, <DeleteApiKeyPage apiKey={apiKey} />);
});

/** Who creates a key here: a member, who gives away no more than the member's privileges allow. */
function rightsOf(c: AccountPageContext): KeyRights {
  return { ...ALL_RIGHTS, scopes: scopesOfMember(c.var.privileges) };
}

/** Activates a key whose rights the member has; others would get at them by a key that was switched off. */
async function activate(c: AccountPageContext, id: string): Promise<void> {
  const key = (await listApiKeys(c.var.acting)).find((one) => one.id === id);
  if (!key) throw notFound();
  refuseBeyond(rightsOf(c), key);
  await setApiKeyActive(c.var.acting, id, true);
}

const VERBS = {
  activate,
  deactivate: (c: AccountPageContext, id: string) => setApiKeyActive(c.var.acting, id, false),
  delete: (c: AccountPageContext, id: string) => deleteApiKey(c.var.acting, id),
};

for (const [verb, change] of Object.entries(VERBS)) {
  apiKeyRoutes.post(`/:key/${verb}`, async (c) => {
    const id = c.req.param('key');
    await change(c, id);
    return backToKeys(c);
  });
}

function backToKeys(c: AccountPageContext): Response {
  return c.redirect(sectionPath(c.var.acting.account.id, 'api-keys'), 303);
}
