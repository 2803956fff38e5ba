import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { BatchPart } from '../../platform/batch-part.ts';
import type { Db } from '../../platform/db.ts';
import { lowerUuid } from '../../platform/ids.ts';
import { Lru } from '../../platform/lru.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { isTemplateNamed, templateIdNamed } from '../template-restriction.ts';
import type { StoredDefinition } from './definition.ts';
import { type Template, templates, templateVersions } from './table.ts';
import { translatedCharsOf } from './translated-chars.ts';

/** Template with one of its definitions. */
export interface DefinedTemplate {
  template: Template;
  /** Version of `definition`. */
  version: number;
  definition: StoredDefinition;
}

/** Characters of the cached definitions. Most have a few thousand, those with templates of e-mails up to a million. */
export const CACHED_CHARS_MAX = 16_000_000;

/** Cache of definitions, which never change. */
const cache = new Lru<StoredDefinition>(CACHED_CHARS_MAX);
/** Newest known version of the template that a name means in an account. */
const latestSeen = new Lru<{ id: string; version: number }>(2_000);

const keyOf = (templateId: string, version: number) => `${templateId}:${version}`;

/** Returns a definition from the cache, or undefined. */
export function cachedDefinition(templateId: string, version: number): StoredDefinition | undefined {
  return cache.get(keyOf(templateId, version));
}

/** Caches a definition that was read with other rows. */
export function cacheDefinition(templateId: string, version: number, definition: StoredDefinition): void {
  // What wallets derive from it lives as long; its largest part is the translations.
  const weight = JSON.stringify(definition).length + translatedCharsOf(definition.translations);
  cache.set(keyOf(templateId, version), definition, weight);
}

/** Returns a definition from the cache, or from the text that was read with other rows. */
export function readDefinition(templateId: string, version: number, text: string): StoredDefinition {
  const key = keyOf(templateId, version);
  const definition: StoredDefinition = cache.get(key) ?? JSON.parse(text);
  cache.set(key, definition, text.length);
  return definition;
}

/** Returns the error for a missing row of a definition. */
export const missingDefinition = (templateId: string, version: number) =>
  new Error(`template ${templateId} has no definition of version ${version}`);

/** A cached definition, held by the request that reads its template: the cache may evict it before the row arrives. */
interface Held {
  id: string;
  version: number;
  definition: StoredDefinition;
}

function heldOf(seen: { id: string; version: number } | undefined): Held | undefined {
  const definition = seen && cachedDefinition(seen.id, seen.version);
  return definition && { ...seen, definition };
}

/**
 * Builds the query of the account's template that `name` means (see `isTemplateNamed`) with its newest definition. The
 * definition is transferred only if this isolate hasn't cached that version. Put the query into a batch and pass its
 * row to `toDefinedTemplate`.
 */
export function newestDefinitionQuery(ctx: AccountContext, name: string) {
  const held = heldOf(latestSeen.get(lowerUuid(name)) ?? latestSeen.get(nameKey(ctx.account.id, name)));
  const isHeld = held ? isVersion(held.id, held.version) : sql`false`;
  const definition = sql<StoredDefinition | null>`iif(${isHeld}, 'null', ${templateVersions.definition})`
    .mapWith((text: string): StoredDefinition => JSON.parse(text) ?? held!.definition)
    .as('definition');
  return ctx.db
    .select({ template: templates, definition })
    .from(templates)
    .leftJoin(templateVersions, isNewestUnless(isHeld))
    .where(isTemplateNamed(ctx, name));
}

/** Compares ID and version, because another template may have taken over the name. */
const isVersion = (id: string | Placeholder, version: number | Placeholder) =>
  sql`(${templates.id} = ${id} and ${templates.version} = ${version})`;

function isNewestUnless(isHeld: SQL): SQL | undefined {
  const { templateId, version } = templateVersions;
  return and(eq(templateId, templates.id), eq(version, templates.version), sql`not ${isHeld}`);
}

/** Row of `newestDefinitionQuery`. */
export interface NewestDefinition {
  template: Template;
  definition: StoredDefinition | null;
}

/**
 * Builds `newestDefinitionQuery` for an account given in SQL, with values for its placeholders. Only an ID can match a
 * cached definition here: a name means nothing without the account.
 */
export function newestDefinitionOf(account: SQL) {
  const id = templateIdNamed({ account: { id: account } }, sql`${sql.placeholder('name')}`);
  const isHeld = isVersion(sql.placeholder('heldId'), sql.placeholder('heldVersion'));
  const query = prepareQuery((db) =>
    db
      .select({ template: templates, definition: templateVersions.definition })
      .from(templates)
      .leftJoin(templateVersions, isNewestUnless(isHeld))
      .where(and(eq(templates.id, id), eq(templates.accountId, account))),
  );
  return (db: Db, name: string, values: Record<string, unknown>): BatchPart<NewestDefinition | undefined> => {
    const held = heldOf(latestSeen.get(lowerUuid(name)));
    return {
      queries: [query(db, { ...values, name, heldId: held?.id ?? '', heldVersion: held?.version ?? 0 })],
      read([rows]) {
        const [row] = rows as NewestDefinition[];
        const isHeld = held && row?.template.id === held.id && row.template.version === held.version;
        return isHeld ? { ...row!, definition: held.definition } : row;
      },
    };
  };
}

function nameKey(accountId: string, userProvidedId: string): string {
  return `${accountId}/${userProvidedId}`;
}

/** Converts a row of `newestDefinitionQuery`; throws not found if the account has no such template. */
export function toDefinedTemplate(row: NewestDefinition | undefined): DefinedTemplate {
  if (!row) throw notFound();
  const { template } = row;
  const { id, version, accountId, userProvidedId } = template;
  const cached = cachedDefinition(id, version);
  const definition = row.definition ?? cached;
  if (!definition) throw missingDefinition(id, version);
  if (definition !== cached) cacheDefinition(id, version, definition);
  const seen = { id, version };
  latestSeen.set(id, seen);
  if (userProvidedId !== null) latestSeen.set(nameKey(accountId, userProvidedId), seen);
  return { template, version, definition };
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
  if (!row) throw missingDefinition(templateId, version);
  cacheDefinition(templateId, version, row.definition);
  return row.definition;
}
