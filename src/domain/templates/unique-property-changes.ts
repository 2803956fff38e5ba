import { and, asc, eq, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isOwnTemplate } from '../template-names.ts';
import { templates, uniquePropertyChanges } from './table.ts';

/*
 * The properties of a template that become unique, or no longer are, where that takes many pages. From its start on a
 * property that becomes unique stands in the template's row: passes that are written meanwhile claim its value.
 */

/** How long who claims may be silent; a page takes well under a second. */
const LEASE_MS = 60_000;

/** The account may be deleted by then. */
type Acting = Context & { account: { id: string } };
type Change = typeof uniquePropertyChanges.$inferSelect;
/** A run that claims the values of some properties of a template. */
export interface ClaimRun {
  templateId: string;
  /** Who claims, and nobody else knows. */
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

/** The changes of some properties that have not ended. */
export function listChanges(ctx: Acting, templateId: string, propertyIds: string[]): Promise<Change[]> {
  return ctx.db
    .select()
    .from(uniquePropertyChanges)
    .where(and(ofTemplate(ctx, templateId), isIn(propertyIds)));
}

/** Whether none of the properties is being changed. */
export function areUnchanged(ctx: Acting, templateId: string, propertyIds: string[]): SQL {
  const theirs = and(ofTemplate(ctx, templateId), isIn(propertyIds));
  return sql`not exists (select 1 from ${uniquePropertyChanges} where ${theirs})`;
}

/** Properties, as a JSON array, and those that become unique. */
export function withClaimed(ctx: Acting, templateId: string, propertyIds: SQL): SQL {
  const claimed = and(ofTemplate(ctx, templateId), isNotNull(uniquePropertyChanges.run));
  return sql`(select json_group_array(value) from (select value from json_each(${propertyIds})
    union select ${uniquePropertyChanges.propertyId} from ${uniquePropertyChanges} where ${claimed}))`;
}

/**
 * The statements that begin to make properties unique, for a batch: all of them, or none where one is being changed
 * already. The first one returns those that have begun.
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

/** SQL that holds while passes that are written claim all of these properties, and the run has not been given up. */
export function areClaimed(ctx: Acting, run: ClaimRun, propertyIds: string[]): SQL {
  const isHeld = sql`${uniquePropertyChanges.propertyId} in (select value from json_each(${templates.uniqueProperties}))`;
  const held = and(ofRun(ctx, run), isIn(propertyIds), isHeld);
  return sql`${propertyIds.length} = (select count(*) from ${uniquePropertyChanges}
    join ${templates} on ${isOwnTemplate(ctx.account.id, run.templateId)} where ${held})`;
}

/** The statement by which a run says that it goes on. */
export function keepClaims(ctx: Acting, run: ClaimRun) {
  return ctx.db
    .update(uniquePropertyChanges)
    .set({ dueAt: Date.now() + LEASE_MS })
    .where(ofRun(ctx, run));
}

/** The statement that ends the claims of a run, for the batch that stores the definition; see `newVersion`. */
export function endClaims(ctx: Acting, run: ClaimRun, propertyIds: string[], isWritten: SQL) {
  return ctx.db.delete(uniquePropertyChanges).where(and(ofRun(ctx, run), isIn(propertyIds), isWritten));
}

/** Gives up what a run has not ended: its properties are not unique, and what it has claimed is left to be released. */
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

/** The statement that leaves the values of properties that are no longer unique to be released. */
export function beginRelease(ctx: Acting, templateId: string, propertyIds: string[], condition: SQL) {
  return ctx.db.insert(uniquePropertyChanges).select(
    sql`select ${templateId}, property.value, ${ctx.account.id}, null, ${Date.now()}
      from json_each(${JSON.stringify(propertyIds)}) as property where ${condition}`,
  );
}

/** Notes that nothing is claimed of a property any more. */
export async function endRelease(ctx: Acting, templateId: string, propertyId: string): Promise<void> {
  const isIt = and(ofTemplate(ctx, templateId), eq(uniquePropertyChanges.propertyId, propertyId));
  await ctx.db.delete(uniquePropertyChanges).where(and(isIt, isNull(uniquePropertyChanges.run)));
}

/** Changes of all accounts that are due: to be released, or of a run of which nothing was heard. */
export function listDueChanges(ctx: Context, now: number, limit: number): Promise<Change[]> {
  return ctx.db
    .select()
    .from(uniquePropertyChanges)
    .where(lte(uniquePropertyChanges.dueAt, now))
    .orderBy(asc(uniquePropertyChanges.dueAt))
    .limit(limit);
}
