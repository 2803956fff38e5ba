import { and, desc, eq, getTableColumns, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { describeError, logLine } from '../../platform/log.ts';
import { recordActions } from '../audit/record-action.ts';
import type { AccountContext, Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { invalidField, notFound } from '../errors.ts';
import { messages } from '../messages/table.ts';
import { passes } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { writeOnce } from '../write-once.ts';
import { type DeadLetter, deadLetters } from './table.ts';

/** The subject of a letter, which people can open. */
export interface Subject {
  kind: 'message' | 'pass' | 'process' | 'subscription' | 'template';
  id: string;
}

const SUBJECTS: [Subject['kind'], { id: SQLiteColumn; accountId: SQLiteColumn }, name: SQL][] = [
  ['message', messages, sql`${deadLetters.body} ->> '$.messageId'`],
  ['pass', passes, sql`${deadLetters.body} ->> '$.passId'`],
  // A list counts only if it has one pass.
  [
    'pass',
    passes,
    sql`iif(json_array_length(${deadLetters.body}, '$.passIds') = 1, ${deadLetters.body} ->> '$.passIds[0]', null)`,
  ],
  ['process', processes, sql`${deadLetters.body} ->> '$.processId'`],
  ['subscription', webhookSubscriptions, sql`${deadLetters.body} ->> '$.subscriptionId'`],
  ['template', templates, sql`${deadLetters.body} ->> '$.templateId'`],
];

/** Returns SQL for the `Subject` of a letter; null if it has none, or it is gone. */
function subjectOfLetter() {
  const queries = SUBJECTS.map(
    ([kind, { id, accountId }, name]) =>
      sql`(select json_object('kind', ${kind}, 'id', ${id}) from ${id.table} where ${id} = ${name} and ${accountId} = ${deadLetters.accountId})`,
  );
  return sql<Subject | null>`coalesce(${sql.join(queries, sql`, `)})`.mapWith(
    (json: string): Subject => JSON.parse(json),
  );
}

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

/** Returns the condition for the dead letters that a context may see: those of its account, or all for an operator. */
function isOwnDeadLetter(ctx: Context | AccountContext): SQL | undefined {
  return 'account' in ctx ? eq(deadLetters.accountId, ctx.account.id) : undefined;
}

/** Within this time, the caller that claimed a letter sends its job; after it, the cron does. */
const LEASE_MS = 60_000;
/** Letters that the cron sends at once, and pages per run; the run a minute later continues. */
const PAGE_LETTERS = 100;
const PAGES_MAX = 20;

/**
 * Sends the job of a letter to its queue again, and then deletes the letter. Of simultaneous calls, one sends. If the
 * call dies in between, the cron sends the job, which may then run twice. Two round trips; throws not found.
 */
export async function retryDeadLetter(ctx: AccountContext, id: string): Promise<void> {
  const letters = await ask(ctx, eq(deadLetters.id, id), Date.now() + LEASE_MS);
  try {
    await sendAgain(ctx, letters);
  } catch (error) {
    logLine('error', { event: 'dead-letter-retry', requestId: ctx.requestId, letter: id, error: describeError(error) });
  }
}

/**
 * Has the cron of the service send a letter again. For operators, whose command may not have the service's queues. One
 * round trip; throws not found.
 */
export async function requestRetry(ctx: Context, id: string): Promise<void> {
  await ask(ctx, eq(deadLetters.id, id), Date.now());
}

/**
 * Has the cron send all letters that the context may see. Returns how many were not requested before. One round trip.
 */
export async function requestRetries(ctx: Context | AccountContext): Promise<number> {
  const isMeant = and(isOwnDeadLetter(ctx), isNull(deadLetters.dueAt))!;
  const [, { meta }] = await ctx.db.batch([
    recordAllLetters(ctx, isMeant),
    ctx.db.update(deadLetters).set({ dueAt: Date.now() }).where(isMeant),
  ]);
  return meta.changes;
}

/** Cron task: sends the jobs of letters whose retry was requested, unless they are being sent. */
export async function resumeRetries(ctx: Context, now = Date.now()): Promise<void> {
  const page = sql`rowid in (select rowid from ${deadLetters} where ${lte(deadLetters.dueAt, now)} order by ${deadLetters.dueAt} limit ${PAGE_LETTERS})`;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const letters = await ctx.db
      .update(deadLetters)
      .set({ dueAt: now + LEASE_MS })
      .where(page)
      .returning();
    await sendAgain(ctx, letters);
    if (letters.length < PAGE_LETTERS) return;
  }
}

/** Sets when the cron sends a letter. Returns the letter unless a retry was requested before. Throws not found. */
async function ask(ctx: Context | AccountContext, named: SQL, dueAt: number): Promise<DeadLetter[]> {
  const mine = and(isOwnDeadLetter(ctx), named);
  const [, taken, known] = await ctx.db.batch([
    recordLetters(ctx, 'failed_job.retry', and(mine, isNull(deadLetters.dueAt))!),
    ctx.db
      .update(deadLetters)
      .set({ dueAt })
      .where(and(mine, isNull(deadLetters.dueAt)))
      .returning(),
    ctx.db.select({ id: deadLetters.id }).from(deadLetters).where(mine),
  ]);
  if (known.length === 0) throw notFound();
  return taken;
}

async function sendAgain(ctx: Context, letters: DeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await enqueue(
    ctx,
    letters.map(({ body }) => body),
  );
  const ids = JSON.stringify(letters.map(({ id }) => id));
  await ctx.db
    .delete(deadLetters)
    .where(and(sql`${deadLetters.id} in (select value from json_each(${ids}))`, isNotNull(deadLetters.dueAt)));
}

/**
 * Builds the statement that records an action on a letter in the log of its account. A job without an account is not
 * logged. Put it before the change.
 */
function recordLetters(ctx: Context, action: 'failed_job.discard' | 'failed_job.retry', isTarget: SQL) {
  const target = { type: 'failed_job', id: sql`${deadLetters.id}`, name: sql`${deadLetters.type}` };
  const entry = { action, target, from: deadLetters } as const;
  return recordActions(ctx, deadLetters.accountId, entry, sql`${isTarget} and ${isNotNull(deadLetters.accountId)}`);
}

/** Builds the statement that records a retry of all letters that `isMeant` selects: one entry per account. */
function recordAllLetters(ctx: Context, isMeant: SQL) {
  const accounts = sql`(select distinct ${deadLetters.accountId} as id from ${deadLetters} where ${isMeant}) as owner`;
  const entry = { action: 'failed_job.retry_all', target: { type: 'failed_job' }, from: accounts } as const;
  return recordActions(ctx, sql`owner.id`, entry, sql`owner.id is not null`);
}

/** Deletes a failed job. One round trip; throws not found. */
export async function discardDeadLetter(ctx: Context | AccountContext, id: string): Promise<void> {
  const isTarget = and(isOwnDeadLetter(ctx), eq(deadLetters.id, id))!;
  const isGone = async () => {
    const left = await ctx.db.select({ id: deadLetters.id }).from(deadLetters).where(isTarget);
    return left.length === 0 ? true : undefined;
  };
  await writeOnce({}, isGone, async () => {
    const [, discarded] = await ctx.db.batch([
      recordLetters(ctx, 'failed_job.discard', isTarget),
      ctx.db.delete(deadLetters).where(isTarget).returning({ id: deadLetters.id }),
    ]);
    if (discarded.length === 0) throw notFound();
    return true;
  });
}
