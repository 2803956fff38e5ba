import { and, eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../../context.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { templates } from '../../templates/table.ts';
import { type DefinedPass, FOUND_PASS, type FoundPass, passIdNamed, shownVersion } from '../find-pass.ts';
import { passes } from '../table.ts';

/**
 * The statement that finds the account's passes of many names, as `getPass` finds one; `place` is the place of the name
 * in the list.
 */
export function namedPassesQuery(ctx: AccountContext, names: string[]) {
  return (
    ctx.db
      .select({ ...FOUND_PASS, place: sql<number>`named.key`.as('place') })
      .from(sql`json_each(${JSON.stringify(names)}) as named`)
      // A cross join keeps its order: name by name into the index, never the account's passes name by name.
      .crossJoin(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(and(eq(passes.id, passIdNamed(ctx, sql`named.value`)), eq(passes.accountId, ctx.account.id)))
  );
}

/**
 * Result of `namedPassesQuery` by place, each with the definition that it shows. Definitions that this isolate does not
 * hold take a round trip each.
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
