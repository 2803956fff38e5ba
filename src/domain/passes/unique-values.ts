import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid } from '../errors.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { type Pass, uniquePropertyValues } from './table.ts';

/** The values of a pass that its template wants unique: property ID and value as text. */
function uniqueValuesOf(pass: Pass, definition: StoredDefinition): [string, string][] {
  return definition.additionalProperties
    .filter((property) => property.unique && pass.properties[property.id] !== undefined)
    .map((property) => [property.id, String(pass.properties[property.id])]);
}

/**
 * The statements that claim a pass's unique values, one for all of them, for the batch that writes the pass; none when there are none. A value that is taken breaks
 * the primary key, and with it the whole batch: see `uniqueValueRefusal`.
 */
export function claimUniqueValues(ctx: AccountContext, pass: Pass, definition: StoredDefinition, condition: SQL) {
  const values = uniqueValuesOf(pass, definition);
  if (values.length === 0) return [];
  const rows = sql`select ${pass.templateId}, value ->> 0, value ->> 1, ${pass.id} from json_each(${JSON.stringify(values)})
    where ${condition}`;
  return [ctx.db.insert(uniquePropertyValues).select(rows)];
}

/** The statement that gives up all unique values of a pass. */
export function releaseUniqueValues(ctx: AccountContext, passId: string, condition?: SQL) {
  return ctx.db.delete(uniquePropertyValues).where(and(eq(uniquePropertyValues.passId, passId), condition));
}

/** Whether two states of a pass claim other unique values. */
export function claimsDiffer(before: Pass, after: Pass, from: StoredDefinition, to: StoredDefinition): boolean {
  const claims = (pass: Pass, definition: StoredDefinition) =>
    JSON.stringify([pass.templateId, uniqueValuesOf(pass, definition)]);
  return claims(before, from) !== claims(after, to);
}

/** The error for a batch that broke the key of unique values, naming the properties; undefined when `error` is something else. */
export async function uniqueValueRefusal(
  ctx: AccountContext,
  error: unknown,
  pass: Pass,
  definition: StoredDefinition,
): Promise<DomainError | undefined> {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  if (!text.includes('UNIQUE constraint failed: unique_property_values')) return undefined;
  const values = uniqueValuesOf(pass, definition);
  const taken = await ctx.db
    .select({ propertyId: uniquePropertyValues.propertyId })
    .from(uniquePropertyValues)
    .where(
      sql`${uniquePropertyValues.templateId} = ${pass.templateId} and ${uniquePropertyValues.passId} <> ${pass.id}
        and (${uniquePropertyValues.propertyId}, ${uniquePropertyValues.value}) in
          (select value ->> 0, value ->> 1 from json_each(${JSON.stringify(values)}))`,
    );
  const ids = new Set(taken.map((row) => row.propertyId));
  const names = definition.additionalProperties.filter((property) => ids.has(property.id)).map(({ name }) => name);
  return invalid(
    (names.length > 0 ? names : ['additional property']).map((name) => `${name}: the value must be unique`),
  );
}
