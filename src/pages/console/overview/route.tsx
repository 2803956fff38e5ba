import { Hono } from 'hono';
import { listTemplateFacts } from '../../../domain/templates/list-template-facts.ts';
import type { AccountEnv } from '../console-env.ts';
import { frameOf, page } from '../reply.tsx';
import { OverviewPage } from './overview-page.tsx';

export const overviewRoutes = new Hono<AccountEnv>();

overviewRoutes.get('/', async (c) => {
  const templates = await listTemplateFacts(c.var.acting);
  return page(c, <OverviewPage frame={frameOf(c)} templates={templates} />);
});
