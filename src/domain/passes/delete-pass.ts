import { eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { enqueue } from '../context.ts';
import { notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { countPass } from '../templates/count-passes.ts';
import { loadDefinition } from '../templates/load-definition.ts';
import { getPass, shownVersion } from './find-pass.ts';
import { passEventBody } from './pass-event.ts';
import { passes } from './table.ts';

/**
 * Deletes a pass for good: row, the template's count and the event are one batch; cached pass files follow by the queue. Of several simultaneous
 * calls one deletes. Throws not found.
 */
export async function deletePass(ctx: AccountContext, name: string): Promise<void> {
  const found = await getPass(ctx, name);
  const { pass } = found;
  const definition = await loadDefinition(ctx, pass.templateId, shownVersion(found));
  const stands = sql`exists (select 1 from ${passes} where ${eq(passes.id, pass.id)})`;
  const [, , deleted] = await ctx.db.batch([
    recordEvent(ctx, {
      type: 'pass_deleted',
      templateId: pass.templateId,
      passId: pass.id,
      body: passEventBody(ctx, pass, definition),
      condition: stands,
    }),
    countPass(ctx, pass.templateId, -1, stands),
    ctx.db.delete(passes).where(eq(passes.id, pass.id)).returning({ id: passes.id }),
  ]);
  if (deleted.length === 0) throw notFound();
  await enqueue(ctx, [{ type: 'delete-pass-files', passId: pass.id }]);
}
