import { and, asc, eq, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isOwnTemplate } from '../template-names.ts';
import { templates, uniquePropertyChanges } from './table.ts';

/*
 * Properties of a template that become unique, or stop being unique, over many pages. A property that becomes unique is
 * in the template's row from the start, so that concurrent writes of passes claim its value.
 */

/** Lease of a run, in milliseconds; a page takes well under a second. */
const LEASE_MS = 60_000;

/** Not an account context: the account may already be deleted. */
export type Acting = Context & { account: { id: string } };
type Change = typeof uniquePropertyChanges.$inferSelect;
/** Run that claims the values of some properties of a template. */
export interface ClaimRun {
  templateId: string;
  /** Secret name of the run, so that only its owner can continue it. */
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
 * Builds the statements that start making properties unique, for a batch: all of them, or none if one is already being
 * changed. The first one returns the started ones.
 */
export function beginClaims(ctx: Acting, { templateId, run }: ClaimRun, propertyIds: string[]) {
  const dueAt = Date.now() + LEASE_MS;
  const rows = sql`select ${templateId}, property.value, ${templates.accountId}, ${run}, ${dueAt}
    from ${templates}, json_each(${JSON.stringify(propertyIds)}) as property
    where ${isOwnTemplate(ctx.account.id, templateId)} and ${areUnchanged(ctx, templateId, propertyIds)}`;
  return [
    ctx.db.insert(uniquePropertyChanges).select(rows).returning({ propertyId: uniquePropertyChanges.propertyId }),
    ctx.db
      .update(templates)
      .set({ uniqueProperties: withClaimed(ctx, templateId, sql`${templates.uniqueProperties}`) })
      .where(isOwnTemplate(ctx.account.id, templateId)),
  ] as const;
}

/** Builds the condition that writes of passes claim all of these properties and the run isn't abandoned. */
export function areClaimed(ctx: Acting, run: ClaimRun, propertyIds: string[]): SQL {
  const isHeld = sql`${uniquePropertyChanges.propertyId} in (select value from json_each(${templates.uniqueProperties}))`;
  const held = and(ofRun(ctx, run), isIn(propertyIds), isHeld);
  return sql`${propertyIds.length} = (select count(*) from ${uniquePropertyChanges}
    join ${templates} on ${isOwnTemplate(ctx.account.id, run.templateId)} where ${held})`;
}

/** Builds the statement that extends the lease of a run. */
export function keepClaims(ctx: Acting, run: ClaimRun) {
  return ctx.db
    .update(uniquePropertyChanges)
    .set({ dueAt: Date.now() + LEASE_MS })
    .where(ofRun(ctx, run));
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
