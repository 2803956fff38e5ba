import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { clockOffset } from '../platform/clock.ts';
import { isRowOf, rowKey } from '../platform/raw-statement.ts';
import type { Context } from './context.ts';
import { isNotCopy } from './moved.ts';

/** Rows that one statement deletes or changes, so that it doesn't block the requests behind it. */
export const PAGE_ROWS = 1_000;
/** Pages of one cron run. The next minute continues. */
export const RUN_PAGES_MAX = 20;

/** All remaining pages, until one is not full. */
export const ALL = { enough: PAGE_ROWS, pagesMax: Number.POSITIVE_INFINITY };

/** Repeats `page`, which returns the number of rows that it changed, until that is less than `enough`. */
export async function runInPages(
  page: () => Promise<number>,
  { enough = 1, pagesMax = RUN_PAGES_MAX }: { enough?: number; pagesMax?: number } = {},
): Promise<void> {
  for (let pages = 0; pages < pagesMax; pages++) if ((await page()) < enough) return;
}

/** Builds the condition for one page of the rows that match `condition`. */
export function pageOf(table: SQLiteTable, condition: SQL | undefined): SQL {
  const where = condition ? sql` where ${condition}` : sql``;
  return isRowOf(table, sql`(select ${rowKey(table)} from ${table}${where} limit ${PAGE_ROWS})`);
}

/**
 * Builds the query of the oldest rows of a table that is stored in the order of time, as many as a page. While the
 * first row isn't `isOld`, it reads no other. It passes over rows that don't meet `condition`: they may fill a page.
 */
export function oldestRows(
  table: SQLiteTable,
  { columns, order, isOld, condition }: { columns: SQL; order: SQL; isOld: SQL; condition: SQL },
): SQL {
  // In the limit, it is evaluated once; as a condition, once per row.
  const isDue = sql`(select ${isOld} from ${table} order by ${order} limit 1)`;
  return sql`(select ${columns} from ${table} where ${condition} order by ${order} limit iif(${isDue}, ${PAGE_ROWS}, 0))`;
}

const MINUTE_MS = 60_000;
/** Parts of a table, one for each minute of a week. */
const PARTS = 7 * 24 * 60;

/**
 * Walks through a table once a week, for rows without a due time. Calls `page` with the condition for the next rows, by
 * row number, of this minute's part. Reads the table's last row.
 */
export async function runWeekly(
  { db }: Pick<Context, 'db'>,
  table: SQLiteTable,
  now: number,
  page: (isHere: SQL) => Promise<unknown>,
): Promise<void> {
  const [row] = await db.select({ last: sql<number | null>`max(rowid)` }).from(table);
  const last = row?.last ?? 0;
  const part = Math.floor(now / MINUTE_MS) % PARTS;
  // A local service whose clock was advanced skips minutes, so it looks at all rows.
  const [first, parts] = clockOffset() > 0 ? [0, PARTS] : [part, 1];
  const end = Math.floor((last * (first + parts)) / PARTS);
  for (let after = Math.floor((last * first) / PARTS); after < end; after += PAGE_ROWS) {
    await page(sql`rowid > ${after} and rowid <= ${Math.min(after + PAGE_ROWS, end)}`);
  }
}

/**
 * Deletes the rows of a table that match `isOld`, page by page, except those of accounts that have moved away. An index
 * should serve `isOld`.
 */
export function purge(
  { db }: Pick<Context, 'db'>,
  table: SQLiteTable,
  isOld: SQL,
  options: { enough?: number; pagesMax?: number } = { enough: PAGE_ROWS },
): Promise<void> {
  const { accountId } = getTableColumns(table);
  const page = pageOf(table, accountId ? sql`${isOld} and ${isNotCopy(accountId)}` : isOld);
  return runInPages(async () => (await db.delete(table).where(page)).meta.changes, options);
}
