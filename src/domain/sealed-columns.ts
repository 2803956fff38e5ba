import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Context } from './context.ts';

/** A column of encrypted texts, declared by the feature that owns the table. */
export interface SealedColumn {
  /** `<table>.<column>`. */
  name: string;
  table: SQLiteTable;
  /** Column that identifies and orders the rows. */
  row: SQLiteColumn;
  /** Encrypted text; null: none. */
  sealed: SQLiteColumn | SQL;
  /** Whether the table has one row per pass. Its texts are then counted only once, at the end. */
  isLarge?: boolean;
  /** Owner that the encryption binds the text to; absent: the row's identifier. */
  owner?: SQL;
  /**
   * Builds the statement that stores `fresh`, a new encryption of the same text, if the old one is still stored. It
   * returns one row per change.
   */
  replace(ctx: Context, value: SealedValue, fresh: string): BatchItem<'sqlite'>;
}

/** One encrypted text. */
export interface SealedValue {
  row: string;
  owner: string;
  sealed: string;
}

/** Returns the next texts after the row `after` that don't begin with `prefix`, in row order. */
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
 * Declares a column that holds only encrypted texts; `member` is its name in the code. A text is replaced only if it is
 * still the one that was read, so a concurrent write isn't lost.
 */
export function sealedColumn<Table extends SQLiteTable>(
  table: Table,
  member: keyof Table['_']['columns'] & string,
  row: SQLiteColumn,
  more: Pick<SealedColumn, 'isLarge' | 'owner'> = {},
): SealedColumn {
  const sealed = getTableColumns(table)[member]!;
  // Drizzle's update type can't resolve a column name that is a parameter.
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

/** Builds the statement that counts the texts of each key. `keyId` is null for texts without a key identifier. */
export function countSealed(ctx: Context, { table, sealed }: SealedColumn) {
  // Format of `platform/sealed-text.ts`: v2.<key>.<iv>.<body>, or v1.<iv>.<body>.
  const named = sql`substr(${sealed}, 4)`;
  const keyId = sql<string | null>`iif(${sealed} like 'v2.%', substr(${named}, 1, instr(${named}, '.') - 1), null)`;
  return ctx.db
    .select({ keyId: keyId.as('key_id'), texts: sql<number>`count(*)`.as('texts') })
    .from(table)
    .where(sql`${sealed} is not null`)
    .groupBy(sql`1`);
}
