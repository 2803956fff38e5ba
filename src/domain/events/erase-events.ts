import { and, type SQL, sql } from 'drizzle-orm';
import { isRowOf, rowKey } from '../../platform/row-key.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import type { Context } from '../context.ts';
import { earlierEvents, events } from './table.ts';

const PAGE_EVENTS = 1_000;

/**
 * Members of bodies that hold values of a pass or its holder, and what stands there afterwards: as JSON, so that a body
 * keeps its shape.
 */
export const ERASED_MEMBERS = {
  userProvidedId: 'null',
  genericProperties: '{}',
  passUserProvidedId: 'null',
  passSearchString: 'null',
  scannedBarcodeValue: 'null',
  additionalPropertiesScan: '{}',
  additionalPropertiesPass: '{}',
  recipient: '""',
  subject: 'null',
  statusDetails: 'null',
};

const REPLACEMENTS = Object.entries(ERASED_MEMBERS)
  .map(([name, json]) => `, '$.${name}', json('${json}')`)
  .join('');
/** SQL for a body without such values. */
export function withoutValues(body: SQL): SQL {
  return sql`json_replace(${body}${sql.raw(REPLACEMENTS)})`;
}

/** SQL that holds for rows of `events` that are about one of the passes, and have values; by an index. */
export function hasValuesOf(passIds: string[]): SQL {
  const bytes = sql`(select ${uuidBytes(sql`value`)} from json_each(${JSON.stringify(passIds)}))`;
  return sql`pass in ${bytes} and has_values is not null and pass is not null`;
}

/** How events of deleted passes are erased. */
export interface EventErasure {
  /** SQL that holds for events that stay, say because of a pending delivery. */
  stays: (table: typeof events | typeof earlierEvents) => SQL;
  /** Whether `hasValuesOf` still finds the events: receivers are being told of them, and may answer with values. */
  keepsMarks?: boolean;
}

/**
 * Erases the values in the bodies of events of deleted passes, but for those that stay. Returns the passes that have
 * such events.
 */
export async function eraseEventsOf(
  ctx: Context,
  passIds: string[],
  { stays, keepsMarks = false }: EventErasure,
): Promise<string[]> {
  // In the words of the index.
  const marked = hasValuesOf(passIds);
  const parts = [
    keepsMarks
      ? { table: events, isTheirs: sql`${marked} and body <> ${withoutValues(sql`body`)}`, also: {} }
      : { table: events, isTheirs: marked, also: { hasValues: null } },
    {
      table: earlierEvents,
      isTheirs: sql`pass_id in (select value from json_each(${JSON.stringify(passIds)})) and body <> ${withoutValues(sql`body`)}`,
      also: {},
    },
  ];
  const left = new Set<string>();
  for (const { table, isTheirs: found, also } of parts) {
    const page = sql`(select ${rowKey(table)} from ${table}
      where ${and(found, sql`not ${stays(table)}`)} limit ${PAGE_EVENTS})`;
    for (let isDone = false; !isDone; ) {
      const [{ meta }, others] = await ctx.db.batch([
        ctx.db
          .update(table)
          .set({ body: withoutValues(sql`${table.body}`), ...also })
          .where(isRowOf(table, page)),
        ctx.db.selectDistinct({ passId: table.passId }).from(table).where(found),
      ]);
      isDone = meta.changes < PAGE_EVENTS;
      if (isDone) for (const { passId } of others) left.add(passId!);
    }
  }
  return [...left];
}
