import { and, eq, type SQL, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { appScans } from '../app-scans/table.ts';
import type { Context } from '../context.ts';
import type { EventType } from '../events/catalog.ts';
import { expandBody } from '../events/compact-body.ts';
import { setBodies } from '../events/set-bodies.ts';
import { messages } from '../messages/table.ts';
import { DEFINED_PASS, toDefinedPass } from '../passes/find-pass.ts';
import { linkWithoutToken } from '../passes/pass-event.ts';
import { searchString } from '../passes/search-index/search-string.ts';
import { passes } from '../passes/table.ts';
import { namedProperties } from '../passes/values/property-values.ts';
import { templates } from '../templates/table.ts';

/** An event whose body has no values, because it had no subscriber when it happened. */
export interface EmptyEvent {
  id: string;
  type: EventType;
  passId: string | null;
  templateId: string | null;
  /** JSON text. */
  body: string;
}

type Members = Record<string, unknown>;

/** Passes per query: each comes with the definition that it shows. */
const PASSES_AT_ONCE = 50;

/**
 * Builds the statements that fill the bodies of an account's events with the current values of passes, scans and
 * messages, for the batch that creates their deliveries. Events of deleted passes stay empty.
 */
export async function fillBodies(ctx: Context, accountId: string, list: EmptyEvent[]) {
  const bodies = list.map((event) => ({ ...event, body: expandBody(event, linkWithoutToken(ctx)) }));
  const named = (member: string) =>
    new Set(bodies.flatMap(({ body }) => (typeof body[member] === 'string' ? body[member] : [])));
  const ofPass = await passMembers(ctx, accountId, new Set(bodies.flatMap(({ passId }) => passId ?? [])));
  const ofScan = await scanMembers(ctx, accountId, named('appScanId'));
  const ofMessage = await messageMembers(ctx, accountId, named('messageId'));
  const rows = bodies.map(({ id, passId, body }) => {
    const known = {
      ...ofPass.get(passId ?? ''),
      ...ofScan.get(String(body.appScanId)),
      ...ofMessage.get(String(body.messageId)),
    };
    const own = Object.entries(known).filter(([name]) => Object.hasOwn(body, name));
    const withValues = JSON.stringify({ ...body, ...Object.fromEntries(own) });
    return { id, withValues, withoutValues: JSON.stringify(body) };
  });
  return setBodies(ctx, accountId, rows);
}

async function passMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  const found = new Map<string, Members>();
  for (const some of slicesOf([...ids], PASSES_AT_ONCE)) {
    const rows = await ctx.db
      .select(DEFINED_PASS)
      .from(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(and(isNamed(passes.id, some), eq(passes.accountId, accountId)));
    for (const { pass, definition } of rows.map(toDefinedPass)) {
      const properties = namedProperties(definition, pass.properties);
      found.set(pass.id, {
        userProvidedId: pass.userProvidedId,
        genericProperties: properties,
        passUserProvidedId: pass.userProvidedId,
        passSearchString: searchString(pass),
        additionalPropertiesPass: properties,
      });
    }
  }
  return found;
}

async function scanMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  if (ids.size === 0) return new Map();
  const { id, scannedBarcodeValue, additionalProperties } = appScans;
  const rows = await ctx.db
    .select({ id, scannedBarcodeValue, additionalPropertiesScan: additionalProperties })
    .from(appScans)
    .where(and(isNamed(id, [...ids]), eq(appScans.accountId, accountId)));
  return new Map(rows.map(({ id: scanId, ...members }) => [scanId, members]));
}

async function messageMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  if (ids.size === 0) return new Map();
  const { id, recipient, subject, statusDetails } = messages;
  const rows = await ctx.db
    .select({ id, recipient, subject, statusDetails })
    .from(messages)
    .where(and(isNamed(id, [...ids]), eq(messages.accountId, accountId)));
  return new Map(rows.map(({ id: messageId, ...members }) => [messageId, members]));
}

function isNamed(column: typeof passes.id | typeof appScans.id | typeof messages.id, ids: string[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
}
