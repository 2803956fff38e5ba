import { and, eq } from 'drizzle-orm';
import { parseDateTime } from '../../../platform/dates.ts';
import { HAS_CHANGED, recordMemberAction } from '../../audit/record-action.ts';
import type { AccountContext } from '../../context.ts';
import { invalidField, notFound } from '../../errors.ts';
import { NO_SUCH_DATE } from '../../fields.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { HAS_TEMPLATE, passIdNamed } from '../find-pass.ts';
import { type Pass, passes } from '../table.ts';

/** How long a download stays open by default, in milliseconds. */
const ENABLEMENT_MS = 10 * 60_000;

/**
 * Opens the download of a pass until `until` (`Y-m-d H:i` in the account's zone; default: for ten minutes), although
 * its template blocks it for active passes. The pass doesn't change. Throws not found, and `invalid` for a date that
 * doesn't exist.
 */
export async function enableDownload(ctx: AccountContext, name: string, until: string | undefined): Promise<void> {
  const millis = until === undefined ? Date.now() + ENABLEMENT_MS : parseDateTime(until, ctx.account.timezone);
  if (millis === undefined) throw invalidField('enableDownloadUntil', `${NO_SUCH_DATE}`);
  const update = ctx.db
    .update(passes)
    .set({ downloadEnabledUntilAt: millis })
    .where(and(eq(passes.id, passIdNamed(ctx, name)), HAS_TEMPLATE))
    .returning({ id: passes.id });
  const [opened] = await ctx.db.batch([update, ...recordMemberAction(ctx, 'pass.enable_download', name, HAS_CHANGED)]);
  if (opened.length === 0) throw notFound();
}

/**
 * Whether the download page is blocked at `now` (UTC milliseconds): the template blocks passes that are on a device,
 * and the download isn't open at that time (`enabledownload`).
 */
export function isDownloadBlocked(
  definition: StoredDefinition,
  pass: Pick<Pass, 'numberOfActive' | 'downloadEnabledUntilAt'>,
  now: number,
): boolean {
  return definition.preventDownloadWhenActive && pass.numberOfActive > 0 && (pass.downloadEnabledUntilAt ?? 0) <= now;
}
