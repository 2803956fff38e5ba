import { type SQL, sql } from 'drizzle-orm';
import { EVENTS, type EventType } from './catalog.ts';
import { ERASED_MEMBERS } from './erase-events.ts';

/*
 * The body of an event without a subscriber is stored as an array of the members that no column holds and that aren't
 * personal: a seventh of the bytes. Members are read by position, so new ones go last. Template events are few and
 * stored as they are.
 */

const PASS = ['uniqueIdentifier', 'createdOn', 'passTemplate'];
const REGISTRATION = [...PASS, 'operatingSystem', 'noOfActivePasses', 'noOfInactivePasses'];
const MESSAGE = ['messageId', 'channel', 'status', 'createdOn', 'submittedOn'];

/** Null: the body is stored as it is. */
const LISTED_MEMBERS: Record<EventType, string[] | null> = {
  pass_created: PASS,
  pass_updated: PASS,
  pass_voided: PASS,
  pass_unvoided: PASS,
  pass_deleted: PASS,
  pushnotification_registered: REGISTRATION,
  first_pushnotification_registered: REGISTRATION,
  pushnotification_unregistered: REGISTRATION,
  // Statistics read the first member (`storedMember`).
  app_scan_created: [
    ...['scanStatus', 'validityReason', 'createdOn', 'createdOnUtc', 'passGeneratedId', 'passVoided'],
    ...['passTemplateName', 'appConfigurationId', 'appScanId', 'deviceName'],
  ],
  message_sent: MESSAGE,
  message_failed: MESSAGE,
  pass_template_created: null,
  pass_template_updated: null,
};

/** Columns that repeat a member of the body, by member. */
const COLUMNS = {
  identifier: 'passId',
  passId: 'passId',
  passInstanceId: 'passId',
  passTemplateGuid: 'templateId',
  templateId: 'templateId',
} as const;

/** Builds the SQL of the stored array for a body, which is SQL for JSON. */
export function compactBody(type: EventType, body: SQL): SQL {
  const listed = LISTED_MEMBERS[type];
  if (!listed) return body;
  const members = listed.map((name) => sql`${body} -> ${sql.raw(`'$.${name}'`)}`);
  return sql`json_array(${sql.join(members, sql`, `)})`;
}

/** Builds the SQL of a member of a stored body in either form. */
export function storedMember(type: 'app_scan_created', name: string, body: SQL): SQL {
  const at = LISTED_MEMBERS[type]?.indexOf(name);
  return sql`coalesce(${body} ->> ${sql.raw(`'$.${name}'`)}, ${body} ->> ${sql.raw(`'$[${at}]'`)})`;
}

/** A stored event. */
export interface StoredEvent {
  type: EventType;
  passId: string | null;
  templateId: string | null;
  /** JSON text. */
  body: string;
}

/**
 * Returns the members of a stored body. `link` is the pass page's link without its token, which the array leaves out.
 */
export function expandBody({ body, ...event }: StoredEvent, link: string): Record<string, unknown> {
  const stored = JSON.parse(body) as unknown;
  const listed = LISTED_MEMBERS[event.type];
  if (!listed || !Array.isArray(stored)) return stored as Record<string, unknown>;
  const members = Object.keys(EVENTS[event.type].body.shape).map((name): [string, unknown] => {
    if (listed.includes(name)) return [name, stored[listed.indexOf(name)]];
    if (name in COLUMNS) return [name, event[COLUMNS[name as keyof typeof COLUMNS]]];
    return [name, name in ERASED_MEMBERS ? JSON.parse(ERASED_MEMBERS[name as keyof typeof ERASED_MEMBERS]) : link];
  });
  return Object.fromEntries(members);
}
