import * as z from 'zod';
import type { KeyInCheck } from '../../domain/api-keys/authenticate.ts';
import type { AccountContext } from '../../domain/context.ts';
import { invalidField } from '../../domain/errors.ts';
import { DATE_TIME_HINT, OwnId } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { type BatchPart, EMPTY_PART } from '../../platform/batch-part.ts';
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

/** The dates of a list's query; UTC milliseconds. */
export interface ListDates {
  /** Where the page starts without an identifier. */
  startAt?: number;
  createdSince?: number;
  /** Absent beside `createdSince`. */
  modifiedSince?: number;
}
type DatedQuery = Pick<PageQuery, 'lastIdOfPriorPage' | 'lastCreatedOnOfPriorPage' | 'createdSince'> & {
  modifiedSince?: string;
};

/** The dates of a list's query, in the account's zone. Throws `invalid` naming the parameter. */
export function readListDates({ account }: Pick<AccountContext, 'account'>, query: DatedQuery): ListDates {
  return datesIn(account.timezone, query);
}

function datesIn(timezone: string, query: DatedQuery): ListDates {
  const dateOf = (name: keyof DatedQuery) => {
    const text = query[name];
    if (text === undefined) return undefined;
    const millis = parseDateTime(text, timezone);
    if (millis === undefined) throw invalidField(name, DATE_TIME_HINT);
    return millis;
  };
  return {
    createdSince: dateOf('createdSince'),
    startAt: dateOf('lastCreatedOnOfPriorPage'),
    modifiedSince: query.createdSince === undefined ? dateOf('modifiedSince') : undefined,
  };
}

/** What a list read ahead, for dates of one time zone; absent: no date decided. */
interface ReadInZone<T> {
  timezone?: string;
  page: T;
}

/**
 * What a list reads while its key is checked. Only the account gives its dates their meaning, so they are taken for
 * those of the zone that it had last; `pageOfZone` drops what was read in a wrong one. Nothing before it is known.
 */
export function readInZoneSeen<T>(
  { timezoneSeen }: KeyInCheck,
  query: DatedQuery,
  part: (dates: ListDates) => BatchPart<T>,
): BatchPart<ReadInZone<T> | undefined> {
  const timezone = isDateless(query) ? undefined : timezoneSeen;
  if (timezone === undefined && !isDateless(query)) return EMPTY_PART;
  const { queries, read } = part(timezone === undefined ? {} : datesIn(timezone, query));
  return { queries, read: (results) => ({ timezone, page: read(results) }) };
}

/** Whether a page is decided without a date. */
function isDateless({ createdSince, modifiedSince, lastIdOfPriorPage, lastCreatedOnOfPriorPage }: DatedQuery): boolean {
  const startsAtDate = lastIdOfPriorPage === undefined && lastCreatedOnOfPriorPage !== undefined;
  return createdSince === undefined && modifiedSince === undefined && !startsAtDate;
}

/** What was read ahead, if it is what the account's zone asks for. */
export function pageOfZone<T>(
  { account }: Pick<AccountContext, 'account'>,
  ahead: ReadInZone<T> | undefined,
): T | undefined {
  return ahead && (ahead.timezone ?? account.timezone) === account.timezone ? ahead.page : undefined;
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
