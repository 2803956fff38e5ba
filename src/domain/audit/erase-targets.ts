import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { auditEntries } from './table.ts';

/** Replaces an identifier that contained personal data. */
const ERASED = 'erased';

/** Builds the statement that removes identifiers of bundles from the entries about them. The entries stay. */
export function eraseBundleTargets(ctx: AccountContext, bundleIds: string[], condition: (id: SQLWrapper) => SQL) {
  const { accountId, action, targetId } = auditEntries;
  const isAboutBundles = sql`${action} >= 'bundle.' and ${action} < 'bundle/'`;
  return ctx.db
    .update(auditEntries)
    .set({ targetId: ERASED })
    .where(and(eq(accountId, ctx.account.id), isAboutBundles, inArray(targetId, bundleIds), condition(targetId)));
}
