import { and, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { events } from './table.ts';

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
const ERASED_BODY = sql`json_replace(${events.body}${sql.raw(REPLACEMENTS)})`;

/**
 * Erases the values in the bodies of events of deleted passes. Events with a pending delivery stay: `isUndelivered` is
 * SQL that holds for them. Returns the passes that have such events.
 */
export async function eraseEventsOf(ctx: Context, passIds: string[], isUndelivered: SQL): Promise<string[]> {
  const ofPasses = sql`${events.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
  const hasValues = and(ofPasses, sql`${events.body} <> ${ERASED_BODY}`);
  const page = ctx.db
    .select({ key: events.key })
    .from(events)
    .where(and(hasValues, isNull(events.pending), sql`not ${isUndelivered}`))
    .limit(PAGE_EVENTS);
  for (;;) {
    const [{ meta }, left] = await ctx.db.batch([
      ctx.db.update(events).set({ body: ERASED_BODY }).where(sql`${events.key} in ${page}`),
      ctx.db.selectDistinct({ passId: events.passId }).from(events).where(hasValues),
    ]);
    if (meta.changes < PAGE_EVENTS) return left.map(({ passId }) => passId!);
  }
}
