import { type SQL, sql } from 'drizzle-orm';
import { EVENTS, type EventType } from './catalog.ts';
import { ERASED_MEMBERS } from './erase-events.ts';

/*
 * The body of an event that no webhook wants is stored as a list of the members that are in no column, and are no
 * values of a pass or its holder: a seventh of its bytes. Members are read by their position, so new ones go last.
 * Events of templates are few, and stay as they are.
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
  // Statistics read the first one (`storedMember`).
  app_scan_created: [
    ...['scanStatus', 'validityReason', 'createdOn', 'createdOnUtc', 'passGeneratedId', 'passVoided'],
    ...['passTemplateName', 'appConfigurationId', 'appScanId', 'deviceName'],
  ],
  message_sent: MESSAGE,
  message_failed: MESSAGE,
  pass_template_created: null,
  pass_template_updated: null,
};

/** Columns of an event that bodies repeat, by the member. */
const COLUMNS = {
  identifier: 'passId',
  passId: 'passId',
  passInstanceId: 'passId',
  passTemplateGuid: 'templateId',
  templateId: 'templateId',
} as const;

/** SQL for the list that stands for a body, which is SQL for JSON. */
export function compactBody(type: EventType, body: SQL): SQL {
  const listed = LISTED_MEMBERS[type];
  if (!listed) return body;
  const members = listed.map((name) => sql`${body} -> ${sql.raw(`'$.${name}'`)}`);
  return sql`json_array(${sql.join(members, sql`, `)})`;
}

/** SQL for a member of a stored body, whichever form that has. */
export function storedMember(type: 'app_scan_created', name: string, body: SQL): SQL {
  const at = LISTED_MEMBERS[type]?.indexOf(name);
  return sql`coalesce(${body} ->> ${sql.raw(`'$.${name}'`)}, ${body} ->> ${sql.raw(`'$[${at}]'`)})`;
}

/** An event as it is stored. */
interface StoredEvent {
  type: EventType;
  passId: string | null;
  templateId: string | null;
  /** JSON text. */
  body: string;
}

/** The members of a stored body. `link` is that of a pass's page without its token, which a list leaves out. */
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
