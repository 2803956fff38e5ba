import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { someAsync } from '../../platform/concurrency.ts';
import type { AccountContext, Context } from '../context.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { ERASED_STATUS, openBody, replyFile } from './idempotent-requests.ts';
import { idempotencyKeys, replySubjects } from './table.ts';

const PAGE_REPLIES = 100;

/** Erases kept replies about deleted passes. Their keys stay taken, so that no repeat runs the request again. */
export async function eraseRepliesAbout(ctx: Context, passIds: string[]): Promise<void> {
  const ofPasses = sql`${replySubjects.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
  for (;;) {
    const subjects = await ctx.db.select().from(replySubjects).where(ofPasses).limit(PAGE_REPLIES);
    if (subjects.length === 0) return;
    await eraseSome(ctx, subjects);
  }
}

/**
 * Finds the account's kept replies that name no pass but contain one of the texts, in upper or lower case. `isOwn` must
 * say that the text belongs to the person alone. Reads all of them, a page at a time.
 */
export async function findRepliesWith(
  ctx: AccountContext,
  texts: string[],
  isOwn: (text: string) => Promise<boolean>,
): Promise<ReplySubject[]> {
  const wanted = texts.map((text) => ({ text, forms: [fold(text), fold(JSON.stringify(text).slice(1, -1))] }));
  const accountId = ctx.account.id;
  const found: ReplySubject[] = [];
  for (let after = ''; ; ) {
    const page = await ctx.db
      .select({ key: replySubjects.key, body: idempotencyKeys.body })
      .from(replySubjects)
      .innerJoin(
        idempotencyKeys,
        and(eq(idempotencyKeys.accountId, replySubjects.accountId), eq(idempotencyKeys.key, replySubjects.key)),
      )
      .where(
        and(eq(replySubjects.passId, accountId), eq(replySubjects.accountId, accountId), gt(replySubjects.key, after)),
      )
      .orderBy(asc(replySubjects.key))
      .limit(PAGE_REPLIES);
    for (const { key, body } of page) {
      const reply = fold(await openBody(ctx, key, body));
      const held = wanted.filter(({ forms }) => forms.some((form) => reply.includes(form)));
      if (await someAsync(held, ({ text }) => isOwn(text))) found.push({ passId: accountId, accountId, key });
    }
    if (page.length < PAGE_REPLIES) return found;
    after = page.at(-1)!.key;
  }
}

/** A kept reply and what it is about. */
export type ReplySubject = Pick<typeof replySubjects.$inferSelect, 'passId' | 'accountId' | 'key'>;

/** Erases kept replies; their keys stay taken. */
export async function eraseReplies(ctx: Context, replies: ReplySubject[]): Promise<void> {
  for (const some of slicesOf(replies, PAGE_REPLIES)) await eraseSome(ctx, some);
}

async function eraseSome(ctx: Context, subjects: ReplySubject[]): Promise<void> {
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
