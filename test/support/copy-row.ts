import { DIRECTORY } from '../../src/domain/shard-map.ts';

/** Runs a statement and returns its rows: `d1`, or the same for a test's own database. */
type Run = <Row>(statement: string, params: unknown[], database?: string) => Promise<Row[]>;

/** Values that differ between copies of a pass; Google has none of the copies. */
export const COPIED_PASS = {
  google_published_at: 'null',
  google_kind: 'null',
  key: 'null',
  id: "printf('0198f000-%04x-7000-8000-%s', numbers.value, substr(id, -12))",
  generated_id: "generated_id || '-' || numbers.value",
  // The original's secrets can't be decrypted in another row, so copies look like passes from before secrets existed.
  secrets: 'null',
  page_token: "page_token || '-' || numbers.value",
};

interface Copies {
  table: string;
  /** The row to copy: a condition with parameters. */
  where: string;
  params: unknown[];
  rows: number;
  /** Values that differ, as SQL by column; `numbers.value` counts the copies from 1. */
  own: Record<string, string>;
}

/** Copies a row many times, faster than through any interface. Returns the identifiers in order. */
export async function copyRow(run: Run, { table, where, params, rows, own }: Copies): Promise<string[]> {
  const named = await run<{ name: string }>('select name from pragma_table_info(?)', [table], DIRECTORY);
  const columns = named.map(({ name }) => name);
  const values = columns.map((name) => own[name] ?? name);
  const copies = await run<{ id: string }>(
    `insert into ${table} (${columns}) with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?)
     select ${values} from (select * from ${table} where ${where}), numbers returning id`,
    [rows, ...params],
  );
  return copies.map(({ id }) => id);
}
