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

/** A template with one of its definitions. */
export interface DefinedTemplate {
  template: Template;
  /** Version of `definition`. */
  version: number;
  definition: StoredDefinition;
}

/** Definitions never change, so an isolate keeps those it has read; a definition is a few kilobytes. */
const cache = new Lru<StoredDefinition>(500);
/** The newest version that was seen of the template that an account means by a name. */
const latestSeen = new Lru<{ id: string; version: number }>(2_000);

const keyOf = (templateId: string, version: number) => `${templateId}:${version}`;

/** A definition that this isolate holds, or undefined. */
export function cachedDefinition(templateId: string, version: number): StoredDefinition | undefined {
  return cache.get(keyOf(templateId, version));
}

/** Keeps a definition that was read beside other rows. */
export function cacheDefinition(templateId: string, version: number, definition: StoredDefinition): void {
  cache.set(keyOf(templateId, version), definition);
}

/**
 * The template of the account that `name` means (see `isTemplateNamed`) and its newest definition, in one statement:
 * the definition travels only when this isolate does not hold that version yet. Put it into a batch, then pass the row
 * to `toDefinedTemplate`.
 */
export function newestDefinitionQuery(ctx: AccountContext, name: string) {
  const seen = latestSeen.get(lowerUuid(name)) ?? latestSeen.get(nameKey(ctx.account.id, name));
  const held = seen && cachedDefinition(seen.id, seen.version) ? seen : undefined;
  const isNews = and(
    eq(templateVersions.templateId, templates.id),
    eq(templateVersions.version, templates.version),
    // Of the pair, because another template may have taken the name over.
    held && sql`not (${templates.id} = ${held.id} and ${templates.version} = ${held.version})`,
  );
  return ctx.db
    .select({ template: templates, definition: templateVersions.definition })
    .from(templates)
    .leftJoin(templateVersions, isNews)
    .where(isTemplateNamed(ctx, name));
}

/** Row of `newestDefinitionQuery`. */
export type NewestDefinition = Awaited<ReturnType<typeof newestDefinitionQuery>>[number];

/**
 * `newestDefinitionQuery` for an account that SQL names; takes the values of its placeholders. By the name alone nobody
 * knows whether an account means a definition that this isolate holds, but by the identifier.
 */
export function newestDefinitionOf(account: SQL) {
  const id = templateIdNamed({ account: { id: account } }, sql`${sql.placeholder('name')}`);
  const isNews = and(
    eq(templateVersions.templateId, templates.id),
    eq(templateVersions.version, templates.version),
    sql`not (${templates.id} = ${sql.placeholder('heldId')} and ${templates.version} = ${sql.placeholder('heldVersion')})`,
  );
  const query = prepareQuery((db) =>
    db
      .select({ template: templates, definition: templateVersions.definition })
      .from(templates)
      .leftJoin(templateVersions, isNews)
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

/** Result of `newestDefinitionQuery`; throws not found when the account has no such template. */
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

/** The template of the account that `name` means, with its newest definition; throws not found. */
export async function getTemplate(ctx: AccountContext, name: string): Promise<DefinedTemplate> {
  const [row] = await newestDefinitionQuery(ctx, name);
  return toDefinedTemplate(row);
}

/** One definition by version, from the isolate's cache or the database. */
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
