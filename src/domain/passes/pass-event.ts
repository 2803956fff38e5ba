import { type SQL, sql } from 'drizzle-orm';
import { formatDateTime } from '../../platform/dates.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { AccountContext, Context } from '../context.ts';
import { type EventBody, LINKED_EVENT_TYPES } from '../events/catalog.ts';
import { events } from '../events/table.ts';
import { TOKEN_MARK } from '../events/token-mark.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { pagePath, pathOfPage } from './page/links.ts';
import { type Pass, passes } from './table.ts';
import { namedProperties } from './values/property-values.ts';

/** Events that are only about a pass. */
export type PassEventType = 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted';

/** Builds the nine keys of every pass event in stored form. The link is completed at delivery (`completeBody`). */
export function passEventBody(ctx: AccountContext, pass: Pass, definition: StoredDefinition): EventBody<PassEventType> {
  return {
    identifier: pass.id,
    passId: pass.id,
    uniqueIdentifier: pass.generatedId,
    createdOn: formatDateTime(pass.createdAt, ctx.account.timezone),
    passTemplate: definition.name,
    userProvidedId: pass.userProvidedId,
    linkToPassPage: linkWithoutToken(ctx),
    passTemplateGuid: pass.templateId,
    genericProperties: namedProperties(definition, pass.properties),
  };
}

/*
 * Events are stored without the token in `linkToPassPage`. Each sender reads the pass with the event, so a receiver
 * gets the current link, the only one that works.
 */

/** Returns the page link as events store it, without its token. */
export function linkWithoutToken({ baseUrl }: Pick<Context, 'baseUrl'>): string {
  return baseUrl + pathOfPage('');
}

/** Event with the data that completes its link. */
export interface LinkedEvent {
  id: string;
  type: string;
  passId: string | null;
  /** `linkedPass` of the event. */
  linked: string | null;
}

/** Token mark as it appears in a body, which is JSON. */
const JSON_MARK = JSON.stringify(TOKEN_MARK).slice(1, -1);
/** The subject of a message may contain the link too (`kept-text.ts`). */
const MESSAGE_EVENTS = ['message_sent', 'message_failed'];
const isMarked = sql`(${events.type} in (${sql.raw(MESSAGE_EVENTS.map((type) => `'${type}'`).join())})
  and instr(${events.body}, ${sql.raw(`'${pathOfPage(JSON_MARK)}'`)}) > 0)`;

/**
 * Columns that an event's link is built from, as JSON, for a query of `events`. Null if the event has no link or the
 * pass is deleted.
 */
export const linkedPass: SQL<string | null> = sql`case when ${events.type} in (${sql.raw(
  LINKED_EVENT_TYPES.map((type) => `'${type}'`).join(),
)}) or ${isMarked} then (select json_array(linked.page_token, linked.secrets, linked.account_id, linked.bundle_id, linked.bundle_page_token)
  from ${passes} as linked where linked.id = ${events.passId}) end`;

const MEMBER = '"linkToPassPage":"';

/** Returns the body of an event, a JSON text, with its link. */
export function completeBody(ctx: Context, event: LinkedEvent & { body: string }): string {
  const { body, passId, type } = event;
  if (passId === null) return body;
  if (MESSAGE_EVENTS.includes(type)) return completeText(ctx, event, body, pathOfPage(JSON_MARK));
  // The link comes before all text that callers can write.
  const start = body.indexOf(MEMBER);
  const end = start < 0 ? -1 : body.indexOf('"', start + MEMBER.length);
  if (end < 0 || !isIncomplete(body.slice(0, end))) return body;
  return body.slice(0, end) + pageNameOf(ctx, event) + body.slice(end);
}

/** Returns the members of an event's body with its link. */
export function completeMembers<Body extends Record<string, unknown>>(
  ctx: Context,
  event: LinkedEvent & { body: Body },
): Body {
  const { body, passId, type } = event;
  const { linkToPassPage: link, subject } = body;
  if (MESSAGE_EVENTS.includes(type) && passId !== null && typeof subject === 'string') {
    return { ...body, subject: completeText(ctx, event, subject, pathOfPage(TOKEN_MARK)) };
  }
  if (passId === null || typeof link !== 'string' || !isIncomplete(link)) return body;
  return { ...body, linkToPassPage: link + pageNameOf(ctx, event) };
}

function completeText(ctx: Context, event: LinkedEvent, text: string, marked: string): string {
  return text.includes(marked) ? text.replaceAll(marked, pathOfPage(pageNameOf(ctx, event))) : text;
}

function isIncomplete(link: string): boolean {
  return link.endsWith(pathOfPage(''));
}

/** Returns the text behind `/p/` in the link. For a deleted pass that is its ID, which opens nothing. */
function pageNameOf(ctx: Context, { id, passId, linked }: LinkedEvent): string {
  if (linked === null) return passId!;
  const [pageToken, secrets, accountId, bundleId, bundlePageToken] = JSON.parse(linked);
  const own = { pageToken, secrets, fileToken: '', authenticationToken: '' };
  try {
    const path = pagePath(ctx.env, { id: passId!, accountId, bundleId, bundlePageToken, ...own });
    return path.slice(pathOfPage('').length);
  } catch (error) {
    // An event without a matching key must not hold up other events.
    logLine('error', { event: 'event-link', requestId: ctx.requestId, id, pass: passId, error: describeError(error) });
    return passId!;
  }
}
