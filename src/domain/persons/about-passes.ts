import { type SQL, sql } from 'drizzle-orm';
import { appScans } from '../app-scans/table.ts';
import type { AccountContext } from '../context.ts';
import { earlierEvents, events } from '../events/table.ts';
import { replySubjects } from '../idempotency/table.ts';
import { messages } from '../messages/table.ts';
import type { DefinedPass } from '../passes/find-pass.ts';

/** The counts of an erasure that has found nothing. */
export const NOTHING = {
  passes: 0,
  scans: 0,
  messages: 0,
  events: 0,
  replies: 0,
  images: 0,
  segments: 0,
  imports: 0,
  processItems: 0,
  exports: 0,
};

/** Tables whose rows are about passes. */
type AboutPasses = typeof appScans | typeof messages | typeof events | typeof earlierEvents | typeof replySubjects;

/** SQL for rows of the account about passes; `named` lists them in parentheses. */
export function isAbout({ account }: AccountContext, table: AboutPasses, named: SQL): SQL {
  // The plus keeps the planner from finding them by the account.
  return sql`(${table.passId} in ${named} and +${table.accountId} = ${account.id})`;
}

/** What there is about passes, by name of what it is. */
export async function countAbout(ctx: AccountContext, found: DefinedPass[]): Promise<typeof NOTHING> {
  const named = sql`(select value from json_each(${JSON.stringify(found.map(({ pass }) => pass.id))}))`;
  const count = (table: AboutPasses, also = sql`true`) =>
    sql<number>`(select count(*) from ${table} where ${isAbout(ctx, table, named)} and ${also})`;
  const hasValues = sql`${events.hasValues} is not null and ${events.passId} is not null`;
  const [row] = await ctx.db
    .select({
      scans: count(appScans),
      messages: count(messages),
      events: sql<number>`${count(events, hasValues)} + ${count(earlierEvents)}`,
      replies: count(replySubjects),
    })
    .from(sql`(select 1)`);
  const images = new Set(found.flatMap(({ pass }) => imagesOf(pass)));
  return { ...NOTHING, ...row, passes: found.length, images: images.size };
}

/** SHA-256 of the images that a pass has of its own. */
export function imagesOf({ appearance: { images = {}, localizedBackgrounds = {} } }: DefinedPass['pass']): string[] {
  return [...Object.values(images), ...Object.values(localizedBackgrounds)].map(({ sha256 }) => sha256);
}
