import { Hono } from 'hono';
import {
  getConfigurationDetails,
  listConfigurationFacts,
} from '../../../domain/app-configurations/configuration-details.ts';
import { deleteConfiguration } from '../../../domain/app-configurations/delete-configuration.ts';
import { getConfiguration, getListedConfiguration } from '../../../domain/app-configurations/find-configuration.ts';
import { createConfiguration, updateConfiguration } from '../../../domain/app-configurations/write-configuration.ts';
import { DomainError, type Issue, invalidField } from '../../../domain/errors.ts';
import { listTemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { listed, PAGE_ROWS, page, pathTo, submitted, textOf, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { ConfigurationFormPage, type ConfigurationFormProps } from './configuration-form.tsx';
import { ConfigurationListPage, ConfigurationPage, DeleteConfigurationPage } from './configuration-pages.tsx';
import { fieldsOf, NEW_CONFIGURATION, type TypedConfiguration, typedFrom, typedIn } from './form-values.ts';
import { linkRoutes } from './link-route.tsx';

const PAGE_LINKS = 25;

/** Routes for app configurations. */
export const appConfigurationRoutes = new Hono<AccountEnv>();

appConfigurationRoutes.get('/', async (c) => {
  const afterId = uuidIn(c, 'after');
  const found = await listConfigurationFacts(c.var.acting, { limit: PAGE_ROWS + 1, afterId });
  return page(c, <ConfigurationListPage {...listed(found, afterId, ({ id }) => id)} />);
});

appConfigurationRoutes.get('/new', requirePrivilege('scan'), async (c) =>
  page(c, <ConfigurationFormPage {...(await newForm(c, NEW_CONFIGURATION))} />),
);

appConfigurationRoutes.post('/', requirePrivilege('scan'), async (c) => {
  const form = await c.req.parseBody({ all: true });
  const typed = typedIn(form);
  const again = async () => <ConfigurationFormPage {...(await newForm(c, typed))} />;
  if (textOf(form, 'moreRows')) return page(c, await again());
  const work = async () => {
    const { configuration } = await withKnownTemplates(() => createConfiguration(c.var.acting, fieldsOf(typed)));
    return pathOf(c, configuration.id);
  };
  return submitted(c, again, work, toFormNames);
});

appConfigurationRoutes.get('/:configuration', async (c) => {
  const beforeId = uuidIn(c, 'before');
  const found = await getConfigurationDetails(c.var.acting, c.req.param('configuration'), {
    linkLimit: PAGE_LINKS + 1,
    beforeId,
  });
  const links = found.links.slice(0, PAGE_LINKS);
  const next = found.links.length > PAGE_LINKS ? links.at(-1)!.id : undefined;
  const shown = { shown: { ...found, links }, next, isFirst: beforeId === undefined };
  return page(c, <ConfigurationPage {...shown} now={Date.now()} />);
});

appConfigurationRoutes.get('/:configuration/edit', requirePrivilege('scan'), async (c) =>
  page(c, <ConfigurationFormPage {...(await editForm(c, c.req.param('configuration')))} />),
);

appConfigurationRoutes.post('/:configuration', requirePrivilege('scan'), async (c) => {
  const id = c.req.param('configuration');
  const form = await c.req.parseBody({ all: true });
  const typed = typedIn(form);
  const again = async () => <ConfigurationFormPage {...(await editForm(c, id, typed))} />;
  if (textOf(form, 'moreRows')) return page(c, await again());
  const work = async () => {
    await getConfiguration(c.var.acting, id);
    await withKnownTemplates(() => updateConfiguration(c.var.acting, id, fieldsOf(typed)));
    return pathOf(c, id);
  };
  return submitted(c, again, work, toFormNames);
});

appConfigurationRoutes.get('/:configuration/delete', requirePrivilege('scan'), async (c) => {
  const configuration = await getConfiguration(c.var.acting, c.req.param('configuration'));
  return page(c, <DeleteConfigurationPage configuration={configuration} />);
});

appConfigurationRoutes.post('/:configuration/delete', requirePrivilege('scan'), async (c) => {
  await deleteConfiguration(c.var.acting, c.req.param('configuration'));
  return c.redirect(pathOf(c), 303);
});

appConfigurationRoutes.route('/:configuration/links', linkRoutes);

const pathOf = (c: AccountPageContext, ...parts: string[]): string => pathTo(c, 'app-configurations', ...parts);

async function newForm(c: AccountPageContext, typed: TypedConfiguration): Promise<ConfigurationFormProps> {
  const templates = await listTemplateFacts(c.var.acting);
  const to = { action: pathOf(c), back: pathOf(c), button: 'Create configuration' };
  return { title: 'Create app configuration', ...to, typed, templates, places: [] };
}

async function editForm(
  c: AccountPageContext,
  id: string,
  typed?: TypedConfiguration,
): Promise<ConfigurationFormProps> {
  const { configuration, validValidationPlaces } = await getListedConfiguration(c.var.acting, id);
  const templates = await listTemplateFacts(c.var.acting);
  const own = pathOf(c, id);
  return {
    title: `Edit ${configuration.name}`,
    trail: [{ title: configuration.name, href: own }],
    action: own,
    back: own,
    button: 'Save configuration',
    typed: typed ?? typedFrom(configuration),
    templates,
    places: validValidationPlaces ?? [],
  };
}

/** Renames the fields of the API to those of the form. Its questions have numbers. */
function toFormNames(issues: Issue[]): Issue[] {
  const path = (name: string) =>
    name
      .replace(/^passTemplateIds?/, 'Templates')
      .replace(/^additionalProperties\.(\d+)\..*$/, (_, at) => `property-${Number(at) + 1}`);
  return issues.map((issue) => ({ ...issue, path: path(issue.path) }));
}

/** Reports a template that was deleted meanwhile as an issue of the form. */
async function withKnownTemplates<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') {
      throw invalidField('Templates', 'contains a template that no longer exists');
    }
    throw error;
  }
}
