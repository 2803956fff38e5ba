import { Hono } from 'hono';
import * as z from 'zod';
import { listPasses } from '../../domain/search/list-passes.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';
import { PAGE_QUERY, pageFrame, pageSchema, readListDate } from './paging.ts';
import { PassItemView, passItemView } from './pass-view.ts';

const ListQuery = z.object({ ...PAGE_QUERY, modifiedSince: z.string().optional() });

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
  validate('query', ListQuery),
  async (c) => {
    const { ctx } = c.var;
    const query = c.req.valid('query');
    const createdSince = readListDate(ctx, query, 'createdSince');
    const page = await listPasses(ctx, {
      templateId: c.req.param('template'),
      start: query.start,
      pageSize: query.pageSize,
      afterId: query.lastIdOfPriorPage,
      startAt: readListDate(ctx, query, 'lastCreatedOnOfPriorPage'),
      createdSince,
      modifiedSince: createdSince === undefined ? readListDate(ctx, query, 'modifiedSince') : undefined,
    });
    const place = { hasMore: page.hasMore, last: page.rows.at(-1)?.pass };
    return c.json({
      query: pageFrame(ctx, `/api/pass/list/${page.templateId}`, query, place),
      total: page.total,
      results: page.rows.map(({ pass, definition }) => passItemView(ctx, pass, definition)),
    });
  },
);
