import { and, asc, eq, gt, sql } from 'drizzle-orm';
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
    await eraseReplies(ctx, subjects);
  }
}

/**
 * Erases those of the account's kept replies that name no pass and have one of the texts, in upper or lower case, that
 * `isOwn` says is the person's alone. Returns how many. Reads all of them, a page at a time.
 */
export async function eraseRepliesWith(
  ctx: AccountContext,
  texts: string[],
  isOwn: (text: string) => Promise<boolean>,
): Promise<number> {
  const wanted = texts.map((text) => ({ text, forms: [fold(text), fold(JSON.stringify(text).slice(1, -1))] }));
  const accountId = ctx.account.id;
  let erased = 0;
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
    const found: Subject[] = [];
    for (const { key, body } of page) {
      const reply = fold(await openBody(ctx, key, body));
      const held = wanted.filter(({ forms }) => forms.some((form) => reply.includes(form)));
      if (await someAsync(held, ({ text }) => isOwn(text))) found.push({ passId: accountId, accountId, key });
    }
    if (found.length > 0) await eraseReplies(ctx, found);
    erased += found.length;
    if (page.length < PAGE_REPLIES) return erased;
    after = page.at(-1)!.key;
  }
}

async function someAsync<T>(items: T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}

type Subject = Pick<typeof replySubjects.$inferSelect, 'passId' | 'accountId' | 'key'>;

async function eraseReplies(ctx: Context, subjects: Subject[]): Promise<void> {
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
