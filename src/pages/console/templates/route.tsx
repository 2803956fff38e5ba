import { Hono } from 'hono';
import { fieldInformation } from '../../../domain/passes/field-information.ts';
import { listTemplateFacts } from '../../../domain/templates/list-template-facts.ts';
import { getTemplate } from '../../../domain/templates/load-definition.ts';
import type { AccountEnv } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { frameOf, page } from '../reply.tsx';
import { TemplateList } from './template-list.tsx';
import { TemplatePage } from './template-page.tsx';

export const templateRoutes = new Hono<AccountEnv>();

templateRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const templates = await listTemplateFacts(acting);
  return page(
    c,
    <AccountLayout frame={frameOf(c)} title="Templates" section="templates">
      <TemplateList accountId={acting.account.id} templates={templates} />
    </AccountLayout>,
  );
});

templateRoutes.get('/:template', async (c) => {
  const { acting } = c.var;
  const { template, definition } = await getTemplate(acting, c.req.param('template'));
  const shown = { frame: frameOf(c), template, baseUrl: acting.baseUrl, fields: fieldInformation(definition) };
  return page(c, <TemplatePage {...shown} />);
});
