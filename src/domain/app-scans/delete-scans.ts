import { and, eq, inArray } from 'drizzle-orm';
import { endDeletion, isDeleted } from '../app-configurations/delete-configuration.ts';
import { type Context, enqueue } from '../context.ts';
import { appScans } from './table.ts';

const PAGE_SCANS = 1_000;
/** Pages of one job; then another job goes on, so that none runs long. */
const PAGES_MAX = 20;

/**
 * Job: removes the scans of a deleted configuration, page by page, and then the configuration. A second delivery finds
 * what is left; a configuration that stands keeps its scans.
 */
export async function deleteScans(ctx: Context, configurationId: string): Promise<void> {
  const page = ctx.db
    .select({ id: appScans.id })
    .from(appScans)
    .where(and(eq(appScans.configurationId, configurationId), isDeleted(configurationId)))
    .limit(PAGE_SCANS);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const deleted = await ctx.db.delete(appScans).where(inArray(appScans.id, page)).returning({ id: appScans.id });
    if (deleted.length < PAGE_SCANS) {
      await endDeletion(ctx, configurationId);
      return;
    }
  }
  await enqueue(ctx, [{ type: 'delete-app-scans', configurationId }]);
}
