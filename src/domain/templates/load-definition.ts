import { and, eq, ne } from 'drizzle-orm';
import { Lru } from '../../platform/lru.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
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
const latestSeen = new Lru<number>(2_000);

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
 * The template of the account and its newest definition, in one statement: the definition travels only when this isolate does not hold
 * that version yet. Put it into a batch, then pass the row to `toDefinedTemplate`.
 */
export function newestDefinitionQuery(ctx: AccountContext, templateId: string) {
  const held = latestSeen.get(templateId);
  const known = held !== undefined && cachedDefinition(templateId, held) ? held : -1;
  const isNews = and(
    eq(templateVersions.templateId, templates.id),
    eq(templateVersions.version, templates.version),
    ne(templates.version, known),
  );
  return ctx.db
    .select({ template: templates, definition: templateVersions.definition })
    .from(templates)
    .leftJoin(templateVersions, isNews)
    .where(and(eq(templates.id, templateId), eq(templates.accountId, ctx.account.id)));
}

/** Result of `newestDefinitionQuery`; throws not found when the account has no such template. */
export function toDefinedTemplate(
  row: { template: Template; definition: StoredDefinition | null } | undefined,
): DefinedTemplate {
  if (!row) throw notFound();
  const { template } = row;
  if (row.definition !== null) {
    cacheDefinition(template.id, template.version, row.definition);
    latestSeen.set(template.id, template.version);
  }
  const definition = cachedDefinition(template.id, template.version);
  if (!definition) throw new Error(`template ${template.id} has no definition of version ${template.version}`);
  return { template, version: template.version, definition };
}

/** The template of the account with its newest definition; throws not found. */
export async function getTemplate(ctx: AccountContext, templateId: string): Promise<DefinedTemplate> {
  const [row] = await newestDefinitionQuery(ctx, templateId);
  return toDefinedTemplate(row);
}

/** One definition by version, from the isolate's cache or the database. */
export async function loadDefinition(ctx: Context, templateId: string, version: number): Promise<StoredDefinition> {
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
