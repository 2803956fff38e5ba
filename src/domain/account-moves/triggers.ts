import { eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { slicesOf } from '../../platform/chunks.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { BEING_MOVED, WAS_MOVED } from '../moved.ts';
import { inBatch, inCopy, type Move } from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { accountChanges } from './table.ts';

/*
 * Triggers that exist only while an account moves away. They record changed rows, and refuse writes whatever map the
 * writer has in memory. For rows of other accounts, they compare one value or look up one row. In the target, they
 * exist from the comparison to the switch, and only record.
 */

type Change = 'insert' | 'update' | 'delete';

const CHANGES: Change[] = ['insert', 'update', 'delete'];
/** Statements per batch. */
const BATCH_STATEMENTS = 30;

/** A table with triggers, and the row to copy again when one of its rows changes. */
interface Watched {
  table: MovedTable;
  /** Table of the row to record, and SQL of its key, a JSON list; undefined: nothing is recorded. */
  noted?: { name: string; key: (row: string) => string };
}

const WATCHED: Watched[] = [
  ...STREAMED.map((table) => ({ table, noted: { name: table.name, key: ownKey(table) } })),
  ...OF_PASSES.map((table) => ({
    table,
    noted: {
      name: PASSES.name,
      key: (row: string) =>
        table.by === 'id'
          ? `json_array(${row}.${table.pass})`
          : `json_array((select id from passes where key = ${row}.${table.pass}))`,
    },
  })),
  ...COPIED_LAST.map((table) => ({ table })),
];

/** Those whose changes are recorded: they have many rows, or rows that are copied with them. */
const NOTED = WATCHED.filter(({ noted }) => noted);

function ownKey({ key }: MovedTable) {
  return (row: string) => `json_array(${key.map((name) => `${row}."${name}"`).join(', ')})`;
}

const nameOf = (accountId: string, table: string, change: Change) =>
  `move_${accountId.replaceAll('-', '')}_${table}_${change}`;

function triggerOf(accountId: string, { table, noted }: Watched, change: Change): string {
  const row = change === 'delete' ? 'OLD' : 'NEW';
  const isOf = table.isOf.replaceAll(':row', row).replaceAll(':account', `'${accountId}'`);
  const note = (key: string, rest = '') =>
    `INSERT INTO account_changes (account_id, number, table_name, key)
      SELECT '${accountId}', coalesce(max(number), 0) + 1, '${noted!.name}', ${key}
      FROM account_changes WHERE account_id = '${accountId}'${rest};`;
  const notes = noted ? [note(noted.key(row))] : [];
  if (noted && change === 'update') {
    const [before, after] = [noted.key('OLD'), noted.key('NEW')];
    notes.push(note(before, ` HAVING ${before} IS NOT ${after}`));
  }
  return `CREATE TRIGGER IF NOT EXISTS ${nameOf(accountId, table.name, change)}
    BEFORE ${change.toUpperCase()} ON ${table.name} WHEN ${isOf} BEGIN
      SELECT CASE WHEN is_sealed THEN RAISE(ABORT, '${WAS_MOVED}')
        WHEN blocked_until_at > unixepoch('subsec') * 1000 THEN RAISE(ABORT, '${BEING_MOVED}') END
      FROM account_moves WHERE account_id = '${accountId}';
      ${notes.join('\n')}
    END`;
}

/** Creates the triggers on the tables. The identifier is that of a stored account, so it needs no quoting. */
export async function createTriggers(ctx: Context, accountId: string): Promise<void> {
  await runAll(
    ctx,
    WATCHED.flatMap((watched) => CHANGES.map((change) => triggerOf(accountId, watched, change))),
  );
}

/**
 * Creates the triggers in the target that record changed rows of the copy, as long as it is one. They refuse nothing,
 * because only the old database has a record of the move.
 */
export async function watchCopy(move: Move): Promise<void> {
  const { to, accountId } = move;
  const triggers = NOTED.flatMap((watched) => CHANGES.map((change) => triggerOf(accountId, watched, change)));
  for (const some of slicesOf(triggers, BATCH_STATEMENTS)) await inCopy(move, rawStatements(to, some));
  await inCopy(move, [to.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId))]);
}

/** Builds the statements that remove the triggers of the copy, and what they have recorded. */
export function unwatchCopy({ to, accountId }: Move): BatchItem<'sqlite'>[] {
  return [
    ...rawStatements(
      to,
      NOTED.flatMap((watched) => dropsOf(accountId, watched)),
    ),
    to.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId)),
  ];
}

export async function dropTriggers(ctx: Context, accountId: string): Promise<void> {
  await runAll(
    ctx,
    WATCHED.flatMap((watched) => dropsOf(accountId, watched)),
  );
}

function dropsOf(accountId: string, { table }: Watched): string[] {
  return CHANGES.map((change) => `DROP TRIGGER IF EXISTS ${nameOf(accountId, table.name, change)}`);
}

const rawStatements = ({ db }: Context, texts: string[]) => texts.map((text) => rawStatement(db, sql.raw(text)));

async function runAll(ctx: Context, statements: string[]): Promise<void> {
  for (const some of slicesOf(statements, BATCH_STATEMENTS)) await inBatch(ctx, rawStatements(ctx, some));
}
