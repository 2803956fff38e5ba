import { and, asc, gt, type SQL, sql } from 'drizzle-orm';
import { appScans } from '../app-scans/table.ts';
import type { AccountContext } from '../context.ts';
import { hasValuesOf } from '../events/erase-events.ts';
import { earlierEvents, events } from '../events/table.ts';
import { messages } from '../messages/table.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { namedProperties } from '../passes/values/property-values.ts';
import type { Outcome } from '../processes/outcome-store.ts';
import type { PersonOperation } from '../processes/process-state.ts';
import type { PersonRange } from '../processes/process-work.ts';
import { PAGE_ROWS } from '../purge.ts';
import { isOfPerson, type PersonMatch } from '../search/persons.ts';
import { imagesOf, isAbout } from './about-passes.ts';
import { APART, dropParts, storeParts } from './export-files.ts';
import { findOtherMessages, recipientsOf } from './other-messages.ts';

/** Stores the messages to the person about passes of others for the archive. Throws if it must be tried again. */
export async function beginExport(
  ctx: AccountContext,
  { match }: Extract<PersonOperation, { kind: 'export' }>,
  { processId }: { processId: string },
): Promise<Outcome | undefined> {
  const find = () => findOtherMessages(ctx, recipientsOf(match), match);
  const sent = await find();
  if (sent.length === 0) return undefined;
  const place = { accountId: ctx.account.id, processId };
  const parts = { passes: [], scans: [], messages: sent.map(exportedMessage), events: [], images: [] };
  await storeParts(ctx, place, APART, parts);
  // As in `exportRange`: either an erasure finds this export, or this export finds the messages gone.
  if ((await find()).length < sent.length) {
    await dropParts(ctx, place, APART);
    throw new Error('messages were erased while they were exported');
  }
  return { counts: { messages: sent.length }, file: APART };
}

/** Stores the data about a person's passes for the archive. Throws if it must be tried again. */
export async function exportRange(
  ctx: AccountContext,
  { match }: Extract<PersonOperation, { kind: 'export' }>,
  { processId, range, claim, items }: PersonRange,
): Promise<{ failed: FailedItem[]; outcome: Outcome }> {
  const ids = items.map(({ key }) => key);
  const found = await passesOf(ctx, ids, match);
  const passIds = found.map(({ pass }) => pass.id);
  const named = sql`(select value from json_each(${JSON.stringify(passIds)}))`;
  const scans = await rowsAbout(ctx, appScans, named);
  const sent = await rowsAbout(ctx, messages, named);
  const parts = {
    passes: found.map((one) => exportedPass(one)),
    scans: scans.map(exportedScan),
    messages: sent.map(exportedMessage),
    events: [...(await rowsAbout(ctx, earlierEvents, named)), ...(await eventsOf(ctx, passIds))].map(exportedEvent),
    images: [...new Set(found.flatMap(({ pass }) => imagesOf(pass)))],
  };
  const file = `${String(range.first).padStart(9, '0')}-${claim}`;
  const place = { accountId: ctx.account.id, processId };
  await storeParts(ctx, place, file, parts);
  // An erasure deletes exports after its passes: either it finds this export, or this export finds the passes gone.
  if ((await passesOf(ctx, ids, match)).length < found.length) {
    await dropParts(ctx, place, file);
    throw new Error('passes were erased while they were exported');
  }
  const counts = Object.fromEntries(Object.entries(parts).map(([name, list]) => [name, list.length]));
  return { failed: [], outcome: { counts, ...(found.length > 0 && { file }) } };
}

/** Returns the passes that belong to the person now. */
async function passesOf(ctx: AccountContext, ids: string[], match: PersonMatch): Promise<DefinedPass[]> {
  const defined = await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids));
  return [...defined.values()].filter(({ pass }) => ids.includes(pass.id) && isOfPerson(pass, match));
}

/** Returns the account's rows about passes; `named` lists the passes. */
function rowsAbout<T extends typeof appScans | typeof messages | typeof earlierEvents>(
  ctx: AccountContext,
  table: T,
  named: SQL,
): Promise<T['$inferSelect'][]> {
  return allRows(async (after) => {
    const isNext = and(isAbout(ctx, table, named), gt(table.id, after));
    const rows = await ctx.db.select().from(table).where(isNext).orderBy(asc(table.id)).limit(PAGE_ROWS);
    return rows as T['$inferSelect'][];
  });
}

async function allRows<Row extends { id: string }>(page: (after: string) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const next = await page(rows.at(-1)?.id ?? '');
    rows.push(...next);
    if (next.length < PAGE_ROWS) return rows;
  }
}

const shownEvent = {
  id: events.id,
  type: events.type,
  passId: events.passId,
  createdAt: events.createdAt,
  body: events.body,
};

function eventsOf(ctx: AccountContext, passIds: string[]) {
  return allRows((after) =>
    ctx.db
      .select(shownEvent)
      .from(events)
      // The pluses keep the planner from searching by the primary key.
      .where(and(hasValuesOf(passIds), sql`+${events.accountId} = ${ctx.account.id}`, sql`+${events.id} > ${after}`))
      .orderBy(asc(events.id))
      .limit(PAGE_ROWS),
  );
}

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function exportedPass({ pass, definition }: DefinedPass) {
  const { appearance } = pass;
  return {
    identifier: pass.id,
    templateId: pass.templateId,
    passTemplateName: definition.name,
    userProvidedId: pass.userProvidedId,
    generatedId: pass.generatedId,
    barcodeValue: pass.barcodeValue,
    barcodeAlternativeText: pass.barcodeAlternativeText,
    groupingIdentifier: pass.groupingIdentifier,
    bundleId: pass.bundleId,
    emailRecipient: pass.emailRecipient,
    phoneRecipient: pass.phoneRecipient,
    additionalProperties: namedProperties(definition, pass.properties),
    flight: pass.flight,
    locations: appearance.locations ?? [],
    eligibleValidationPlaces: appearance.eligibleValidationPlaces ?? [],
    images: imagesOf(pass).map((sha256) => `images/${sha256}`),
    pushNotificationText: pass.pushText,
    storedValue: pass.storedValue,
    voided: pass.voided,
    redeemed: pass.redeemed,
    expirationDate: time(pass.expirationAt),
    relevantDate: time(pass.relevantAt),
    validAsOfDate: time(pass.validAsOfAt),
    lastUsage: time(pass.lastUsageAt),
    placesUsedAt: Object.fromEntries(Object.entries(pass.placesUsedAt ?? {}).map(([place, at]) => [place, time(at)])),
    numberOfActive: pass.numberOfActive,
    numberOfInactive: pass.numberOfInactive,
    numberOfPrinted: pass.numberOfPrinted,
    firstDownloadedAt: time(pass.firstDownloadedAt),
    createdOn: time(pass.createdAt),
    modifiedOn: time(pass.modifiedAt),
  };
}

function exportedScan(scan: typeof appScans.$inferSelect) {
  return {
    identifier: scan.id,
    passId: scan.passId,
    configurationId: scan.configurationId,
    scanStatus: scan.scanStatus,
    reason: scan.reason,
    scannedBarcodeValue: scan.scannedBarcodeValue,
    deviceName: scan.deviceName,
    additionalProperties: scan.additionalProperties,
    storedValue: scan.storedValue,
    storedValueBefore: scan.storedValueBefore,
    storedValueAfter: scan.storedValueAfter,
    place: scan.place,
    createdOn: time(scan.createdAt),
    undoneOn: time(scan.undoneAt),
  };
}

function exportedMessage(message: typeof messages.$inferSelect) {
  return {
    identifier: message.id,
    passId: message.passId,
    channel: message.channel,
    kind: message.kind,
    recipient: message.recipient,
    subject: message.subject,
    status: message.status,
    statusDetails: message.statusDetails,
    createdOn: time(message.createdAt),
    sentOn: time(message.submittedAt),
  };
}

type ExportedRow = Pick<typeof events.$inferSelect, 'id' | 'type' | 'passId' | 'createdAt' | 'body'>;

function exportedEvent({ id, type, passId, createdAt, body }: ExportedRow) {
  return { identifier: id, type, passId, createdOn: time(createdAt), body };
}
