import { csvStream } from '../../platform/csv.ts';
import { formatDateTime } from '../../platform/dates.ts';
import type { AccountPageContext } from './console-env.ts';
import { csvHeaders } from './reply.tsx';

/** A column of a CSV file: its title, and the cell of an item. */
export type CsvColumn<Item> = [title: string, cell: (item: Item) => string | number | boolean | null | undefined];

/** Returns a CSV file, named by the day in the account's time zone, and streamed while its pages are read. */
export function csvReply<Item>(
  c: AccountPageContext,
  name: string,
  columns: CsvColumn<Item>[],
  pages: AsyncIterator<readonly Item[]>,
): Response {
  const titles = columns.map(([title]) => title);
  const body = csvStream(titles, pages, (item: Item) => columns.map(([, cell]) => cell(item)));
  const today = formatDateTime(Date.now(), c.var.acting.account.timezone).slice(0, 10);
  return c.body(body, 200, csvHeaders(`${name}-${today}.csv`));
}
