import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { invalidField, notFound } from '../errors.ts';
import { type Subject, subjectOfLetter } from './letter-subject.ts';
import { isOwnDeadLetter } from './own-dead-letter.ts';
import { type DeadLetter, deadLetters } from './table.ts';

export interface ShownLetter extends DeadLetter {
  subject: Subject | null;
}

/**
 * Lists the context's letters, newest first; `before` is the `positionOf` the last one of the page before. Throws
 * `invalid` for any other value. One round trip.
 */
export function listDeadLetters(
  ctx: Context | AccountContext,
  { limit, before }: { limit: number; before?: string },
): Promise<ShownLetter[]> {
  return selectLetters(ctx, before === undefined ? undefined : isOlder(before))
    .orderBy(desc(deadLetters.failedAt), desc(deadLetters.id))
    .limit(limit);
}

/** Returns one letter. One round trip; throws not found. */
export async function getDeadLetter(ctx: Context | AccountContext, id: string): Promise<ShownLetter> {
  const [letter] = await selectLetters(ctx, eq(deadLetters.id, id));
  if (!letter) throw notFound();
  return letter;
}

/** Returns the position of a letter in the list. */
export function positionOf({ failedAt, id }: DeadLetter): string {
  return `${failedAt}.${id}`;
}

const POSITION = /^(\d{1,15})\.(.{1,100})$/;

function isOlder(position: string): SQL {
  const [, failedAt, id] = POSITION.exec(position) ?? [];
  if (id === undefined) throw invalidField('before', 'must be the position of a dead letter');
  return sql`(${deadLetters.failedAt}, ${deadLetters.id}) < (${Number(failedAt)}, ${id})`;
}

function selectLetters(ctx: Context | AccountContext, condition: SQL | undefined) {
  return ctx.db
    .select({ ...getTableColumns(deadLetters), subject: subjectOfLetter() })
    .from(deadLetters)
    .where(and(isOwnDeadLetter(ctx), condition))
    .$dynamic();
}
