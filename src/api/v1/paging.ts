import * as z from 'zod';
import type { KeyInCheck } from '../../domain/api-keys/authenticate.ts';
import type { AccountContext } from '../../domain/context.ts';
import { invalidField } from '../../domain/errors.ts';
import { DATE_TIME_HINT, OwnId } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { type BatchPart, EMPTY_PART } from '../../platform/batch-part.ts';
import { formatDateTime, parseSince } from '../../platform/dates.ts';
import { ORIGIN, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { Count, like, text } from '../view-fields.ts';

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** Query parameters of every v1 list. */
export const PAGE_QUERY = {
  start: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  pageSize: integer(1, PAGE_SIZE_MAX).default(PAGE_SIZE_MAX),
  lastIdOfPriorPage: OwnId.pipe(z.uuid()).optional(),
  lastCreatedOnOfPriorPage: z.string().optional(),
  createdSince: z.string().optional(),
};
const PageQuery = z.object(PAGE_QUERY);
type PageQuery = z.infer<typeof PageQuery>;

/** Returns the schema of a v1 list with items of this shape. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  const query = z.object({
    start: z.int(),
    pageSize: like(z.int(), 100),
    self: text(`${ORIGIN}/api/pass/list/${TEMPLATE_ID_EXAMPLE}?start=0&pageSize=100`),
    next: z.string().optional(),
  });
  return z.object({ query, total: Count, results: z.array(item) });
}

/** Dates in a list's query, in UTC milliseconds. */
export interface ListDates {
  /** Start of the page if no identifier is given. */
  startAt?: number;
  createdSince?: number;
  /** Absent if `createdSince` is given. */
  modifiedSince?: number;
}
type DatedQuery = Pick<PageQuery, 'lastIdOfPriorPage' | 'lastCreatedOnOfPriorPage' | 'createdSince'> & {
  modifiedSince?: string;
};

/** Reads the dates of a list's query in the account's zone. Throws `invalid` with the parameter's name. */
export function readListDates({ account }: Pick<AccountContext, 'account'>, query: DatedQuery): ListDates {
  return datesIn(account.timezone, query);
}

function datesIn(timezone: string, query: DatedQuery): ListDates {
  const dateOf = (name: keyof DatedQuery) => {
    const text = query[name];
    if (text === undefined) return undefined;
    const millis = parseSince(text, timezone);
    if (millis === undefined) throw invalidField(name, DATE_TIME_HINT);
    return millis;
  };
  return {
    createdSince: dateOf('createdSince'),
    startAt: dateOf('lastCreatedOnOfPriorPage'),
    modifiedSince: query.createdSince === undefined ? dateOf('modifiedSince') : undefined,
  };
}

/** A page that was read ahead, with the time zone of its dates. Absent: no date was needed. */
interface ReadInZone<T> {
  timezone?: string;
  page: T;
}

/**
 * Reads a list ahead while its key is checked. Dates depend on the account's time zone, which isn't known yet, so the
 * last zone seen is used; `pageOfZone` drops a page that was read in another one. Reads nothing if no zone was seen.
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

/** Returns whether a page depends on no date. */
function isDateless({ createdSince, modifiedSince, lastIdOfPriorPage, lastCreatedOnOfPriorPage }: DatedQuery): boolean {
  const startsAtDate = lastIdOfPriorPage === undefined && lastCreatedOnOfPriorPage !== undefined;
  return createdSince === undefined && modifiedSince === undefined && !startsAtDate;
}

/** Returns the page that was read ahead if it was read in the account's time zone. */
export function pageOfZone<T>(
  { account }: Pick<AccountContext, 'account'>,
  ahead: ReadInZone<T> | undefined,
): T | undefined {
  return ahead && (ahead.timezone ?? account.timezone) === account.timezone ? ahead.page : undefined;
}

/**
 * Returns `query` of a list's reply: the URLs of this page and, unless it is the last, of the next one, which starts
 * after `last`.
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
