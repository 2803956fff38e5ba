import { and, eq, ne, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { loadDefinition } from '../templates/load-definition.ts';
import { getPass, shownVersion } from './find-pass.ts';
import { nextModifiedAt } from './next-modified-at.ts';
import { passEventBody } from './pass-event.ts';
import { passes } from './table.ts';

/**
 * Voids a pass or makes it valid again. A pass that is already in that state stays as it is: no new version, no event. State and event
 * are one batch. Throws not found.
 */
export async function voidPass(ctx: AccountContext, name: string, voided: boolean): Promise<void> {
  const found = await getPass(ctx, name);
  const { pass } = found;
  const definition = await loadDefinition(ctx, pass.templateId, shownVersion(found));
  const differs = and(eq(passes.id, pass.id), ne(passes.voided, voided));
  const now = Date.now();
  const [, , [standing]] = await ctx.db.batch([
    recordEvent(ctx, {
      type: voided ? 'pass_voided' : 'pass_unvoided',
      templateId: pass.templateId,
      passId: pass.id,
      body: passEventBody(ctx, pass, definition),
      condition: sql`exists (select 1 from ${passes} where ${differs})`,
    }),
    ctx.db
      .update(passes)
      .set({ voided, version: sql`${passes.version} + 1`, modifiedAt: nextModifiedAt(now) })
      .where(differs),
    ctx.db.select({ id: passes.id }).from(passes).where(eq(passes.id, pass.id)),
  ]);
  if (!standing) throw notFound();
}
