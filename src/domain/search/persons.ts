import { and, asc, eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { PHONE_SEPARATORS, readPhoneNumber } from '../messages/recipients.ts';
import type { Pass } from '../passes/table.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { checkQuery, type ResolvedQuery } from './check-query.ts';
import { findPasses } from './find-passes.ts';
import { planQuery } from './plan.ts';
import { SCOPE_TEMPLATE, scopeOf } from './scope.ts';
import { eachPageOfPasses } from './search-passes.ts';

/** Identifies a person; exactly one member is set. */
export interface PersonMatch {
  userProvidedId?: string;
  emailRecipient?: string;
  phoneRecipient?: string;
  /** Value of an additional property, by the property's identifier. */
  property?: { id: string; value: string };
}

/** Passes per page. */
const PAGE_PASSES = 200;

/** Returns the value that identifies the person. */
export function matchedValue({ property, ...match }: PersonMatch): string {
  return property?.value ?? Object.values(match).find((value) => value !== undefined)!;
}

/** Whether a pass belongs to the person. Comparisons are case-sensitive, except for email addresses. */
export function isOfPerson(
  pass: Pick<Pass, 'userProvidedId' | 'emailRecipient' | 'phoneRecipient' | 'properties'>,
  { userProvidedId, emailRecipient, phoneRecipient, property }: PersonMatch,
): boolean {
  if (userProvidedId !== undefined) return pass.userProvidedId === userProvidedId;
  if (emailRecipient !== undefined) return plainAddress(pass.emailRecipient) === plainAddress(emailRecipient);
  if (phoneRecipient !== undefined) return plainNumber(pass.phoneRecipient) === plainNumber(phoneRecipient);
  const value = property && pass.properties[property.id];
  return value !== undefined && value !== null && String(value) === property?.value;
}

const plainAddress = (text: string | null) => text?.trim().toLowerCase();
const plainNumber = (text: string | null) => text && (readPhoneNumber(text) ?? text.trim());

/** Builds the query for a match, which may select more passes. Throws `invalid` for a property that no template has. */
async function queryOf(ctx: AccountContext, match: PersonMatch): Promise<ResolvedQuery> {
  const { userProvidedId, property } = match;
  if (property) {
    const scope = scopeOf(ctx, await templatesWithProperty(ctx, property.id));
    if (scope.templates.length === 0) {
      throw invalidField('match.property.id', 'is not an additional property of a template; use the identifier of one');
    }
    const condition = { field: property.id, operator: 'equals', value: property.value };
    return checkQuery(ctx, { groups: [[condition]] }, scope, { findsProperties: true });
  }
  const condition =
    userProvidedId === undefined
      ? recipientCondition(match)
      : { field: 'userProvidedId', operator: 'equals', value: userProvidedId };
  return checkQuery(ctx, { groups: [[condition]] });
}

/** Builds the condition for recipients, which passes have as they were sent, in any form. */
function recipientCondition({ emailRecipient, phoneRecipient = '' }: PersonMatch) {
  const operator = 'contains';
  if (emailRecipient !== undefined) return { field: 'emailRecipient', operator, value: emailRecipient.trim() };
  const lastDigits = [...phoneRecipient.replace(/\D/g, '').slice(-2)];
  const value = ['', ...PHONE_SEPARATORS].map((separator) => lastDigits.join(separator));
  return { field: 'phoneRecipient', operator, value };
}

/** Selects the account's templates whose newest or published definition has a property. */
function templatesWithProperty(ctx: AccountContext, propertyId: string) {
  const hasProperty = sql`exists (select 1 from ${templateVersions} as held
    join json_each(held.definition, '$.additionalProperties') as property
    where held.template_id = ${templates.id} and held.version in (${templates.version}, ${templates.publishedVersion})
      and property.value ->> '$.id' = ${propertyId})`;
  return ctx.db
    .select(SCOPE_TEMPLATE)
    .from(templates)
    .where(and(eq(templates.accountId, ctx.account.id), hasProperty))
    .orderBy(asc(templates.id));
}

/** Throws `invalid` for a match that can't be searched. */
export async function checkMatch(ctx: AccountContext, match: PersonMatch): Promise<void> {
  await queryOf(ctx, match);
}

/**
 * Returns the identifiers of the person's next passes in storage order, after `afterKey` (null: from the start); `key`
 * is the start of the next page.
 */
export async function selectPersonPasses(
  ctx: AccountContext,
  match: PersonMatch,
  afterKey: number | null,
): Promise<{ ids: string[]; isLast: boolean; key: number | null }> {
  const query = await queryOf(ctx, match);
  if (query.scope.templates.length === 0) return { ids: [], isLast: true, key: afterKey };
  const plan = await planQuery(ctx, query);
  const found = await findPasses(ctx, plan, { order: 'oldest', afterKey: afterKey ?? undefined, limit: PAGE_PASSES });
  return {
    ids: found.filter((pass) => isOfPerson(pass, match)).map(({ id }) => id),
    isLast: found.length < PAGE_PASSES,
    key: found.at(-1)?.key ?? afterKey,
  };
}

/** Whether a pass of another person contains a text. Stops at the first one. */
export async function isInOtherPasses(ctx: AccountContext, text: string, match: PersonMatch): Promise<boolean> {
  const query = await checkQuery(ctx, { searchPhrase: text });
  for await (const page of eachPageOfPasses(ctx, query)) {
    if (page.some((pass) => !isOfPerson(pass, match))) return true;
  }
  return false;
}
