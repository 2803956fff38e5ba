import { Hono } from 'hono';
import { createApiKey } from '../../../domain/api-keys/create-api-key.ts';
import { deleteUnusedApiKeys } from '../../../domain/api-keys/delete-unused-api-keys.ts';
import { getApiKey, getKeyWithin, listApiKeys } from '../../../domain/api-keys/list-api-keys.ts';
import {
  ApiKeyPatch,
  deleteApiKey,
  Rotation,
  rotateApiKey,
  updateApiKey,
} from '../../../domain/api-keys/manage-api-key.ts';
import { ALL_RIGHTS, type KeyRights } from '../../../domain/api-keys/rights.ts';
import type { Scopes } from '../../../domain/api-keys/scopes.ts';
import { setApiKeyActive } from '../../../domain/api-keys/set-api-key-active.ts';
import type { ApiKey } from '../../../domain/api-keys/table.ts';
import { checked } from '../../../domain/check.ts';
import { type Issue, notFound } from '../../../domain/errors.ts';
import { listTemplateFacts, type TemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import { scopesOfMember } from '../../../domain/users/privileges.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pathTo, submitted, textOf, textsIn, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { BLANK_KEY, type TypedKey } from './api-key-form.tsx';
import {
  ApiKeysPage,
  ApiKeyValuePage,
  DeleteApiKeyPage,
  DeleteUnusedPage,
  EditApiKeyPage,
  NewApiKeyPage,
  RotateApiKeyPage,
  SECTION,
} from './api-key-pages.tsx';

/** Routes for the API keys of an account. */
export const apiKeyRoutes = new Hono<AccountEnv>();

apiKeyRoutes.use('*', requirePrivilege('api_keys.manage'));

apiKeyRoutes.get('/', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  return page(c, <ApiKeysPage apiKeys={apiKeys} now={Date.now()} />);
});

apiKeyRoutes.get('/new', async (c) => {
  const templates = await listTemplateFacts(c.var.acting);
  return page(c, <NewApiKeyPage own={rightsOf(c).scopes} templates={templates} typed={BLANK_KEY} />);
});

apiKeyRoutes.post('/', async (c) => {
  const { acting } = c.var;
  const typed = typedIn(await c.req.parseBody({ all: true }));
  const own = rightsOf(c);
  const again = async () => (
    <NewApiKeyPage own={own.scopes} templates={await listTemplateFacts(acting)} typed={typed} />
  );
  const work = async () => {
    const { name, scopes, lastDay } = typed;
    const { apiKey: value, apiKeyId } = await createApiKey(acting, { name, scopes, lastDay, ...limitsOf(typed) }, own);
    const shown = { apiKey: await getApiKey(acting, apiKeyId), templates: await listTemplateFacts(acting) };
    return page(c, <ApiKeyValuePage title="API key created" value={value} {...shown} />);
  };
  return submitted(c, again, work, inWordsOfTheForm);
});

apiKeyRoutes.get('/delete-unused', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  return page(c, <DeleteUnusedPage unused={apiKeys.filter(({ lastUsedAt }) => lastUsedAt === null)} />);
});

apiKeyRoutes.post('/delete-unused', async (c) => {
  await deleteUnusedApiKeys(c.var.acting);
  return c.redirect(pathTo(c, SECTION), 303);
});

apiKeyRoutes.get('/:key/delete', async (c) => {
  const apiKeys = await listApiKeys(c.var.acting);
  const apiKey = apiKeys.find(({ id }) => id === c.req.param('key'));
  if (!apiKey) throw notFound();
  return page(c, <DeleteApiKeyPage apiKey={apiKey} />);
});

apiKeyRoutes.get('/:key', async (c) => {
  const [apiKey, templates] = await keyWithin(c);
  const form = { own: rightsOf(c).scopes, templates, typed: typedOf(apiKey, c.var.acting.account.timezone) };
  return page(c, <EditApiKeyPage apiKey={apiKey} now={Date.now()} {...form} />);
});

apiKeyRoutes.post('/:key', async (c) => {
  const typed = typedIn(await c.req.parseBody({ all: true }));
  const [apiKey, templates] = await keyWithin(c);
  const own = rightsOf(c);
  const work = async () => {
    const { name, scopes, lastDay } = typed;
    const isSameDay = lastDay === typedOf(apiKey, c.var.acting.account.timezone).lastDay;
    const expiry = lastDay === '' ? { expiresAt: null } : { lastDay };
    const patch = checked(ApiKeyPatch, { name, scopes, ...limitsOf(typed) });
    await updateApiKey(c.var.acting, apiKey.id, { ...patch, ...(isSameDay ? {} : expiry) }, own);
    return pathTo(c, SECTION);
  };
  return submitted(
    c,
    <EditApiKeyPage apiKey={apiKey} now={Date.now()} own={own.scopes} templates={templates} typed={typed} />,
    work,
    inWordsOfTheForm,
  );
});

apiKeyRoutes.get('/:key/rotate', async (c) => {
  const [apiKey, templates] = await keyWithin(c);
  return page(c, <RotateApiKeyPage apiKey={apiKey} templates={templates} />);
});

apiKeyRoutes.post('/:key/rotate', async (c) => {
  const form = await c.req.parseBody();
  const [{ id, ...apiKey }, templates] = await keyWithin(c);
  return submitted(c, <RotateApiKeyPage apiKey={{ id, ...apiKey }} templates={templates} />, async () => {
    const rotation = checked(Rotation, { overlapMinutes: Number(textOf(form, 'overlapMinutes')) });
    const { apiKey: value, previousUntil } = await rotateApiKey(c.var.acting, id, rotation, rightsOf(c));
    const shown = { apiKey: { id, ...apiKey, previousUntil }, templates };
    return page(c, <ApiKeyValuePage title="API key rotated" value={value} {...shown} />);
  });
});

/** Returns what a member can grant, which is limited by the member's own privileges. */
const rightsOf = (c: AccountPageContext): KeyRights => ({ ...ALL_RIGHTS, scopes: scopesOfMember(c.var.privileges) });

/** Returns the key of the path and the account's templates. Throws unless the member has all of the key's rights. */
async function keyWithin(c: AccountPageContext): Promise<[ApiKey, TemplateFacts[]]> {
  const apiKey = await getKeyWithin(c.var.acting, c.req.param('key') ?? '', rightsOf(c));
  return [apiKey, await listTemplateFacts(c.var.acting)];
}

function typedIn(form: Record<string, unknown>): TypedKey {
  return {
    ...textsIn(form, 'name', 'lastDay', 'allowedIps'),
    scopes: textsOf(form, 'scopes') as Scopes,
    templateIds: textsOf(form, 'templateIds'),
  };
}

/** Returns a key as form values. A key that expires during a day shows that day. */
function typedOf({ name, scopes, templateIds, allowedIps, expiresAt }: ApiKey, timezone: string): TypedKey {
  return {
    ...{ name, scopes, templateIds: templateIds ?? [] },
    lastDay: expiresAt === null ? '' : formatDateTime(expiresAt - 1, timezone).slice(0, 10),
    allowedIps: (allowedIps ?? []).join('\n'),
  };
}

/** Returns the limits of a key. An empty field means no limit. */
function limitsOf({ templateIds, allowedIps }: TypedKey) {
  const addresses = allowedIps.split(/[\s,]+/).filter((address) => address !== '');
  return {
    templateIds: templateIds.length > 0 ? templateIds : null,
    allowedIps: addresses.length > 0 ? addresses : null,
  };
}

/** The API names full access `*`. */
const inWordsOfTheForm = (issues: Issue[]) =>
  issues.map((issue) =>
    issue.path === 'scopes' && issue.message.startsWith('must ')
      ? { ...issue, message: 'select “Full access”, or at least one other scope' }
      : issue,
  );

/**
 * Activates a key if the member has its rights. Otherwise a deactivated key could grant rights that the member lacks.
 */
async function activate(c: AccountPageContext, id: string): Promise<void> {
  await getKeyWithin(c.var.acting, id, rightsOf(c));
  await setApiKeyActive(c.var.acting, id, true);
}

const VERBS = {
  activate,
  deactivate: (c: AccountPageContext, id: string) => setApiKeyActive(c.var.acting, id, false),
  delete: (c: AccountPageContext, id: string) => deleteApiKey(c.var.acting, id),
};

for (const [verb, change] of Object.entries(VERBS)) {
  apiKeyRoutes.post(`/:key/${verb}`, async (c) => {
    await change(c, c.req.param('key'));
    return c.redirect(pathTo(c, SECTION), 303);
  });
}
