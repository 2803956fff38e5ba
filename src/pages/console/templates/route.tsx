import { Hono } from 'hono';
import { checked } from '../../../domain/check.ts';
import { pagePath } from '../../../domain/passes/page/links.ts';
import { fieldInformation } from '../../../domain/passes/values/field-information.ts';
import { sampleFields } from '../../../domain/passes/values/sample-fields.ts';
import { CopyFields, copyTemplate } from '../../../domain/templates/copy-template.ts';
import { createTemplate } from '../../../domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';
import { deleteTemplate } from '../../../domain/templates/delete-template.ts';
import { getTemplate } from '../../../domain/templates/get-template.ts';
import { listDefinedTemplates } from '../../../domain/templates/list-defined-templates.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { issuePass } from '../../../wallets/issue-pass.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, textOf, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { ApiPage } from './api-page.tsx';
import { DeleteTemplatePage } from './delete-template-page.tsx';
import { drawable } from './designer/draft.ts';
import { designerRoutes } from './designer/route.tsx';
import { drawThumbnail } from './draw-thumbnail.ts';
import { importRoutes } from './import-route.tsx';
import { CopyTemplatePage, NewTemplatePage } from './new-template-page.tsx';
import { notificationRoutes } from './notifications/route.tsx';
import { projectRoutes } from './projects/route.tsx';
import { publishRoutes } from './publish/route.tsx';
import { startingPoints } from './starting-points.ts';
import { TemplateCardsPage } from './template-cards.tsx';
import { SECTION, templatePath } from './template-layout.tsx';

const CARDS_PER_PAGE = 24;
const TEST_TAG_CHARS = 8;

export const templateRoutes = new Hono<AccountEnv>();

templateRoutes.route('/', projectRoutes);
templateRoutes.route('/', importRoutes);

templateRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const search = (c.req.query('q') ?? '').trim();
  const beforeId = uuidIn(c, 'before');
  // One extra row shows whether there is another page.
  const found = await listDefinedTemplates(acting, { limit: CARDS_PER_PAGE + 1, beforeId, search });
  const shown = found.slice(0, CARDS_PER_PAGE);
  const items = await Promise.all(
    shown.map(async (item) => {
      const { template, definition } = item;
      return { ...item, drawn: await drawThumbnail(acting, { version: template.version, definition }, template.id) };
    }),
  );
  const next = found.length > CARDS_PER_PAGE ? shown.at(-1)!.template.id : undefined;
  const isFirst = beforeId === undefined;
  const deleted = c.req.query('deleted') !== undefined;
  const props = { items, search, next, isFirst, deleted };
  return page(c, <TemplateCardsPage {...props} />);
});

templateRoutes.get('/new', requirePrivilege('templates.edit'), async (c) => {
  return page(c, <NewTemplatePage starts={await drawnStarts(c)} />);
});

templateRoutes.post('/', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const typed = { name: textOf(form, 'name'), start: textOf(form, 'start') };
  const starts = startingPoints(acting.account.name);
  const { definition } = starts.find(({ id }) => id === typed.start) ?? starts[0]!;
  return submitted(
    c,
    async () => {
      const input = checked(TemplateDefinition, { ...definition, name: typed.name });
      const { identifier, omitted } = await createTemplate(acting, input);
      const without = omitted.length > 0 ? `?without=${omitted.map(({ role }) => role)}` : '';
      return c.redirect(templatePath(acting.account.id, identifier) + without, 303);
    },
    async () => <NewTemplatePage starts={await drawnStarts(c)} typed={typed} />,
  );
});

async function drawnStarts(c: AccountPageContext) {
  const { acting } = c.var;
  const starts = startingPoints(acting.account.name);
  return Promise.all(
    starts.map(async (start) => {
      const definition = await drawable(acting, start.definition);
      return { ...start, drawn: await drawThumbnail(acting, { version: 1, definition }, start.id) };
    }),
  );
}

templateRoutes.get('/:template/copy', requirePrivilege('templates.edit'), async (c) => {
  const { template } = await getTemplate(c.var.acting, c.req.param('template'));
  return page(c, <CopyTemplatePage template={template} />);
});

templateRoutes.post('/:template/copy', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const original = c.req.param('template');
  const name = textOf(await c.req.parseBody(), 'name');
  return submitted(
    c,
    async () => {
      const fields = checked(CopyFields, { name });
      const { identifier } = await copyTemplate(acting, original, fields);
      return c.redirect(templatePath(acting.account.id, identifier), 303);
    },
    async () => {
      const { template } = await getTemplate(acting, original);
      return <CopyTemplatePage template={template} typed={name} />;
    },
  );
});

templateRoutes.get('/:template/delete', requirePrivilege('templates.edit'), async (c) => {
  const { template } = await getTemplate(c.var.acting, c.req.param('template'));
  return page(c, <DeleteTemplatePage template={template} />);
});

templateRoutes.post('/:template/delete', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const id = c.req.param('template');
  await deleteTemplate(acting, id);
  return c.redirect(`${sectionPath(acting.account.id, SECTION)}?deleted`, 303);
});

/** Creates a pass with sample values, and shows it. */
templateRoutes.post('/:template/test-pass', requirePrivilege('passes.edit'), async (c) => {
  const { acting } = c.var;
  const { template, definition } = await getTemplate(acting, c.req.param('template'));
  const tag = crypto.randomUUID().slice(0, TEST_TAG_CHARS);
  const fields = sampleFields(definition, { tag, now: Date.now(), timezone: timeZoneOf(acting.account, definition) });
  const { pass } = await issuePass(acting, template.id, fields, { wait: true });
  return c.redirect(pagePath(acting.env, pass), 303);
});

templateRoutes.get('/:template/api', async (c) => {
  const { acting } = c.var;
  const { template, definition } = await getTemplate(acting, c.req.param('template'));
  const shown = { template, baseUrl: acting.baseUrl, fields: fieldInformation(definition) };
  return page(c, <ApiPage {...shown} />);
});

templateRoutes.route('/', publishRoutes);
templateRoutes.route('/', notificationRoutes);
templateRoutes.route('/', designerRoutes);
