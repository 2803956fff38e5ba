import { and, type SQL, sql } from 'drizzle-orm';
import { isRowOf, rowKey } from '../../platform/row-key.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import type { Context } from '../context.ts';
import { earlierEvents, events } from './table.ts';

const PAGE_EVENTS = 1_000;

/**
 * Members of bodies that hold values of a pass or its holder, and their replacement, as JSON: the body keeps its shape.
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
/** Builds the SQL of a body without such values. */
export function withoutValues(body: SQL): SQL {
  return sql`json_replace(${body}${sql.raw(REPLACEMENTS)})`;
}

/** Builds the condition, served by an index, for rows of `events` about one of the passes that have values. */
export function hasValuesOf(passIds: string[]): SQL {
  const bytes = sql`(select ${uuidBytes(sql`value`)} from json_each(${JSON.stringify(passIds)}))`;
  return sql`pass in ${bytes} and has_values is not null and pass is not null`;
}

/** How to erase the events of deleted passes. */
export interface EventErasure {
  /** Builds the condition for events to keep, for example those with a pending delivery. */
  stays: (table: typeof events | typeof earlierEvents) => SQL;
  /**
   * Whether `hasValuesOf` still finds the events afterward: deliveries in progress may add responses that contain
   * values.
   */
  shouldKeepMarks?: boolean;
}

/**
 * Erases the values in the bodies of events of deleted passes, except those to keep. Returns the passes with such
 * events.
 */
export async function eraseEventsOf(
  ctx: Context,
  passIds: string[],
  { stays, shouldKeepMarks = false }: EventErasure,
): Promise<string[]> {
  // Phrased as in the index.
  const marked = hasValuesOf(passIds);
  const parts = [
    shouldKeepMarks
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
