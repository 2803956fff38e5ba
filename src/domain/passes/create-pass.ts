import { eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { readableId, timeOf } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { retryUntilWritten } from '../attempts.ts';
import { recordMemberAction } from '../audit/record-action.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../certificates/table.ts';
import { checked } from '../check.ts';
import { enqueueSoon } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import type { FollowUp } from '../enqueue.ts';
import { fieldIssue } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { creationMessages, insertMessages, type NewMessage } from '../messages/request-messages.ts';
import { countUse, hasRoom, leftOf, quotaExceeded } from '../quotas/use.ts';
import { canUse } from '../template-restriction.ts';
import { countPass } from '../templates/count-passes.ts';
import {
  customNumbersLeft,
  hasCustomNumber,
  nextCustomNumber,
  numberedBarcode,
  takeCustomNumber,
} from '../templates/custom-numbers.ts';
import {
  type DefinedTemplate,
  type NewestDefinition,
  newestDefinitionQuery,
  toDefinedTemplate,
} from '../templates/get-template.ts';
import { kindOfNewPass } from '../templates/google/kind.ts';
import { newRevision } from '../versions.ts';
import { newId, writeOnce } from '../write-once.ts';
import { claimBundleLink, linkToBundle } from './bundle-link.ts';
import { checkCardTexts } from './card/card-texts.ts';
import { ownPassQuery, toDefinedPass } from './find-pass.ts';
import { offerToGoogle } from './google/google-object.ts';
import { importPassImages, passJobs } from './images/pass-images.ts';
import { newTokens } from './page/links.ts';
import { passEventBody } from './pass-event.ts';
import { type Rule, refusal, rulesOf } from './rules.ts';
import { indexNumberedPass, indexPasses } from './search-index/index-pass.ts';
import { documentOf, foldedValues } from './search-index/pass-document.ts';
import { type BundleLink, type Pass, passes } from './table.ts';
import { claimUniqueValues, writeClaims } from './unique-values.ts';
import { PassFields } from './values/pass-fields.ts';
import { defaultBarcode, passValues } from './values/pass-values.ts';
import { completeProperties, readProperties } from './values/property-values.ts';

/** Created pass, with the data that replies and wallets need. */
export interface IssuedPass {
  pass: Pass;
  /** The fields that the caller sent. */
  fields: PassFields;
  template: DefinedTemplate;
  /** Signs save links; undefined if neither the account nor the service has one. */
  googleIssuer?: GoogleIssuer;
  /** Emails and text messages. The queue sends them, or the caller if it waits. */
  messages: NewMessage[];
}

/** Options for writing a pass. */
export interface WriteOptions {
  /** Whether images are imported before the function returns. The caller then also sends the messages. */
  wait: boolean;
}

/** Rows that a create needs. The API reads them together with the caller's key if the pass joins no bundle. */
export interface CreateRead {
  template?: NewestDefinition;
  issuers: GoogleIssuer[];
  /** Result of `claimBundleLink`. */
  bundle?: BundleLink[];
}

/**
 * Creates a pass from a template. `sent` holds fields, additional properties and flight fields as sent. One round trip
 * for the template (none with `read`) and one for the write. Throws not found for the template, `invalid` for a field
 * or rule, `forbidden` for a quota; nothing is stored then.
 */
export async function createPass(
  ctx: AccountContext,
  templateName: string,
  sent: Record<string, unknown>,
  options: WriteOptions & { read?: CreateRead },
): Promise<IssuedPass> {
  const fields = checked(PassFields, sent);
  const read = fields.bundleId ? undefined : options.read;
  const { template: row, issuers, bundle } = read ?? (await readForCreate(ctx, templateName, fields));
  const template = toDefinedTemplate(row && canUse(ctx, row.template.id) ? row : undefined);
  const googleIssuer = chooseGoogleIssuer(issuers);
  const id = newId(ctx, 'pass');
  const issued = { fields, template, googleIssuer };
  const find = async () => {
    const found = await findIssued(ctx, id, issued);
    // The jobs are enqueued after D1's response, which may have been lost.
    if (found && !options.wait) {
      enqueueSoon(ctx, passJobs(found.pass, found.pass.appearance.pendingImages, found.messages));
    }
    return found;
  };
  return writeOnce(ctx, find, async () => {
    const created = linkToBundle(ctx, await newPass(ctx, template, fields, sent, id), bundle);
    const pass = offerToGoogle(created, template.definition, googleIssuer);
    const { pendingImages } = pass.appearance;
    if (options.wait)
      pass.appearance = await importPassImages(ctx, pass.appearance, template.definition, pendingImages);
    const messages = creationMessages(ctx, template.definition, pass);
    const followUps = options.wait ? [] : passJobs(pass, pendingImages, messages);
    await insertPass(ctx, { pass, template, fields, messages }, followUps);
    return { ...issued, pass, messages };
  });
}

async function readForCreate(ctx: AccountContext, templateName: string, { bundleId }: PassFields): Promise<CreateRead> {
  const [[template], issuers, bundle] = await ctx.db.batch([
    newestDefinitionQuery(ctx, templateName),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ...claimBundleLink(ctx, bundleId),
  ]);
  return { template, issuers, bundle };
}

/** Returns the pass with this ID in the form that its creation returned; undefined if there is none. */
async function findIssued(
  ctx: AccountContext,
  id: string,
  { template, ...issued }: Omit<IssuedPass, 'pass' | 'messages'>,
): Promise<IssuedPass | undefined> {
  const [row] = await ownPassQuery(ctx, id);
  if (!row) return undefined;
  const { pass, definition, version } = toDefinedPass(row);
  const messages = creationMessages(ctx, definition, pass);
  return { ...issued, template: { ...template, definition, version }, pass, messages };
}

/** Builds the first state of a pass. `id` is from `newId`. Throws `invalid` with the field. */
export async function newPass(
  ctx: AccountContext,
  template: DefinedTemplate,
  fields: PassFields,
  sent: Record<string, unknown>,
  id: string,
): Promise<Pass> {
  const { definition, version } = template;
  const now = Date.now();
  const generatedId = readableId();
  const pass: Pass = {
    ...BLANK,
    ...passValues(ctx, definition, fields),
    id,
    accountId: ctx.account.id,
    templateId: template.template.id,
    templateVersion: version,
    revision: newRevision(),
    generatedId,
    googleKind: kindOfNewPass(definition),
    barcodeValue: fields.barcodeValue || generatedId,
    properties: completeProperties(definition, readProperties(definition, sent)),
    ...newTokens(ctx.env, id, Boolean(definition.barcode.rotating)),
    // Lists are ordered by ID but start at a time, so the creation time has to be the one in the ID.
    createdAt: timeOf(id),
    modifiedAt: now,
  };
  if (!fields.barcodeValue) pass.barcodeValue = await defaultBarcode(ctx, definition, pass);
  checkCardTexts(ctx, { pass, definition, version });
  return pass;
}

/** Columns of a new pass that no caller sets. */
const BLANK = {
  voided: false,
  redeemed: false,
  version: 1,
  placesUsedAt: null,
  lastUsageAt: null,
  lastScanId: null,
  downloadEnabledUntilAt: null,
  bundlePageToken: null,
  pinFailures: 0,
  pinLockedUntilAt: null,
  numberOfActive: 0,
  numberOfInactive: 0,
  numberOfPrinted: 0,
  firstDownloadedAt: null,
  googlePublishedAt: null,
  googleHasMessages: false,
  pushText: null,
} satisfies Partial<Pass>;

async function insertPass(
  ctx: AccountContext,
  { pass, template, fields, messages }: IssuedPass,
  followUps: FollowUp[],
): Promise<void> {
  const rules = createRules(ctx, pass, template, fields);
  const claimant = { pass, definition: template.definition };
  pass.barcodeValue = await retryUntilWritten('The template', async () => {
    const statements = [
      ...createStatements(ctx, pass, template, fields, rules, messages),
      ...recordMemberAction(ctx, 'pass.create', pass.id, isInserted(pass)),
    ];
    const results = await writeClaims(ctx, statements, claimant, ([inserted]) => (inserted?.length ? followUps : []));
    const [row] = (results?.[0] ?? []) as { barcodeValue: string }[];
    if (row) return row.barcodeValue;
    const refused = await refusal(ctx, rules);
    if (refused) throw refused;
    return undefined;
  });
}

/**
 * Builds the condition that this attempt inserted the pass. Attempts of one request share the ID, but each has its own
 * page token.
 */
function isInserted({ id, pageToken }: Pass): SQL {
  return sql`exists (select 1 from ${passes} where ${eq(passes.id, id)} and ${eq(passes.pageToken, pageToken)})`;
}

/**
 * Builds the statements that store a new pass if all rules hold. The first one inserts it and returns its barcode
 * value. The others depend on it: counts, custom number, unique values, search index, messages, event.
 */
export function createStatements(
  ctx: AccountContext,
  pass: Pass,
  { definition }: DefinedTemplate,
  fields: PassFields,
  rules: Rule[],
  messages: NewMessage[],
): BatchItem<'sqlite'>[] {
  const numbered = fields.barcodeValue ? undefined : (definition.customNumberRange ?? undefined);
  const inserted = isInserted(pass);
  const barcode = numbered && nextCustomNumber(pass.templateId, numbered);
  const holds = rules.map((rule) => rule.holds);
  const document = documentOf(numbered ? { ...pass, barcodeValue: null } : pass);
  const row = { ...pass, foldedValues: foldedValues(document) };
  return [
    ctx.db
      .insert(passes)
      .select(
        sql`select ${rowValues(passes, row, barcode && { barcodeValue: barcode })} where ${sql.join(holds, sql` and `)}`,
      )
      .returning({ barcodeValue: passes.barcodeValue }),
    countPass(ctx, pass.templateId, 1, inserted),
    countUse(ctx, 'passes', inserted),
    ...(numbered ? [takeCustomNumber(ctx, pass.templateId, numbered, inserted)] : []),
    ...claimUniqueValues(ctx, pass, inserted),
    ...(numbered
      ? indexNumberedPass(ctx, pass, document, numberedBarcode(numbered))
      : indexPasses(ctx, [{ pass, version: pass.version, isNew: true, document }])),
    ...insertMessages(ctx, messages, () => inserted),
    recordEvent(ctx, {
      type: 'pass_created',
      templateId: pass.templateId,
      passId: pass.id,
      body: passEventBody(ctx, pass, definition),
      condition: inserted,
    }),
  ];
}

/** Returns the rules that must hold when a pass is created. */
export function createRules(
  ctx: AccountContext,
  pass: Pass,
  { definition }: DefinedTemplate,
  fields: PassFields,
): Rule[] {
  const rules = rulesOf(ctx, {
    pass,
    definition,
    isUniqueInAccount: fields.enforceUniqueUserProvidedId ?? false,
    isEnteringTemplate: true,
    isEnteringBundle: true,
    isClaimingName: true,
  });
  rules.push({
    holds: hasRoom(ctx, 'passes'),
    issue: quotaExceeded('passes').issues[0]!,
    quota: 'passes',
    room: { of: 'quota', left: () => leftOf(ctx, 'passes') },
  });
  const range = definition.customNumberRange;
  if (!range || fields.barcodeValue) return rules;
  const issue = fieldIssue('', `No custom number is available in the range ${range.from} to ${range.to}`);
  const room = { of: `numbers ${pass.templateId}`, left: () => customNumbersLeft(pass.templateId, range) };
  return [...rules, { holds: hasCustomNumber(pass.templateId, range), issue, room }];
}
