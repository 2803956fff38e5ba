import { and, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt, timeOf } from '../../platform/ids.ts';
import { isRowOf, rowKey } from '../../platform/raw-statement.ts';
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

/** Selection of events in both tables. */
export interface EventSelection {
  events: SQL;
  earlierEvents: SQL;
  /** Identifier that each event is about. */
  subject: SQL<string>;
}

/** Selects the events about passes that have values. */
export function aboutPasses(passIds: string[]): EventSelection {
  const earlier = sql`pass_id in (select value from json_each(${JSON.stringify(passIds)}))`;
  return { events: hasValuesOf(passIds), earlierEvents: earlier, subject: sql`pass_id` };
}

/** Selects the events with the results of messages about passes that have values. */
export function aboutMessages(messages: { id: string; passId: string }[]): EventSelection {
  const { events: ofPasses, earlierEvents: earlier, subject } = aboutPasses(messages.map(({ passId }) => passId));
  const ids = JSON.stringify(messages.map(({ id }) => id));
  const isResult = sql`type in ('message_sent', 'message_failed')
    and body ->> '$.messageId' in (select value from json_each(${ids}))`;
  return { events: sql`${ofPasses} and ${isResult}`, earlierEvents: sql`${earlier} and ${isResult}`, subject };
}

/** A scan, and when its event was recorded at the latest (UTC milliseconds). */
export interface ScanOfEvent {
  id: string;
  recordedBy: number;
}

/** Selects the events about an account's scans without a pass that have values, by their identifiers' times. */
export function aboutScans(accountId: string, scans: ScanOfEvent[]): EventSelection {
  const rows = JSON.stringify(
    scans.map(({ id, recordedBy }) => [id, firstUuidAt(timeOf(id)), firstUuidAt(recordedBy + 1)]),
  );
  const subject = sql<string>`body ->> '$.appScanId'`;
  const ofScans = (table: typeof events | typeof earlierEvents) => sql`account_id = ${accountId} and id in (
    select event.id from json_each(${rows}) as scan cross join ${table} as event
      where event.account_id = ${accountId} and event.id >= scan.value ->> 1 and event.id < scan.value ->> 2
        and event.type = 'app_scan_created' and event.body ->> '$.appScanId' = scan.value ->> 0)`;
  return { events: sql`${ofScans(events)} and has_values is not null`, earlierEvents: ofScans(earlierEvents), subject };
}

/** How to erase events. */
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
 * Erases the values in the bodies of the selected events, except those to keep. Returns the subjects of such events.
 */
export async function eraseEvents(
  ctx: Context,
  selection: EventSelection,
  { stays, shouldKeepMarks = false }: EventErasure,
): Promise<string[]> {
  // Phrased as in the index.
  const marked = selection.events;
  const parts = [
    shouldKeepMarks
      ? { table: events, isTheirs: sql`${marked} and body <> ${withoutValues(sql`body`)}`, also: {} }
      : { table: events, isTheirs: marked, also: { hasValues: null } },
    {
      table: earlierEvents,
      isTheirs: sql`${selection.earlierEvents} and body <> ${withoutValues(sql`body`)}`,
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
        ctx.db.selectDistinct({ subject: selection.subject }).from(table).where(found),
      ]);
      isDone = meta.changes < PAGE_EVENTS;
      if (isDone) for (const { subject } of others) left.add(subject);
    }
  }
  return [...left];
}
