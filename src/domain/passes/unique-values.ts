import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { canonicalJson } from '../../platform/json.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import type { FollowUp } from '../enqueue.ts';
import { type DomainError, fieldIssue, invalid } from '../errors.ts';
import { PAGE_ROWS } from '../purge.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates, uniquePropertyChanges } from '../templates/table.ts';
import { type Acting, isReleased } from '../templates/unique-property-changes.ts';
import type { DefinedPass } from './find-pass.ts';
import { isOfAccount } from './own-pass.ts';
import { type Pass, passes, uniquePropertyValues } from './table.ts';

/*
 * Values that must be unique in their template. The newest definition decides which properties these are, for every
 * pass at once: old and new passes must not share a value either. So the template's row at the time of the commit
 * decides, not the definition that was read before.
 */

/** Returns the values of a pass: property ID and value as text. */
function valuesOf(pass: Pass): [string, string][] {
  return Object.entries(pass.properties).map(([id, value]) => [id, String(value)]);
}

/**
 * Builds the statements that claim a pass's unique values, for the batch that writes the pass; none without values. A
 * taken value violates the primary key and fails the whole batch: see `writeClaims`.
 */
export function claimUniqueValues(ctx: AccountContext, pass: Pass, condition: SQL) {
  const values = valuesOf(pass);
  if (values.length === 0) return [];
  const unique = sql`(select ${templates.uniqueProperties} from ${templates} where ${isOwnTemplate(ctx.account.id, pass.templateId)})`;
  // In this join order, a template without unique properties costs one row.
  const rows = sql`select ${pass.templateId}, held.value ->> 0, held.value ->> 1, ${pass.id}
    from json_each(${unique}) as property cross join json_each(${JSON.stringify(values)}) as held
    where held.value ->> 0 = property.value and ${condition}`;
  return [ctx.db.insert(uniquePropertyValues).select(rows)];
}

/** Builds the statement that releases all unique values of a pass. */
export function releaseUniqueValues(ctx: AccountContext, passId: string, condition?: SQL) {
  return ctx.db.delete(uniquePropertyValues).where(and(eq(uniquePropertyValues.passId, passId), condition));
}

/**
 * Builds the statements that release and claim again the unique values of many passes, each only if it still has the
 * version that was read. A taken value violates the primary key, as above.
 */
export function reclaimUniqueValues(ctx: AccountContext, changes: { pass: Pass; readVersion: number }[]) {
  const rows = JSON.stringify(
    changes.map(({ pass, readVersion }) => [pass.id, readVersion, pass.templateId, valuesOf(pass)]),
  );
  const unchanged = sql`json_each(${rows}) as change
    join ${passes} on ${passes.id} = change.value ->> 0 and ${passes.version} = change.value ->> 1
      and ${isOfAccount(ctx.account.id)}`;
  const values = sql`select ${templates.id}, held.value ->> 0, held.value ->> 1, ${passes.id} from ${unchanged}
    join ${templates} on ${templates.id} = change.value ->> 2 and +${templates.accountId} = ${ctx.account.id}, json_each(change.value, '$[3]') as held
    where held.value ->> 0 in (select value from json_each(${templates.uniqueProperties}))`;
  return [
    ctx.db
      .delete(uniquePropertyValues)
      .where(sql`${uniquePropertyValues.passId} in (select ${passes.id} from ${unchanged})`),
    ctx.db.insert(uniquePropertyValues).select(values),
  ];
}

/** Whether two states of a pass may claim different unique values. */
export function hasOtherClaims(before: Pass, after: Pass): boolean {
  const claims = ({ templateId, properties }: Pass) => canonicalJson([templateId, properties]);
  return claims(before) !== claims(after);
}

/** Returns the number of passes whose values for this many properties one statement writes. */
export function passesOfPage(properties: number): number {
  return Math.max(1, Math.floor(PAGE_ROWS / Math.max(1, properties)));
}

/** Page of a template's passes, ordered by ID. */
export interface PassPage {
  /** Last pass of the previous page; empty: none. */
  after: string;
  passes: number;
}

/**
 * Builds the statement that claims passes' values of properties that become unique, except for values they have already
 * claimed. Two passes with the same value violate the primary key: see `repeatedValues`.
 */
export function claimAllOf(
  ctx: AccountContext,
  templateId: string,
  propertyIds: string[],
  condition: SQL,
  page?: PassPage,
) {
  const own = sql`select 1 from ${uniquePropertyValues} as own where own.template_id = ${templateId}
    and own.property_id = held.key and own.value = ${HELD_TEXT} and own.pass_id = page.id`;
  const rows = sql`select ${templateId}, held.key, ${HELD_TEXT}, page.id from ${heldBy(ctx, templateId, propertyIds, page)}
    and ${condition}${page ? sql` and not exists (${own})` : sql``}`;
  return ctx.db.insert(uniquePropertyValues).select(rows);
}

/** Builds the query of the last pass of a page and the number of passes on it. */
export function pageEndQuery(ctx: AccountContext, templateId: string, page: PassPage) {
  const ids = passesOf(ctx, templateId, page);
  return rawStatement<{ last: string | null; count: number }>(
    ctx.db,
    sql`select max(page.id) as last, count(*) as count from (${ids}) as page`,
  );
}

/** Builds a query of one value about the passes of a page, which is called `page`. */
export function aboutPage(ctx: AccountContext, templateId: string, page: PassPage, shown: SQL): SQL {
  return sql`(select ${shown} from (${passesOf(ctx, templateId, page)}) as page)`;
}

/** Builds the statement that releases all passes' values of properties that are no longer unique. */
export function releaseAllOf(ctx: AccountContext, templateId: string, propertyIds: string[], condition: SQL) {
  const ids = sql`${uniquePropertyValues.propertyId} in (select value from json_each(${JSON.stringify(propertyIds)}))`;
  return ctx.db
    .delete(uniquePropertyValues)
    .where(and(eq(uniquePropertyValues.templateId, templateId), ids, condition));
}

/**
 * Releases at most `PAGE_ROWS` values of a property while its claims are obsolete, and returns how many. A request that
 * makes it unique again may come between two pages.
 */
export async function releasePage(ctx: Acting, templateId: string, propertyId: string): Promise<number> {
  const isIts = and(eq(uniquePropertyValues.templateId, templateId), eq(uniquePropertyValues.propertyId, propertyId));
  const isObsolete = isReleased(ctx, templateId, propertyId);
  const page = sql`(select rowid from ${uniquePropertyValues} where ${isIts} and ${isObsolete} limit ${PAGE_ROWS})`;
  const { meta } = await ctx.db.delete(uniquePropertyValues).where(sql`rowid in ${page}`);
  return meta.changes;
}

/**
 * Returns the properties in which two passes of the page share a value, or one shares it with a pass that claimed it.
 * For the error of `claimAllOf`.
 */
export async function repeatedValues(
  ctx: AccountContext,
  templateId: string,
  propertyIds: string[],
  page?: PassPage,
): Promise<Set<string>> {
  const values = sql`(select held.key as property, ${HELD_TEXT} as text, page.id as pass
    from ${heldBy(ctx, templateId, propertyIds, page)})`;
  // A cross join keeps its order: one index lookup per value. Otherwise SQLite reads the page again for each claim.
  const rows = await ctx.db.all<{ propertyId: string }>(sql`
    select property as propertyId from ${values} group by property, text having count(*) > 1
    union select property from ${values} cross join ${uniquePropertyValues}
      on ${uniquePropertyValues.templateId} = ${templateId}
      and ${uniquePropertyValues.propertyId} = property and ${uniquePropertyValues.value} = text
      where ${uniquePropertyValues.passId} <> pass`);
  return new Set(rows.map(({ propertyId }) => propertyId));
}

/** Value in the form of JavaScript's `String`. */
const HELD_TEXT = sql.raw(`case held.type when 'true' then 'true' when 'false' then 'false' else held.value end`);

/** Builds the `from` part of a query of the passes' values of some properties. */
function heldBy(ctx: AccountContext, templateId: string, propertyIds: string[], page?: PassPage): SQL {
  return sql`(${passesOf(ctx, templateId, page)}) as page, json_each(page.properties) as held
    where held.key in (select value from json_each(${JSON.stringify(propertyIds)}))`;
}

function passesOf(ctx: AccountContext, templateId: string, page?: PassPage): SQL {
  const all = sql`select ${passes.id}, ${passes.properties} from ${passes}
    where ${eq(passes.templateId, templateId)} and ${isOfAccount(ctx.account.id)}`;
  return page ? sql`${all} and ${passes.id} > ${page.after} order by ${passes.id} limit ${page.passes}` : all;
}

/** Whether a batch failed because a unique value was taken. */
export function isTakenValue(error: unknown): boolean {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  return text.includes('UNIQUE constraint failed: unique_property_values');
}

/** Pass as a batch writes it, and the definition that names its properties. */
export type Claimant = Pick<DefinedPass, 'pass' | 'definition'>;

/**
 * Commits a batch that claims unique values and returns its results. Throws `invalid` with the properties whose values
 * another pass holds. Returns undefined if that pass has released them by then: nothing is written, and the caller
 * retries.
 */
export async function writeClaims(
  ctx: AccountContext,
  statements: BatchItem<'sqlite'>[],
  claimant: Claimant | undefined,
  followUps?: (results: unknown[][]) => FollowUp[],
): Promise<unknown[][] | undefined> {
  try {
    return await commit(ctx, statements, followUps);
  } catch (error) {
    if (!claimant || !isTakenValue(error)) throw error;
    const refused = await takenRefusal(ctx, claimant);
    if (refused) throw refused;
    return undefined;
  }
}

/**
 * Returns the error for a pass whose unique values were taken, with the properties; undefined if no other pass holds
 * them now.
 */
export async function takenRefusal(
  ctx: AccountContext,
  { pass, definition }: Claimant,
): Promise<DomainError | undefined> {
  const taken = await takenValuesQuery(ctx, [pass]);
  if (taken.length === 0) return undefined;
  return duplicatesRefusal(definition, new Set(taken.map((row) => row.propertyId)));
}

/**
 * Builds the query of unique values that other passes hold: the index of the pass in the list, property ID and holder.
 * Values that are about to be released count as free.
 */
export function takenValuesQuery(ctx: AccountContext, wanted: Pass[]) {
  const rows = JSON.stringify(wanted.map((pass) => [pass.id, pass.templateId, valuesOf(pass)]));
  const { templateId, propertyId, accountId, run } = uniquePropertyChanges;
  const released = sql`select 1 from ${uniquePropertyChanges} where ${accountId} = ${ctx.account.id} and ${run} is null
    and ${templateId} = ${uniquePropertyValues.templateId} and ${propertyId} = ${uniquePropertyValues.propertyId}`;
  // As in `repeatedValues`: one index lookup per value.
  return rawStatement<{ place: number; propertyId: string; passId: string }>(
    ctx.db,
    sql`
    select wanted.key as place, ${uniquePropertyValues.propertyId} as propertyId, ${uniquePropertyValues.passId} as passId
    from json_each(${rows}) as wanted, json_each(wanted.value, '$[2]') as held
    cross join ${uniquePropertyValues} on ${uniquePropertyValues.templateId} = wanted.value ->> 1
      and ${uniquePropertyValues.propertyId} = held.value ->> 0 and ${uniquePropertyValues.value} = held.value ->> 1
    where ${uniquePropertyValues.passId} <> wanted.value ->> 0 and not exists (${released})`,
  );
}

/** Builds the query of the unique properties of templates, as JSON. */
export function uniquePropertiesQuery(ctx: AccountContext, templateIds: string[]) {
  return rawStatement<{ id: string; properties: string }>(
    ctx.db,
    sql`select ${templates.id} as id, ${templates.uniqueProperties} as properties
      from json_each(${JSON.stringify(templateIds)}) as named
      join ${templates} on ${templates.id} = named.value and +${templates.accountId} = ${ctx.account.id}`,
  );
}

/** Problem of a property whose values repeat. */
export const MUST_BE_UNIQUE = 'the value must be unique';

/** Builds the error for values that aren't unique, with the properties that the definition knows. */
export function duplicatesRefusal(definition: StoredDefinition, propertyIds: Set<string>): DomainError {
  const names = definition.additionalProperties
    .filter((property) => propertyIds.has(property.id))
    .map(({ name }) => name);
  return invalid((names.length > 0 ? names : ['additional property']).map((name) => fieldIssue(name, MUST_BE_UNIQUE)));
}
