import { shardOf, uuidv7 } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { StoredDefinition } from './definition.ts';
import { cacheDefinition } from './load-definition.ts';
import { templates, templateVersions } from './table.ts';
import { templateEventBody } from './template-event.ts';

/**
 * Stores a new template of the account with its first definition, which counts as published (decisions §8, "Templates"), and the event in one batch. Returns the
 * template's identifier. Throws `invalid` for a used userProvidedId.
 */
export async function insertTemplate(ctx: AccountContext, definition: StoredDefinition): Promise<string> {
  const now = Date.now();
  const id = uuidv7(shardOf(ctx.account.id), now);
  const row = {
    ...templateColumns(definition),
    id,
    accountId: ctx.account.id,
    publishedAt: now,
    createdAt: now,
    modifiedAt: now,
  };
  try {
    await ctx.db.batch([
      ctx.db.insert(templates).values(row),
      ctx.db.insert(templateVersions).values({ templateId: id, version: 1, definition, createdAt: now }),
      recordEvent(ctx, {
        type: 'pass_template_created',
        templateId: id,
        body: templateEventBody({ id, name: row.name, passCount: 0 }, 0),
      }),
    ]);
  } catch (error) {
    throw usedIdRefusal(error) ?? error;
  }
  cacheDefinition(id, 1, definition);
  return id;
}

/** What the template's row repeats of its newest definition, for lists and rules. */
export function templateColumns(definition: StoredDefinition) {
  return {
    name: definition.name,
    projectId: definition.projectId ?? null,
    userProvidedId: definition.userProvidedId || null,
    uniqueProperties: definition.additionalProperties.filter(({ unique }) => unique).map(({ id }) => id),
  };
}

/** The error for a batch that broke the uniqueness of a template's userProvidedId; undefined when `error` is something else. */
export function usedIdRefusal(error: unknown): DomainError | undefined {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  if (!text.includes('UNIQUE constraint failed: templates.account_id, templates.user_provided_id')) return undefined;
  return invalid('userProvidedId: is already used by another template; it must be unique');
}
