import { Hono } from 'hono';
import { z } from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { invalid } from '../../domain/errors.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { listPasses, type PassPage } from '../../domain/passes/list-passes.ts';
import { formatDateTime, parseDateTime } from '../../platform/dates.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';
import { PassItemView, passItemView } from './pass-view.ts';

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const ListQuery = z.object({
  start: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  pageSize: integer(1, PAGE_SIZE_MAX).default(PAGE_SIZE_MAX),
  lastIdOfPriorPage: z.string().regex(UUID_PATTERN, 'must be the identifier of a pass').optional(),
  lastCreatedOnOfPriorPage: z.string().optional(),
  createdSince: z.string().optional(),
  modifiedSince: z.string().optional(),
});
type ListQuery = z.infer<typeof ListQuery>;

const ListView = z.object({
  query: z.object({ start: z.int(), pageSize: z.int(), self: z.string(), next: z.string().optional() }),
  total: z.int(),
  results: z.array(PassItemView),
});

export const passListRoute = new Hono<ApiEnv>().get(
  '/:template',
  operation({
    id: 'listPasses',
    summary: 'List the passes of a template',
    description: 'Oldest first. Follow `query.next`: a page read that way costs the same at any depth.',
    tag: 'Passes',
    replies: { 200: { description: 'One page', schema: ListView } },
    failures: [404],
  }),
  validate('query', ListQuery),
  async (c) => {
    const { ctx } = c.var;
    const query = c.req.valid('query');
    readDate(ctx, query, 'lastCreatedOnOfPriorPage');
    const page = await listPasses(ctx, {
      templateId: c.req.param('template'),
      start: query.start,
      pageSize: query.pageSize,
      afterId: query.lastIdOfPriorPage,
      createdSince: readDate(ctx, query, 'createdSince'),
      modifiedSince: readDate(ctx, query, 'modifiedSince'),
    });
    const path = `${ctx.baseUrl}/api/pass/list/${c.req.param('template')}`;
    return c.json({
      query: { start: query.start, pageSize: query.pageSize, ...links(ctx, path, query, page) },
      total: page.total,
      results: page.passes.map((pass) => passItemView(ctx, pass, page.templateName)),
    });
  },
);

function readDate(
  ctx: AccountContext,
  query: ListQuery,
  name: 'createdSince' | 'modifiedSince' | 'lastCreatedOnOfPriorPage',
): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const millis = parseDateTime(text, ctx.account.timezone);
  if (millis === undefined) throw invalid(`${name}: must be a date in the format Y-m-d H:i`);
  return millis;
}

/** Addresses of this page and, unless it is the last, of the next one, which starts behind the last pass of this one. */
function links(ctx: AccountContext, path: string, query: ListQuery, page: PassPage): { self: string; next?: string } {
  const self = address(path, query);
  const last = page.passes.at(-1);
  if (!page.hasMore || !last) return { self };
  const next: ListQuery = {
    ...query,
    start: query.start + query.pageSize,
    lastIdOfPriorPage: last.id,
    lastCreatedOnOfPriorPage: formatDateTime(last.createdAt, ctx.account.timezone),
  };
  return { self, next: address(path, next) };
}

function address(path: string, query: ListQuery): string {
  const params = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(params.map(([name, value]) => [name, String(value)]))}`;
}
