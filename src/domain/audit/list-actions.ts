import { and, desc, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { type BatchPart, readPart } from '../../platform/batch-part.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import type { AccountContext, Context, Owner } from '../context.ts';
import { passes } from '../passes/table.ts';
import { purge } from '../purge.ts';
import { isPermitted, whereRestricted } from '../template-restriction.ts';
import { type AuditEntry, auditEntries, type FieldChange } from './table.ts';

/** Days that entries are kept. */
export const AUDIT_RETENTION_DAYS = 400;
const DAY_MS = 24 * 60 * 60_000;

/** Filter of a list of entries. Times are UTC milliseconds, both ends included. */
export interface ActionFilter {
  action?: string;
  actorId?: string;
  sinceAt?: number;
  untilAt?: number;
}

/** An entry as readers see it. */
export interface ListedAction extends Pick<AuditEntry, 'id' | 'createdAt' | 'action' | 'ip' | 'requestId'> {
  actor: { type: AuditEntry['actorType']; id: string | null; name: string };
  target: { type: string; id: string | null; name: string | null };
  changes: FieldChange[];
}

/**
 * Lists the actions in the account, newest first; `beforeId` is the last entry of the page before. Identifiers begin
 * with their time, so each filter uses an index, and only returned rows are read.
 */
export function listActions(ctx: AccountContext, filter: ActionFilter, page: ActionPage): Promise<ListedAction[]> {
  return readPart(ctx.db, actionsPart(ctx, filter, page));
}

interface ActionPage {
  limit: number;
  beforeId?: string;
}

/** Builds the query of `listActions`, for a batch with others. */
export function actionsPart(
  owner: Owner,
  { action, actorId, sinceAt, untilAt }: ActionFilter,
  { limit, beforeId }: ActionPage,
): BatchPart<ListedAction[]> {
  const query = owner.db
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, owner.account.id),
        action === undefined ? undefined : eq(auditEntries.action, action),
        actorId === undefined ? undefined : eq(auditEntries.actorId, actorId),
        beforeId === undefined ? undefined : lt(auditEntries.id, beforeId),
        sinceAt === undefined ? undefined : gte(auditEntries.id, firstUuidAt(sinceAt)),
        untilAt === undefined ? undefined : lt(auditEntries.id, firstUuidAt(untilAt + 1)),
        isAboutPermitted(owner),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit);
  return { queries: [query], read: ([rows]) => (rows as AuditEntry[]).map(toListed) };
}

/** Entries per read of an export. */
const ENTRIES_READ_AT_ONCE = 500;

/** Yields all entries that a filter selects, newest first, a page at a time. */
export async function* eachActionPage(ctx: AccountContext, filter: ActionFilter): AsyncGenerator<ListedAction[]> {
  let beforeId: string | undefined;
  do {
    const page = await listActions(ctx, filter, { limit: ENTRIES_READ_AT_ONCE, beforeId });
    yield page;
    beforeId = page.length < ENTRIES_READ_AT_ONCE ? undefined : page.at(-1)!.id;
  } while (beforeId !== undefined);
}

/** Returns SQL for entries about the templates that a restricted key can access, and about their passes. */
function isAboutPermitted({ account }: Owner): SQL | undefined {
  const isTemplate = isPermitted({ account }, auditEntries.targetId);
  const isPass = sql`exists (select 1 from ${passes} where ${and(eq(passes.id, auditEntries.targetId), eq(passes.accountId, account.id), isPermitted({ account }, passes.templateId))})`;
  return whereRestricted({ account }, () =>
    or(and(eq(auditEntries.targetType, 'template'), isTemplate), and(eq(auditEntries.targetType, 'pass'), isPass)),
  );
}

function toListed({ actorType, actorId, actorName, targetType, targetId, targetName, outcome, ...entry }: AuditEntry) {
  const { id, createdAt, action, ip, requestId, changes } = entry;
  // Earlier releases wrote an entry before its action, so some are about refused actions.
  const older = outcome === 'done' ? [] : [{ field: 'outcome', new: outcome ?? 'unknown' }];
  return {
    ...{ id, createdAt, action, ip, requestId },
    actor: { type: actorType, id: actorId, name: actorName },
    target: { type: targetType ?? action.split('.')[0]!, id: targetId, name: targetName || null },
    changes: [...(changes ?? []), ...older],
  };
}

/** Cron task: deletes entries that are older than the retention. */
export async function purgeActions(ctx: Context): Promise<void> {
  await purge(ctx, auditEntries, lte(auditEntries.createdAt, Date.now() - AUDIT_RETENTION_DAYS * DAY_MS));
}
