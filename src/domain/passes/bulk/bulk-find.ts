import { and, eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../../context.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { templates } from '../../templates/table.ts';
import { type DefinedPass, FOUND_PASS, type FoundPass, passIdNamed, shownVersion } from '../find-pass.ts';
import { passes } from '../table.ts';

/**
 * Builds the query of the account's passes with these names, found as in `getPass`. `place` is the index of the name in
 * the list.
 */
export function namedPassesQuery(ctx: AccountContext, names: string[]) {
  return (
    ctx.db
      .select({ ...FOUND_PASS, place: sql<number>`named.key`.as('place') })
      .from(sql`json_each(${JSON.stringify(names)}) as named`)
      // A cross join keeps its order: one index lookup per name, never a scan of the account's passes per name.
      .crossJoin(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(and(eq(passes.id, passIdNamed(ctx, sql`named.value`)), eq(passes.accountId, ctx.account.id)))
  );
}

/**
 * Returns the rows of `namedPassesQuery` by index, each with the definition that it shows. Definitions that this
 * isolate hasn't cached take one round trip each.
 */
export async function toDefinedPasses(
  ctx: AccountContext,
  rows: (FoundPass & { place: number })[],
): Promise<Map<number, DefinedPass>> {
  const found = new Map<number, DefinedPass>();
  for (const { place, pass, template } of rows) {
    const version = shownVersion({ pass, template });
    const definition = await getDefinition(ctx, pass.templateId, version);
    found.set(place, { pass, template, definition, version });
  }
  return found;
}
