import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import { lowerUuid } from '../../platform/ids.ts';
import { Lru } from '../../platform/lru.ts';
import { type PreparedQuery, prepareQuery } from '../../platform/prepared-query.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { isTemplateNamed, templateIdNamed } from '../template-names.ts';
import type { StoredDefinition } from './definition.ts';
import { type Template, templates, templateVersions } from './table.ts';

/** Template with one of its definitions. */
export interface DefinedTemplate {
  template: Template;
  /** Version of `definition`. */
  version: number;
  definition: StoredDefinition;
}

/** Cache of definitions, which never change. Each is a few kilobytes. */
const cache = new Lru<StoredDefinition>(500);
/** Newest known version of the template that a name means in an account. */
const latestSeen = new Lru<{ id: string; version: number }>(2_000);

const keyOf = (templateId: string, version: number) => `${templateId}:${version}`;

/** Returns a definition from the cache, or undefined. */
export function cachedDefinition(templateId: string, version: number): StoredDefinition | undefined {
  return cache.get(keyOf(templateId, version));
}

/** Caches a definition that was read with other rows. */
export function cacheDefinition(templateId: string, version: number, definition: StoredDefinition): void {
  cache.set(keyOf(templateId, version), definition);
}

/**
 * Builds the query of the account's template that `name` means (see `isTemplateNamed`) with its newest definition. The
 * definition is returned only if this isolate hasn't cached that version. Put the query into a batch and pass its row
 * to `toDefinedTemplate`.
 */
export function newestDefinitionQuery(ctx: AccountContext, name: string) {
  const seen = latestSeen.get(lowerUuid(name)) ?? latestSeen.get(nameKey(ctx.account.id, name));
  const held = seen && cachedDefinition(seen.id, seen.version) ? seen : undefined;
  const isUncached = and(
    eq(templateVersions.templateId, templates.id),
    eq(templateVersions.version, templates.version),
    // Compares ID and version, because another template may have taken over the name.
    held && sql`not (${templates.id} = ${held.id} and ${templates.version} = ${held.version})`,
  );
  return ctx.db
    .select({ template: templates, definition: templateVersions.definition })
    .from(templates)
    .leftJoin(templateVersions, isUncached)
    .where(isTemplateNamed(ctx, name));
}

/** Row of `newestDefinitionQuery`. */
export type NewestDefinition = Awaited<ReturnType<typeof newestDefinitionQuery>>[number];

/**
 * Builds `newestDefinitionQuery` for an account given in SQL, with values for its placeholders. Only an ID can match a
 * cached definition here: a name means nothing without the account.
 */
export function newestDefinitionOf(account: SQL) {
  const id = templateIdNamed({ account: { id: account } }, sql`${sql.placeholder('name')}`);
  const isUncached = and(
    eq(templateVersions.templateId, templates.id),
    eq(templateVersions.version, templates.version),
    sql`not (${templates.id} = ${sql.placeholder('heldId')} and ${templates.version} = ${sql.placeholder('heldVersion')})`,
  );
  const query = prepareQuery((db) =>
    db
      .select({ template: templates, definition: templateVersions.definition })
      .from(templates)
      .leftJoin(templateVersions, isUncached)
      .where(and(eq(templates.id, id), eq(templates.accountId, account))),
  );
  return (db: Db, name: string, values: Record<string, unknown>): PreparedQuery<NewestDefinition[]> => {
    const seen = latestSeen.get(lowerUuid(name));
    const held = seen && cachedDefinition(seen.id, seen.version) ? seen : { id: '', version: 0 };
    return query(db, { ...values, name, heldId: held.id, heldVersion: held.version });
  };
}

function nameKey(accountId: string, userProvidedId: string): string {
  return `${accountId}/${userProvidedId}`;
}

/** Converts a row of `newestDefinitionQuery`; throws not found if the account has no such template. */
export function toDefinedTemplate(
  row: { template: Template; definition: StoredDefinition | null } | undefined,
): DefinedTemplate {
  if (!row) throw notFound();
  const { template } = row;
  if (row.definition !== null) {
    cacheDefinition(template.id, template.version, row.definition);
    const { id, version, accountId, userProvidedId } = template;
    latestSeen.set(id, { id, version });
    if (userProvidedId !== null) latestSeen.set(nameKey(accountId, userProvidedId), { id, version });
  }
  const definition = cachedDefinition(template.id, template.version);
  if (!definition) throw new Error(`template ${template.id} has no definition of version ${template.version}`);
  return { template, version: template.version, definition };
}

/** Returns the account's template that `name` means, with its newest definition; throws not found. */
export async function getTemplate(ctx: AccountContext, name: string): Promise<DefinedTemplate> {
  const [row] = await newestDefinitionQuery(ctx, name);
  return toDefinedTemplate(row);
}

/** Returns one definition by version, from the isolate's cache or the database. */
export async function getDefinition(ctx: Context, templateId: string, version: number): Promise<StoredDefinition> {
  const held = cachedDefinition(templateId, version);
  if (held) return held;
  const [row] = await ctx.db
    .select({ definition: templateVersions.definition })
    .from(templateVersions)
    .where(and(eq(templateVersions.templateId, templateId), eq(templateVersions.version, version)));
  if (!row) throw new Error(`template ${templateId} has no definition of version ${version}`);
  cacheDefinition(templateId, version, row.definition);
  return row.definition;
}
