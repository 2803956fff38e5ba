import * as z from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { invalidField } from '../../domain/errors.ts';
import { DATE_TIME_HINT, OwnId } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { formatDateTime, parseDateTime } from '../../platform/dates.ts';
import { ORIGIN, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { Count, like, text } from '../view-fields.ts';

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** Members that the query of every v1 list takes. */
export const PAGE_QUERY = {
  start: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  pageSize: integer(1, PAGE_SIZE_MAX).default(PAGE_SIZE_MAX),
  lastIdOfPriorPage: OwnId.pipe(z.uuid()).optional(),
  lastCreatedOnOfPriorPage: z.string().optional(),
  createdSince: z.string().optional(),
};
const PageQuery = z.object(PAGE_QUERY);
type PageQuery = z.infer<typeof PageQuery>;

/** The frame of a v1 list around items of this shape. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  const query = z.object({
    start: z.int(),
    pageSize: like(z.int(), 100),
    self: text(`${ORIGIN}/api/pass/list/${TEMPLATE_ID_EXAMPLE}?start=0&pageSize=100`),
    next: z.string().optional(),
  });
  return z.object({ query, total: Count, results: z.array(item) });
}

/**
 * Whether a page is decided without a date, which the zone of the account gives its meaning: `readAhead` does not know
 * the account yet.
 */
export function isDateless(query: PageQuery & { modifiedSince?: string }): boolean {
  const { createdSince, modifiedSince, lastIdOfPriorPage, lastCreatedOnOfPriorPage } = query;
  const startsAtDate = lastIdOfPriorPage === undefined && lastCreatedOnOfPriorPage !== undefined;
  return createdSince === undefined && modifiedSince === undefined && !startsAtDate;
}

/** A date of a list's query, in the account's zone; UTC milliseconds. Throws `invalid` naming the parameter. */
export function readListDate<Name extends string>(
  ctx: AccountContext,
  query: Partial<Record<NoInfer<Name>, unknown>>,
  name: Name,
): number | undefined {
  const text = query[name];
  if (typeof text !== 'string') return undefined;
  const millis = parseDateTime(text, ctx.account.timezone);
  if (millis === undefined) throw invalidField(name, `${DATE_TIME_HINT}`);
  return millis;
}

/**
 * `query` of a list's reply: addresses of this page and, unless it is the last, of the next one, which starts behind
 * `last`.
 */
export function pageFrame<Query extends PageQuery>(
  ctx: AccountContext,
  path: string,
  query: Query,
  { hasMore, last }: { hasMore: boolean; last: { id: string; createdAt: number } | undefined },
) {
  const { start, pageSize } = query;
  const frame: { start: number; pageSize: number; self: string; next?: string } = {
    start,
    pageSize,
    self: address(ctx, path, query),
  };
  if (!hasMore || !last) return frame;
  const lastCreatedOnOfPriorPage = formatDateTime(last.createdAt, ctx.account.timezone);
  const next = { ...query, start: start + pageSize, lastIdOfPriorPage: last.id, lastCreatedOnOfPriorPage };
  return { ...frame, next: address(ctx, path, next) };
}

function address(ctx: AccountContext, path: string, query: PageQuery): string {
  const params = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${ctx.baseUrl}${path}?${new URLSearchParams(params.map(([name, value]) => [name, String(value)]))}`;
}
