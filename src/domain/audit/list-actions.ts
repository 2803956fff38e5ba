import { and, desc, eq, gte, lt, lte } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import type { AccountContext, Context } from '../context.ts';
import { purge } from '../purge.ts';
import { type AuditEntry, auditEntries, type FieldChange } from './table.ts';

/** Days for which it is kept who did what. */
export const AUDIT_RETENTION_DAYS = 400;
const DAY_MS = 24 * 60 * 60_000;

/** What a list of entries is narrowed to. Times are UTC milliseconds, both ends included. */
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
 * What was done in the account, newest first; `beforeId` names the last entry of the page before. Identifiers begin
 * with their time, so each filter is a part of an index, and no rows are read but those returned.
 */
export async function listActions(
  ctx: AccountContext,
  { action, actorId, sinceAt, untilAt }: ActionFilter,
  { limit, beforeId }: { limit: number; beforeId?: string },
): Promise<ListedAction[]> {
  const rows = await ctx.db
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, ctx.account.id),
        action === undefined ? undefined : eq(auditEntries.action, action),
        actorId === undefined ? undefined : eq(auditEntries.actorId, actorId),
        beforeId === undefined ? undefined : lt(auditEntries.id, beforeId),
        sinceAt === undefined ? undefined : gte(auditEntries.id, firstUuidAt(sinceAt)),
        untilAt === undefined ? undefined : lt(auditEntries.id, firstUuidAt(untilAt + 1)),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit);
  return rows.map(toListed);
}

function toListed({ actorType, actorId, actorName, targetType, targetId, targetName, outcome, ...entry }: AuditEntry) {
  const { id, createdAt, action, ip, requestId, changes } = entry;
  // Entries from before were written ahead of their action, so some of them are about what was refused.
  const older = outcome === 'done' ? [] : [{ field: 'outcome', new: outcome ?? 'unknown' }];
  return {
    ...{ id, createdAt, action, ip, requestId },
    actor: { type: actorType, id: actorId, name: actorName },
    target: { type: targetType ?? action.split('.')[0]!, id: targetId, name: targetName || null },
    changes: [...(changes ?? []), ...older],
  };
}

/** Cron task: forgets what is older than the retention. */
export async function purgeActions(ctx: Context): Promise<void> {
  await purge(ctx, auditEntries, lte(auditEntries.createdAt, Date.now() - AUDIT_RETENTION_DAYS * DAY_MS));
}
