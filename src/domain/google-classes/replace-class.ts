import { and, eq, lt } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { purge } from '../purge.ts';
import { googleClasses } from './table.ts';

/** Attempts while other requests replace the same class: in each, another one came in between. */
const ATTEMPTS_MAX = 10;

/**
 * Gives a class `content` at Google; calls `send` unless Google has it. Concurrent calls repeat until none overlaps, so
 * the recorded content is the last one sent. After a crash it is unknown, and the next call sends. Returns the last
 * reply of `send`, or undefined without a call.
 */
export async function replaceClass<Reply>(
  ctx: Context,
  id: string,
  content: unknown,
  send: () => Promise<{ taken: boolean; reply: Reply }>,
): Promise<Reply | undefined> {
  const digest = await sha256(JSON.stringify(content));
  let reply: Reply | undefined;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [row] = await ctx.db
      .select({ digest: googleClasses.digest })
      .from(googleClasses)
      .where(eq(googleClasses.id, id));
    if (row?.digest === digest) return reply;
    const claim = crypto.randomUUID();
    const begun = { digest: null, claim, sentAt: Date.now() };
    await ctx.db
      .insert(googleClasses)
      .values({ id, ...begun })
      .onConflictDoUpdate({ target: googleClasses.id, set: begun });
    const sent = await send();
    reply = sent.reply;
    if (!sent.taken) return reply;
    const noted = await ctx.db
      .update(googleClasses)
      .set({ digest })
      .where(and(eq(googleClasses.id, id), eq(googleClasses.claim, claim)))
      .returning({ id: googleClasses.id });
    if (noted.length > 0) return reply;
  }
  throw new DomainError('conflict', `The Google class ${id} is being replaced by many requests at once`);
}

/** A class that was not sent for so long is forgotten. If one of its passes changes later, it is sent again. */
const KNOWN_DAYS = 60;
const DAY_MS = 24 * 60 * 60_000;

/** Cron task: forgets classes that were not sent for long. */
export async function purgeClasses(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, googleClasses, lt(googleClasses.sentAt, now - KNOWN_DAYS * DAY_MS));
}
