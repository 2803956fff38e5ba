import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isPermitted } from '../template-restriction.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { readDefinition } from '../templates/get-template.ts';
import { type Template, templates, templateVersions } from '../templates/table.ts';
import { isNamedIn, isOwnPass } from './own-pass.ts';
import { type Pass, passes } from './table.ts';

/**
 * Condition on a pass: its template exists. To callers, the passes of a deleted template are gone before their rows
 * are. Queries that join the template don't need it.
 */
export const HAS_TEMPLATE = sql`exists (select 1 from ${templates} where ${eq(templates.id, passes.templateId)})`;

/**
 * Builds the query of the ID of the account's pass that `name` names: ID, then userProvidedId, barcode value,
 * generatedId; the newest of several. Only the ID is case-insensitive. Each step is one index lookup and runs only if
 * needed.
 */
export function passIdNamed(ctx: AccountContext, name: string | SQL): SQL<string | null> {
  return idNamed(ctx.account.id, name, isPermitted(ctx, passes.templateId));
}

/** Like `passIdNamed`, for an account given in SQL. `permitted` is a condition on passes that the caller may see. */
export function idNamed(
  accountId: string | SQL | Placeholder,
  name: string | SQL | Placeholder,
  permitted?: SQL,
): SQL<string | null> {
  const [mine, named] = [and(eq(passes.accountId, accountId), permitted), and(isNamedIn(accountId), permitted)];
  return sql`coalesce(
    (select ${passes.id} from ${passes} where ${passes.id} = lower(${name}) and ${mine}),
    (select ${passes.id} from ${passes} where ${named} and ${passes.userProvidedId} = ${name} and ${HAS_TEMPLATE} order by ${passes.key} desc limit 1),
    ${barcodeOwner(accountId, name, permitted)})`;
}

/**
 * Builds the query of the ID of the account's pass with a barcode, as in `idNamed`: the newest with that value, or the
 * one with that generatedId. A value equal to the generatedId is only in the index of generatedIds.
 */
export function barcodeOwner(
  accountId: string | SQL | Placeholder,
  name: string | SQL | Placeholder,
  permitted?: SQL,
): SQL<string | null> {
  const [mine, named] = [and(eq(passes.accountId, accountId), permitted), and(isNamedIn(accountId), permitted)];
  const generated = sql`select ${passes.id} from ${passes} where ${mine} and ${passes.generatedId} = ${name}`;
  const shows = sql`${passes.barcodeValue} = ${name} and ${HAS_TEMPLATE}`;
  return sql`coalesce(
    nullif(max(
      coalesce((select ${passes.id} from ${passes} where ${named} and ${IS_OWN_BARCODE} and ${shows} order by ${passes.key} desc limit 1), ''),
      coalesce((${generated} and ${shows}), '')), ''),
    (${generated}))`;
}

/** Condition: the barcode value differs from the generatedId. Same text as in the condition of an index. */
export const IS_OWN_BARCODE = sql`${passes.barcodeValue} <> ${passes.generatedId}`;

/** Pass and the row of its template. */
export interface FoundPass {
  pass: Pass;
  template: Pick<Template, 'name' | 'version' | 'publishedVersion' | 'publishedAt' | 'projectId'>;
}

/** Columns of a query for `FoundPass`. */
export const FOUND_PASS = {
  pass: passes,
  template: {
    name: templates.name,
    version: sql<number>`${templates.version}`.as('template_newest_version'),
    publishedVersion: templates.publishedVersion,
    publishedAt: templates.publishedAt,
    projectId: templates.projectId,
  },
};

const [ACCOUNT_ID, NAME] = [sql.placeholder('accountId'), sql.placeholder('name')];

/** Condition: the pass's template is in the list of a placeholder, as in `isPermitted`. */
export const IS_LISTED = sql`+${passes.templateId} in (select value from json_each(${sql.placeholder('templateIds')}))`;

const namedPassQuery = prepareQuery((db) => findNamed(db));
const restrictedPassQuery = prepareQuery((db) => findNamed(db, IS_LISTED));

function findNamed(db: Db, permitted?: SQL) {
  const isNamed = and(eq(passes.id, idNamed(ACCOUNT_ID, NAME, permitted)), eq(passes.accountId, ACCOUNT_ID));
  return db.select(FOUND_PASS).from(passes).innerJoin(templates, eq(templates.id, passes.templateId)).where(isNamed);
}

/** Builds the query of `getPass`, for a batch with other reads. */
export function passQuery(ctx: AccountContext, name: string) {
  const { id, templateIds } = ctx.account;
  if (templateIds)
    return restrictedPassQuery(ctx.db, { accountId: id, name, templateIds: JSON.stringify(templateIds) });
  return namedPassQuery(ctx.db, { accountId: id, name });
}

/** Returns the account's pass of that name with its template's row. One round trip. Throws not found. */
export async function getPass(ctx: AccountContext, name: string): Promise<FoundPass> {
  const [found] = await passQuery(ctx, name);
  if (!found) throw notFound();
  return found;
}

/** Returns the definition version that a pass shows: its own, or a later published one. */
export function shownVersion({ pass, template }: FoundPass): number {
  return Math.max(pass.templateVersion, template.publishedVersion);
}

/** Pass with the definition that it shows. */
export interface DefinedPass extends FoundPass {
  definition: StoredDefinition;
  /** Version of `definition`. */
  version: number;
}

/** Columns of a query for `toDefinedPass`: the pass, its template, and the definition that it shows. */
export const DEFINED_PASS = {
  ...FOUND_PASS,
  definition: sql<string>`(select ${templateVersions.definition} from ${templateVersions}
    where ${templateVersions.templateId} = ${passes.templateId}
      and ${templateVersions.version} = max(${passes.templateVersion}, ${templates.publishedVersion}))`.as(
    'definition',
  ),
};

/** Builds a query like `passQuery` with the definition in the row, for `toDefinedPass`. `more`: further columns. */
export function definedPassQuery<More extends Record<string, SQL>>(
  ctx: AccountContext,
  name: string | SQL,
  more = {} as More,
) {
  return ctx.db
    .select({ ...DEFINED_PASS, ...more })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(and(eq(passes.id, passIdNamed(ctx, name)), eq(passes.accountId, ctx.account.id)));
}

/** Like `definedPassQuery`, but finds the pass by its ID only. */
export function ownPassQuery(ctx: AccountContext, id: string) {
  return ctx.db
    .select(DEFINED_PASS)
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(and(eq(passes.id, id), eq(passes.accountId, ctx.account.id), isPermitted(ctx, passes.templateId)));
}

/** Converts a row of `definedPassQuery`; throws not found. */
export function toDefinedPass(row: (FoundPass & { definition: string }) | undefined): DefinedPass {
  if (!row) throw notFound();
  const { pass, template } = row;
  const version = shownVersion(row);
  return { pass, template, definition: readDefinition(pass.templateId, version, row.definition), version };
}

/** Returns the account's pass of that name with the definition that it shows. One round trip. Throws not found. */
export async function getDefinedPass(ctx: AccountContext, name: string): Promise<DefinedPass> {
  const [row] = await definedPassQuery(ctx, name);
  return toDefinedPass(row);
}

/** Whether the stored pass has this version and revision. */
export async function isStored(ctx: AccountContext, { id, version, revision }: Pass): Promise<boolean> {
  const isTarget = and(isOwnPass(ctx.account.id, id), eq(passes.version, version), eq(passes.revision, revision));
  return (await ctx.db.select({ id: passes.id }).from(passes).where(isTarget)).length > 0;
}
