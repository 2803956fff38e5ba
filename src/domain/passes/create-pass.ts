import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { randomToken, readableId, shardOf, UUID_PATTERN, uuidv7 } from '../../platform/ids.ts';
import { BUNDLE_PASSES_MAX } from '../bundles/limits.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../certificates/table.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { countPass } from '../templates/count-passes.ts';
import { type DefinedTemplate, newestDefinitionQuery, toDefinedTemplate } from '../templates/load-definition.ts';
import { templates } from '../templates/table.ts';
import { passEventBody } from './pass-event.ts';
import { PassFields } from './pass-fields.ts';
import { passValues } from './pass-values.ts';
import { fillPlaceholders } from './placeholders.ts';
import { completeProperties, readProperties } from './property-values.ts';
import { type NewPass, type Pass, passes } from './table.ts';

/** A pass with what replies and wallets need of its surroundings. */
export interface IssuedPass {
  pass: Pass;
  template: DefinedTemplate;
  /** Signs save links; undefined when neither account nor service has one. */
  googleIssuer?: GoogleIssuer;
}

/**
 * Creates a pass from a template of the account. `sent` holds the writable fields, additional properties and flight fields as the caller
 * sent them. Two round trips: one reads the template, one writes pass, count and event in a batch. Throws not found for an unknown template and `invalid`
 * for a field or a rule of the template (specification, "Errors"); then nothing is stored.
 */
export async function createPass(
  ctx: AccountContext,
  templateId: string,
  sent: Record<string, unknown>,
): Promise<IssuedPass> {
  const fields = checked(PassFields, sent);
  if (!UUID_PATTERN.test(templateId)) throw notFound();
  const [templateRows, issuers] = await ctx.db.batch([
    newestDefinitionQuery(ctx, templateId),
    googleIssuerQuery(ctx.db, ctx.account.id),
  ]);
  const template = toDefinedTemplate(templateRows[0]);
  const pass = newPass(ctx, template, fields, sent);
  await insertPass(ctx, pass, template, rulesOf(ctx, template, pass, fields));
  return { pass, template, googleIssuer: chooseGoogleIssuer(issuers) };
}

function newPass(
  ctx: AccountContext,
  template: DefinedTemplate,
  fields: PassFields,
  sent: Record<string, unknown>,
): Pass {
  const { definition, version } = template;
  const now = Date.now();
  const generatedId = readableId();
  const pass: Pass = {
    ...EMPTY,
    ...(passValues(ctx, definition, fields) as Partial<Pass>),
    id: uuidv7(shardOf(ctx.account.id), now),
    accountId: ctx.account.id,
    templateId: template.template.id,
    templateVersion: version,
    generatedId,
    barcodeValue: fields.barcodeValue || generatedId,
    properties: completeProperties(definition, readProperties(definition, sent)),
    appearance: passValues(ctx, definition, fields).appearance,
    pageToken: randomToken(),
    fileToken: randomToken(),
    authenticationToken: randomToken(),
    createdAt: now,
    modifiedAt: now,
  };
  if (!fields.barcodeValue) pass.barcodeValue = templateBarcode(ctx, template, pass) || generatedId;
  return pass;
}

/** The template's own barcode text, when it gives each pass one. */
function templateBarcode(ctx: AccountContext, { definition }: DefinedTemplate, pass: Pass): string {
  const { value, useAutoIdForValue, valueDifferentForEachPass } = definition.barcode;
  if (useAutoIdForValue || valueDifferentForEachPass) return '';
  return fillPlaceholders(value, { pass, definition, timezone: ctx.account.timezone, baseUrl: ctx.baseUrl });
}

const EMPTY = {
  userProvidedId: null,
  barcodeAlternativeText: null,
  voided: false,
  redeemed: false,
  version: 1,
  storedValue: null,
  expirationAt: null,
  relevantAt: null,
  validAsOfAt: null,
  groupingIdentifier: null,
  bundleId: null,
  emailRecipient: null,
  phoneRecipient: null,
  downloadPin: null,
  flight: null,
  placesUsedAt: null,
  lastUsageAt: null,
  numberOfActive: 0,
  numberOfInactive: 0,
  numberOfPrinted: 0,
  firstDownloadedAt: null,
} satisfies Partial<Pass>;

/** A rule that must hold in the very statement that inserts the pass, so that it holds when requests race. */
interface Rule {
  holds: SQL;
  message: string;
}

function rulesOf(
  ctx: AccountContext,
  { template, definition }: DefinedTemplate,
  pass: Pass,
  fields: PassFields,
): Rule[] {
  const rules: Rule[] = [];
  const named = eq(passes.userProvidedId, pass.userProvidedId ?? '');
  if (pass.userProvidedId && fields.enforceUniqueUserProvidedId) {
    rules.push({
      holds: sql`not exists (select 1 from ${passes} where ${eq(passes.accountId, ctx.account.id)} and ${named})`,
      message: 'userProvidedId: is already used in this account; it must be unique',
    });
  }
  if (pass.userProvidedId && definition.enforceUniqueUserProvidedId) {
    rules.push({
      holds: sql`not exists (select 1 from ${passes} where ${eq(passes.accountId, ctx.account.id)} and ${named}
        and ${eq(passes.templateId, template.id)})`,
      message: 'userProvidedId: is already used in this template; it must be unique',
    });
  }
  if (definition.maxPasses != null) {
    rules.push({
      holds: sql`(select ${templates.passCount} from ${templates} where ${eq(templates.id, template.id)}) < ${definition.maxPasses}`,
      message: `The maximum number of passes of this template (${definition.maxPasses}) is reached`,
    });
  }
  if (pass.bundleId) {
    rules.push({
      holds: sql`(select count(*) from ${passes} where ${eq(passes.accountId, ctx.account.id)}
        and ${eq(passes.bundleId, pass.bundleId)}) < ${BUNDLE_PASSES_MAX}`,
      message: `bundleId: the bundle already has ${BUNDLE_PASSES_MAX} passes, the maximum`,
    });
  }
  return rules;
}

async function insertPass(ctx: AccountContext, pass: Pass, template: DefinedTemplate, rules: Rule[]): Promise<void> {
  const templateId = template.template.id;
  const templateStands = sql`exists (select 1 from ${templates} where ${eq(templates.id, templateId)})`;
  const inserted = sql`exists (select 1 from ${passes} where ${eq(passes.id, pass.id)})`;
  const [rows] = await ctx.db.batch([
    ctx.db
      .insert(passes)
      .select(
        sql`select ${rowValues(pass)} where ${sql.join([templateStands, ...rules.map((rule) => rule.holds)], sql` and `)}`,
      )
      .returning({ id: passes.id }),
    countPass(ctx, templateId, 1, inserted),
    recordEvent(ctx, {
      type: 'pass_created',
      templateId,
      passId: pass.id,
      body: passEventBody(ctx, pass, template.definition),
      condition: inserted,
    }),
  ]);
  if (rows.length === 0) throw await refusal(ctx, rules);
}

/** All columns in the table's order, encoded as drizzle stores them. */
function rowValues(pass: NewPass): SQL {
  const columns = Object.entries(getTableColumns(passes));
  return sql.join(
    columns.map(([name, column]) => sql.param(pass[name as keyof NewPass] ?? null, column)),
    sql`, `,
  );
}

/** Which rule refused a pass; asked only after the fact, so that a pass that is accepted costs nothing for it. */
async function refusal(ctx: AccountContext, rules: Rule[]): Promise<Error> {
  if (rules.length === 0) return notFound();
  const checks = rules.map((rule, i) => sql`(${rule.holds}) as ${sql.identifier(`rule_${i}`)}`);
  const [row] = await ctx.db.all<Record<string, number>>(sql`select ${sql.join(checks, sql`, `)}`);
  const broken = rules.filter((_, i) => !row?.[`rule_${i}`]).map((rule) => rule.message);
  // None broken any more: another pass left between the two looks, and the caller may simply try again.
  return invalid(broken.length > 0 ? broken : rules.map((rule) => rule.message));
}
