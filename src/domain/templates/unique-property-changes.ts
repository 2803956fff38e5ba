import { and, asc, eq, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates, uniquePropertyChanges } from './table.ts';

/*
 * Names of runs that claim the values of a property that becomes unique. A process carries out the run of a template
 * with many passes. Its name contains its progress, so that a page and the progress are one batch in the same database:
 * `process/<process>/<claimed passes>/<last pass>`, in the end `process/<process>/<claimed passes>/done`.
 */

const PREFIX = 'process/';
/** Stands for the last pass in the name of a run that has claimed all values. */
export const DONE = 'done';
const REQUEST_LEASE_MS = 60_000;
/** Longer than a process can be silent, and enough to repeat a request whose reply was lost. */
const PROCESS_LEASE_MS = 15 * 60_000;

/** Progress of a run that a process carries out. */
interface ProcessRun {
  processId: string;
  /** Number of passes whose values are claimed. */
  claimed: number;
  /** The last of them; empty: none yet. */
  after: string;
  isDone: boolean;
}

/** Returns the name of a run that a process begins. */
export function newProcessRun(processId: string): string {
  return `${processRunPrefix(processId)}0/`;
}

/** Returns what all names of a process's run begin with. */
export function processRunPrefix(processId: string): string {
  return `${PREFIX}${processId}/`;
}

/** Returns the progress in the name of a run; undefined for the run of a request, or none. */
export function processRunOf(run: string | null): ProcessRun | undefined {
  if (!run?.startsWith(PREFIX)) return undefined;
  const [processId = '', claimed, after = ''] = run.slice(PREFIX.length).split('/');
  return { processId, claimed: Number(claimed), after: after === DONE ? '' : after, isDone: after === DONE };
}

/** Returns for how long a run stays without progress, in milliseconds. */
function leaseOf(run: string): number {
  return run.startsWith(PREFIX) ? PROCESS_LEASE_MS : REQUEST_LEASE_MS;
}

/*
 * Properties of a template that become unique, or stop being unique, over many pages. A property that becomes unique is
 * in the template's row from the start, so that concurrent writes of passes claim its value.
 */

/** Not an account context: the account may already be deleted. */
export type Acting = Context & { account: { id: string } };
export type Change = typeof uniquePropertyChanges.$inferSelect;
/** Run that claims the values of some properties of a template. */
export interface ClaimRun {
  templateId: string;
  /** Name of the run that only its owner knows, or that contains its progress (`processRunOf`). */
  run: string;
}

function isIn(propertyIds: string[]): SQL {
  return sql`${uniquePropertyChanges.propertyId} in (select value from json_each(${JSON.stringify(propertyIds)}))`;
}

function ofTemplate(ctx: Acting, templateId: string): SQL {
  return and(eq(uniquePropertyChanges.templateId, templateId), eq(uniquePropertyChanges.accountId, ctx.account.id))!;
}

function ofRun(ctx: Acting, { templateId, run }: ClaimRun): SQL {
  return and(ofTemplate(ctx, templateId), eq(uniquePropertyChanges.run, run))!;
}

/** Returns the unfinished changes of some properties. */
export function listChanges(ctx: Acting, templateId: string, propertyIds: string[]): Promise<Change[]> {
  return ctx.db
    .select()
    .from(uniquePropertyChanges)
    .where(and(ofTemplate(ctx, templateId), isIn(propertyIds)));
}

/** Builds the condition that none of the properties is being changed. */
export function areUnchanged(ctx: Acting, templateId: string, propertyIds: string[]): SQL {
  const theirs = and(ofTemplate(ctx, templateId), isIn(propertyIds));
  return sql`not exists (select 1 from ${uniquePropertyChanges} where ${theirs})`;
}

/** Builds the condition that the claims of a property are obsolete, so that they may be deleted. */
export function isReleased(ctx: Acting, templateId: string, propertyId: string): SQL {
  const its = and(ofTemplate(ctx, templateId), eq(uniquePropertyChanges.propertyId, propertyId));
  return sql`exists (select 1 from ${uniquePropertyChanges} where ${its} and ${isNull(uniquePropertyChanges.run)})`;
}

/** Builds a JSON array of properties, together with those that become unique. */
export function withClaimed(ctx: Acting, templateId: string, propertyIds: SQL): SQL {
  const claimed = and(ofTemplate(ctx, templateId), isNotNull(uniquePropertyChanges.run));
  return sql`(select json_group_array(value) from (select value from json_each(${propertyIds})
    union select ${uniquePropertyChanges.propertyId} from ${uniquePropertyChanges} where ${claimed}))`;
}

/**
 * Builds the statements that start making properties unique, for a batch: all of them, or none if a run has one. The
 * first one returns the started ones. Values that are still being released belong to the run: each is its pass's own,
 * because a write of a pass releases all its values.
 */
export function beginClaims(ctx: Acting, { templateId, run }: ClaimRun, propertyIds: string[]) {
  const dueAt = Date.now() + leaseOf(run);
  const claimed = and(ofTemplate(ctx, templateId), isIn(propertyIds), isNotNull(uniquePropertyChanges.run));
  const rows = sql`select ${templateId}, property.value, ${templates.accountId}, ${run}, ${dueAt}
    from ${templates}, json_each(${JSON.stringify(propertyIds)}) as property
    where ${isOwnTemplate(ctx.account.id, templateId)}
      and not exists (select 1 from ${uniquePropertyChanges} where ${claimed})`;
  const key = [uniquePropertyChanges.templateId, uniquePropertyChanges.propertyId];
  const setWhere = eq(uniquePropertyChanges.accountId, ctx.account.id);
  return [
    ctx.db
      .insert(uniquePropertyChanges)
      .select(rows)
      .onConflictDoUpdate({ target: key, set: { run, dueAt }, setWhere })
      .returning({ propertyId: uniquePropertyChanges.propertyId }),
    ctx.db
      .update(templates)
      .set({ uniqueProperties: withClaimed(ctx, templateId, sql`${templates.uniqueProperties}`) })
      .where(isOwnTemplate(ctx.account.id, templateId)),
  ] as const;
}

/** Builds the condition that writes of passes claim all of these properties and the run isn't abandoned. */
export function areClaimed(ctx: Acting, run: ClaimRun, propertyIds: string[]): SQL {
  const held = and(ofRun(ctx, run), isIn(propertyIds), isClaimed());
  return sql`${propertyIds.length} = (select count(*) from ${uniquePropertyChanges}
    join ${templates} on ${isOwnTemplate(ctx.account.id, run.templateId)} where ${held})`;
}

/** Builds the statement that extends the lease of a run. */
export function keepClaims(ctx: Acting, run: ClaimRun) {
  return ctx.db
    .update(uniquePropertyChanges)
    .set({ dueAt: Date.now() + leaseOf(run.run) })
    .where(ofRun(ctx, run));
}

/** Builds the statement that gives a run the name of its progress and extends its lease. Returns that name. */
export function advanceClaims(ctx: Acting, run: ClaimRun, propertyIds: string[], name: SQL) {
  return ctx.db
    .update(uniquePropertyChanges)
    .set({ run: name, dueAt: Date.now() + leaseOf(run.run) })
    .where(and(ofRun(ctx, run), isIn(propertyIds), areClaimed(ctx, run, propertyIds)))
    .returning({ run: uniquePropertyChanges.run });
}

/** Returns the run of a process with its progress; undefined if it was abandoned. See `areClaimed`. */
export async function findProcessRun(
  ctx: Acting,
  { templateId, processId }: { templateId: string; processId: string },
  propertyIds: string[],
): Promise<ClaimRun | undefined> {
  const prefix = processRunPrefix(processId);
  const isIts = sql`substr(${uniquePropertyChanges.run}, 1, ${prefix.length}) = ${prefix}`;
  const [row] = await ctx.db
    .select({ run: uniquePropertyChanges.run, held: sql<number>`count(*)` })
    .from(uniquePropertyChanges)
    .innerJoin(templates, isOwnTemplate(ctx.account.id, templateId))
    .where(and(ofTemplate(ctx, templateId), isIn(propertyIds), isClaimed(), isIts))
    .groupBy(uniquePropertyChanges.run);
  return row?.run && row.held === propertyIds.length ? { templateId, run: row.run } : undefined;
}

/** Builds the condition that writes of passes claim the value of a property, for a query that joins its template. */
function isClaimed(): SQL {
  return sql`${uniquePropertyChanges.propertyId} in (select value from json_each(${templates.uniqueProperties}))`;
}

/** Builds the statement that ends the claims of a run, for the batch that stores the definition; see `newVersion`. */
export function endClaims(ctx: Acting, run: ClaimRun, propertyIds: string[], isWritten: SQL) {
  return ctx.db.delete(uniquePropertyChanges).where(and(ofRun(ctx, run), isIn(propertyIds), isWritten));
}

/** Abandons a run: its properties aren't unique, and its claims are left to be released. */
export async function abandonClaims(ctx: Acting, run: ClaimRun): Promise<void> {
  const claimed = sql`select ${uniquePropertyChanges.propertyId} from ${uniquePropertyChanges} where ${ofRun(ctx, run)}`;
  const others = sql`(select json_group_array(value) from json_each(${templates.uniqueProperties}) where value not in (${claimed}))`;
  await ctx.db.batch([
    ctx.db
      .update(templates)
      .set({ uniqueProperties: others })
      .where(and(isOwnTemplate(ctx.account.id, run.templateId), sql`exists (${claimed})`)),
    ctx.db.update(uniquePropertyChanges).set({ run: null, dueAt: Date.now() }).where(ofRun(ctx, run)),
  ]);
}

/** Builds the statement that schedules the release of values of properties that are no longer unique. */
export function beginRelease(ctx: Acting, templateId: string, propertyIds: string[], condition: SQL) {
  return ctx.db.insert(uniquePropertyChanges).select(
    sql`select ${templateId}, property.value, ${ctx.account.id}, null, ${Date.now()}
      from json_each(${JSON.stringify(propertyIds)}) as property where ${condition}`,
  );
}

/** Records that a property has no claims left. */
export async function endRelease(ctx: Acting, templateId: string, propertyId: string): Promise<void> {
  const isTarget = and(ofTemplate(ctx, templateId), eq(uniquePropertyChanges.propertyId, propertyId));
  await ctx.db.delete(uniquePropertyChanges).where(and(isTarget, isNull(uniquePropertyChanges.run)));
}

/** Returns the due changes of all accounts: values to release, or runs whose lease has expired. */
export function listDueChanges(ctx: Context, now: number, limit: number): Promise<Change[]> {
  return ctx.db
    .select()
    .from(uniquePropertyChanges)
    .where(lte(uniquePropertyChanges.dueAt, now))
    .orderBy(asc(uniquePropertyChanges.dueAt))
    .limit(limit);
}
