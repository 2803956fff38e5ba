import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Context } from './context.ts';

/** Encrypted texts of one column. The feature that owns the table declares it. */
export interface SealedColumn {
  /** `<table>.<column>`. */
  name: string;
  table: SQLiteTable;
  /** Identifies a row, and orders them. */
  row: SQLiteColumn;
  /** The encrypted text; null for none. */
  sealed: SQLiteColumn | SQL;
  /** Whether the table has a row for each pass, so that its texts are counted once, at the end. */
  isLarge?: boolean;
  /** The name that the text is bound to; absent: the row's identifier. */
  owner?: SQL;
  /**
   * The statement that stores `fresh`, another encryption of the same text, while the old one stands, and returns a row
   * for each that it changed.
   */
  replace(ctx: Context, value: SealedValue, fresh: string): BatchItem<'sqlite'>;
}

/** One encrypted text. */
export interface SealedValue {
  row: string;
  owner: string;
  sealed: string;
}

/** The next texts behind the row `after` that do not begin with `prefix`, in the order of rows. */
export function listStale(
  ctx: Context,
  { table, row, sealed, owner }: SealedColumn,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<SealedValue[]> {
  return ctx.db
    .select({
      row: sql<string>`${row}`.as('row_id'),
      owner: sql<string>`${owner ?? row}`.as('owner'),
      sealed: sql<string>`${sealed}`.as('sealed'),
    })
    .from(table)
    .where(sql`${row} > ${after} and ${sealed} is not null and substr(${sealed}, 1, ${prefix.length}) <> ${prefix}`)
    .orderBy(row)
    .limit(limit)
    .execute() as Promise<SealedValue[]>;
}

/**
 * A column that holds nothing but encrypted texts; `member` is its name in the code. It is replaced while it has the
 * text that was read, so that nothing that was written meanwhile is lost.
 */
export function sealedColumn<Table extends SQLiteTable>(
  table: Table,
  member: keyof Table['_']['columns'] & string,
  row: SQLiteColumn,
  more: Pick<SealedColumn, 'isLarge' | 'owner'> = {},
): SealedColumn {
  const sealed = getTableColumns(table)[member]!;
  // Drizzle's type of an update does not follow a name that is a parameter.
  const values = (fresh: string) => ({ [member]: fresh }) as unknown as SQLiteUpdateSetSource<Table>;
  return {
    name: `${getTableName(table)}.${sealed.name}`,
    table,
    row,
    sealed,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(table)
        .set(values(fresh))
        .where(sql`${row} = ${value.row} and ${sealed} = ${value.sealed}`)
        .returning({ id: row }),
    ...more,
  };
}

/** The statement that counts the texts of each key; `keyId` is null for texts that name none. */
export function countSealed(ctx: Context, { table, sealed }: SealedColumn) {
  // As `platform/sealed-text.ts` writes them: v2.<key>.<iv>.<body>, or v1.<iv>.<body>.
  const named = sql`substr(${sealed}, 4)`;
  const keyId = sql<string | null>`iif(${sealed} like 'v2.%', substr(${named}, 1, instr(${named}, '.') - 1), null)`;
  return ctx.db
    .select({ keyId: keyId.as('key_id'), texts: sql<number>`count(*)`.as('texts') })
    .from(table)
    .where(sql`${sealed} is not null`)
    .groupBy(sql`1`);
}
