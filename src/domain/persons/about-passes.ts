import { type SQL, sql } from 'drizzle-orm';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import { appScans } from '../app-scans/table.ts';
import type { AccountContext } from '../context.ts';
import { earlierEvents, events } from '../events/table.ts';
import { replySubjects } from '../idempotency/table.ts';
import { messages } from '../messages/table.ts';
import type { DefinedPass } from '../passes/find-pass.ts';

/** The counts of an erasure that found nothing. */
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
type AboutPasses = typeof appScans | typeof messages | typeof earlierEvents | typeof replySubjects;

/** Returns SQL for the account's rows about passes; `named` lists the passes in parentheses. */
export function isAbout({ account }: AccountContext, table: AboutPasses, named: SQL): SQL {
  // The plus keeps the planner from searching by the account.
  return sql`(${table.passId} in ${named} and +${table.accountId} = ${account.id})`;
}

/** Counts of the data about a pass, by kind. */
export type PassCounts = Pick<typeof NOTHING, 'passes' | 'scans' | 'messages' | 'events' | 'replies' | 'images'>;

/** Counts the data about each pass, by its identifier. An image that several passes share counts for the first one. */
export async function countEach(ctx: AccountContext, found: DefinedPass[]): Promise<Map<string, PassCounts>> {
  const named = sql`json_each(${JSON.stringify(found.map(({ pass }) => pass.id))})`;
  const count = (table: AboutPasses) =>
    sql<number>`(select count(*) from ${table}
      where ${table.passId} = one.value and +${table.accountId} = ${ctx.account.id})`;
  // Repeats the condition of the index.
  const ofEvents = sql`(select count(*) from ${events} where pass = ${uuidBytes(sql`one.value`)}
    and has_values is not null and pass is not null and +${events.accountId} = ${ctx.account.id})`;
  const rows = await ctx.db
    .select({
      passId: sql<string>`one.value`,
      scans: count(appScans),
      messages: count(messages),
      events: sql<number>`${ofEvents} + ${count(earlierEvents)}`,
      replies: count(replySubjects),
    })
    .from(sql`${named} as one`);
  const images = new Set<string>();
  const ofPass = new Map(found.map(({ pass }) => [pass.id, imagesOf(pass)]));
  return new Map(
    rows.map(({ passId, ...counts }) => {
      const before = images.size;
      for (const image of ofPass.get(passId)!) images.add(image);
      return [passId, { ...counts, passes: 1, images: images.size - before }];
    }),
  );
}

/** Counts the data about all passes together. */
export async function countAll(ctx: AccountContext, found: DefinedPass[]): Promise<typeof NOTHING> {
  const total = { ...NOTHING };
  for (const counts of (await countEach(ctx, found)).values()) addCounts(total, counts);
  return total;
}

/** Adds counts to those of a total. */
export function addCounts(total: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, number] of Object.entries(counts)) total[name] = (total[name] ?? 0) + number;
}

/** Returns the SHA-256 of the images of a pass itself. */
export function imagesOf({ appearance: { images = {}, localizedBackgrounds = {} } }: DefinedPass['pass']): string[] {
  return [...Object.values(images), ...Object.values(localizedBackgrounds)].map(({ sha256 }) => sha256);
}
