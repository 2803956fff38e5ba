import { and, eq, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { ERASED_STATUS, replyFile } from './idempotent-requests.ts';
import { idempotencyKeys, replySubjects } from './table.ts';

const PAGE_REPLIES = 100;

/** Erases kept replies about deleted passes. Their keys stay taken, so that no repeat runs the request again. */
export async function eraseRepliesAbout(ctx: Context, passIds: string[]): Promise<void> {
  const ofPasses = sql`${replySubjects.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
  for (;;) {
    const subjects = await ctx.db.select().from(replySubjects).where(ofPasses).limit(PAGE_REPLIES);
    if (subjects.length === 0) return;
    const files = await Promise.all(subjects.map(({ accountId, key }) => replyFile(accountId, key)));
    await ctx.env.FILES.delete(files);
    const named = JSON.stringify(subjects.map(({ passId, accountId, key }) => [passId, accountId, key]));
    const at = (place: number) => sql.raw(`named.value ->> ${place}`);
    await ctx.db.batch([
      ctx.db
        .update(idempotencyKeys)
        .set({ status: ERASED_STATUS, headers: null, body: null })
        .from(sql`json_each(${named}) as named`)
        .where(and(eq(idempotencyKeys.accountId, at(1)), eq(idempotencyKeys.key, at(2)))),
      ctx.db
        .delete(replySubjects)
        .where(
          sql`(${replySubjects.passId}, ${replySubjects.accountId}, ${replySubjects.key}) in (select ${at(0)}, ${at(1)}, ${at(2)} from json_each(${named}) as named)`,
        ),
    ]);
  }
}
