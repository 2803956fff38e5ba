import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { listPasses, passListPart } from '../../domain/search/list-passes.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { PAGE_QUERY, pageFrame, pageOfZone, pageSchema, readInZoneSeen, readListDates } from './paging.ts';
import { PassItemView, passItemView } from './pass-view.ts';

const ListQuery = z.object({ ...PAGE_QUERY, modifiedSince: z.string().optional() });

/** Returns the page that a query requests, without its dates. */
function pageOf({ start, pageSize, lastIdOfPriorPage }: z.output<typeof ListQuery>, templateId: string) {
  return { templateId, start, pageSize, afterId: lastIdOfPriorPage };
}

export const passListRoute = new Hono<ApiEnv>().get(
  '/:template',
  operation({
    id: 'listPasses',
    summary: 'List the passes of a template',
    description: 'Oldest first. Follow `query.next`, which costs the same at any depth.',
    tag: 'Passes',
    scope: 'passes:read',
    replies: { 200: { description: 'One page', schema: pageSchema(PassItemView) } },
  }),
  readAhead('query', ListQuery, (key, query, { template }) =>
    readInZoneSeen(key, query, (dates) => passListPart(ownerOfKey(key), { ...pageOf(query, template!), ...dates })),
  ),
  async (c) => {
    const { ctx, ahead } = c.var;
    const query = c.req.valid('query');
    const asked = { ...pageOf(query, c.req.param('template')), ...readListDates(ctx, query) };
    const page = await listPasses(ctx, asked, pageOfZone(ctx, ahead));
    const place = { hasMore: page.hasMore, last: page.rows.at(-1)?.pass };
    return c.json({
      query: pageFrame(ctx, `/api/pass/list/${page.templateId}`, query, place),
      total: page.total,
      results: page.rows.map(({ pass, definition }) => passItemView(ctx, pass, definition)),
    });
  },
);
