import { Hono } from 'hono';
import { checked } from '../../../domain/check.ts';
import { pagePath } from '../../../domain/passes/page/links.ts';
import { type FieldInformation, fieldInformation } from '../../../domain/passes/values/field-information.ts';
import { sampleFields } from '../../../domain/passes/values/sample-fields.ts';
import { CopyFields, copyTemplate } from '../../../domain/templates/copy-template.ts';
import { createTemplate } from '../../../domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';
import { deleteTemplate } from '../../../domain/templates/delete-template.ts';
import { getTemplate } from '../../../domain/templates/get-template.ts';
import { listDefinedTemplates } from '../../../domain/templates/list-defined-templates.ts';
import type { Template } from '../../../domain/templates/table.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { issuePass } from '../../../wallets/issue-pass.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { Table } from '../list-table.tsx';
import { Confirm, Fact, formatNumber } from '../parts.tsx';
import { page, pathTo, submitted, textOf, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { hrefTo } from '../viewer.ts';
import { drawable } from './designer/draft.ts';
import { designerRoutes } from './designer/route.tsx';
import { importRoutes } from './import-route.tsx';
import { CopyTemplatePage, NewTemplatePage } from './new-template-page.tsx';
import { notificationRoutes } from './notifications/route.tsx';
import { projectRoutes } from './projects/route.tsx';
import { publishRoutes } from './publish/route.tsx';
import { startingPoints } from './starting-points.ts';
import { TemplateCardsPage } from './template-cards.tsx';
import { SECTION, TemplateLayout } from './template-layout.tsx';
import { drawThumbnail } from './thumbnail.tsx';

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
  const form = await c.req.parseBody();
  const typed = { name: textOf(form, 'name'), start: textOf(form, 'start') };
  const starts = startingPoints(c.var.acting.account.name);
  const { definition } = starts.find(({ id }) => id === typed.start) ?? starts[0]!;
  const again = async () => <NewTemplatePage starts={await drawnStarts(c)} typed={typed} />;
  return submitted(c, again, async () => {
    const input = checked(TemplateDefinition, { ...definition, name: typed.name });
    const { identifier, omitted } = await createTemplate(c.var.acting, input);
    const without = omitted.length > 0 ? `?without=${omitted.map(({ role }) => role)}` : '';
    return pathTo(c, 'templates', identifier) + without;
  });
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
  const original = c.req.param('template');
  const name = textOf(await c.req.parseBody(), 'name');
  const again = async () => {
    const { template } = await getTemplate(c.var.acting, original);
    return <CopyTemplatePage template={template} typed={name} />;
  };
  return submitted(c, again, async () => {
    const fields = checked(CopyFields, { name });
    const { identifier } = await copyTemplate(c.var.acting, original, fields);
    return pathTo(c, 'templates', identifier);
  });
});

templateRoutes.get('/:template/delete', requirePrivilege('templates.edit'), async (c) => {
  const { template } = await getTemplate(c.var.acting, c.req.param('template'));
  return page(c, <DeleteTemplatePage template={template} />);
});

templateRoutes.post('/:template/delete', requirePrivilege('templates.edit'), async (c) => {
  await deleteTemplate(c.var.acting, c.req.param('template'));
  return c.redirect(`${pathTo(c, SECTION)}?deleted`, 303);
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
  const { template, definition } = await getTemplate(c.var.acting, c.req.param('template'));
  return page(c, <ApiPage template={template} baseUrl={c.var.acting.baseUrl} fields={fieldInformation(definition)} />);
});

templateRoutes.route('/', publishRoutes);
templateRoutes.route('/', notificationRoutes);
templateRoutes.route('/', designerRoutes);

/** Instructions for creating passes of a template by API. */
function ApiPage({ template, fields, baseUrl }: { template: Template; fields: FieldInformation[]; baseUrl: string }) {
  const address = `${baseUrl}/api/pass-template/${template.id}?integrationStyle=true`;
  return (
    <TemplateLayout template={template} current="api" scripts={[clientFile('console/copy-code.ts').path]}>
      <dl class="facts">
        <Fact title="Passes" value={formatNumber(template.passCount)} />
        <Fact title="Template identifier" value={<code>{template.id}</code>} />
      </dl>
      <section class="panel" aria-labelledby="fields">
        <header>
          <h2 id="fields">Field information</h2>
          <a href="/docs#createPassV3">Create a pass with the API</a>
        </header>
        <Table
          rows={fields}
          columns={[
            ['Label', ({ label }) => label],
            ['Key', ({ key }) => <code>{key}</code>],
            ['Type', ({ type }) => type],
            ['Required', ({ required }) => (required ? 'Yes' : 'No')],
          ]}
        />
        <CodeBlock
          title="Field information from the API"
          code={`curl "${address}" \\\n  -H "Authorization: $API_KEY"`}
        />
      </section>
    </TemplateLayout>
  );
}

/** Confirmation page before a template and its passes are deleted. */
function DeleteTemplatePage({ template }: { template: Template }) {
  const path = hrefTo(SECTION, template.id);
  const { passCount, name } = template;
  const goes = passCount === 1 ? 'Its pass is deleted, too' : `Its ${formatNumber(passCount)} passes are deleted, too`;
  return (
    <TemplateLayout template={template} title={`Delete ${name}?`}>
      <Confirm
        action={`${path}/delete`}
        button={
          passCount === 0 ? 'Delete template' : `Delete template and ${passCount === 1 ? 'its pass' : 'its passes'}`
        }
        back={path}
        fields={{ name }}
      >
        <p>
          <strong>{name}</strong> is deleted at once. You can’t create passes from it anymore, and its scheduled pushes
          and publications are canceled.
        </p>
        <p>
          {passCount === 0
            ? 'It has no passes.'
            : `${goes}. Their pages and files stop working, and their devices are notified. This happens in the background.`}{' '}
          You can’t undo this.
        </p>
      </Confirm>
    </TemplateLayout>
  );
}
