import { and, asc, eq, gt } from 'drizzle-orm';
import { isRecord } from '../../platform/json.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { checkQuery } from './check-query.ts';
import { segments } from './table.ts';

const PAGE_SEGMENTS = 100;
/** Replaces an erased value. The query still selects the passes of others. */
const ERASED = 'erased';
/** Shorter texts must match as a whole, not as a part of another text. */
const PART_CHARS_MIN = 4;
/** Members of a query that hold no values of passes. Queries are stored as sent, so any other member may hold one. */
const NAME_MEMBERS = new Set(['field', 'operator', 'templateId', 'projectId']);

/** Values to erase from queries. */
export interface ErasedValues {
  /** Texts that a query may contain, in whole or in part. */
  texts: string[];
  /** Whether a text of a query belongs to this person only. */
  isOwn(text: string): Promise<boolean>;
}

/**
 * Erases the values of a person from the account's stored queries and their titles. Deletes a query that becomes
 * invalid without them. Returns the identifiers of the changed queries. With `dryRun` it changes nothing.
 */
export async function eraseSegmentValues(
  ctx: AccountContext,
  { texts, isOwn }: ErasedValues,
  { dryRun }: { dryRun: boolean },
): Promise<string[]> {
  const folded = new Set(texts.map(fold));
  const touches = (text: string) => {
    const one = fold(text).trim();
    if (folded.has(one)) return true;
    if (one.length < PART_CHARS_MIN) return false;
    return [...folded].some((value) => value.length >= PART_CHARS_MIN && (value.includes(one) || one.includes(value)));
  };
  const erase = async (text: string) => (touches(text) && (await isOwn(text)) ? ERASED : text);
  const changed: string[] = [];
  for (let after = ''; ; ) {
    const page = await ctx.db
      .select({ id: segments.id, title: segments.title, query: segments.query })
      .from(segments)
      .where(and(eq(segments.accountId, ctx.account.id), gt(segments.id, after)))
      .orderBy(asc(segments.id))
      .limit(PAGE_SEGMENTS);
    for (const segment of page) {
      const title = await erase(segment.title);
      const query = (await eraseValues(segment.query, erase)) as Record<string, unknown>;
      const isChanged = title !== segment.title || JSON.stringify(query) !== JSON.stringify(segment.query);
      if (isChanged && (dryRun || (await write(ctx, segment, { title, query })))) changed.push(segment.id);
      // Reads a segment again if another range of the process has changed it meanwhile.
      else if (isChanged) break;
      after = segment.id;
    }
    if (page.length < PAGE_SEGMENTS && after >= (page.at(-1)?.id ?? '')) return changed;
  }
}

type Stored = Pick<typeof segments.$inferSelect, 'id' | 'title' | 'query'>;

/** Writes the segment only if it is unchanged since it was read. Returns whether it did. */
async function write(ctx: AccountContext, before: Stored, after: Omit<Stored, 'id'>): Promise<boolean> {
  const isTarget = and(
    eq(segments.id, before.id),
    eq(segments.accountId, ctx.account.id),
    eq(segments.title, before.title),
    eq(segments.query, before.query),
  );
  const { meta } = (await isQuery(ctx, after.query))
    ? await ctx.db.update(segments).set(after).where(isTarget)
    : await ctx.db.delete(segments).where(isTarget);
  return meta.changes > 0;
}

async function eraseValues(
  value: unknown,
  erase: (text: string) => Promise<string>,
  isValue = false,
): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => eraseValues(one, erase, isValue)));
  if (isRecord(value)) {
    const members = Object.entries(value).map(async ([name, member]) => [
      name,
      await eraseValues(member, erase, !NAME_MEMBERS.has(name)),
    ]);
    return Object.fromEntries(await Promise.all(members));
  }
  if (!isValue || value === null || value === undefined) return value;
  const text = String(value);
  const kept = await erase(text);
  return kept === text ? value : kept;
}

/** Whether a query is still valid. A query whose template is gone counts as valid, so it stays as it was. */
async function isQuery(ctx: AccountContext, query: Record<string, unknown>): Promise<boolean> {
  try {
    await checkQuery(ctx, query);
    return true;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.kind === 'not_found';
  }
}
