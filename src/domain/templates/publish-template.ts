import { and, lt, type SQL, sql } from 'drizzle-orm';
import { parseDateTime } from '../../platform/dates.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { NO_SUCH_DATE } from '../fields.ts';
import { recordPublished } from '../notifications/publish-due-notifications.ts';
import { recordPublication } from '../notifications/record-publication.ts';
import { schedulePublication } from '../notifications/schedule-publication.ts';
import { beginPublicationFanOuts } from '../pushes/begin-fan-out.ts';
import { isOwnTemplate, isTemplateNamed } from '../template-names.ts';
import { publishVersion } from './publish-version.ts';
import { templates } from './table.ts';

/**
 * Publishes the newest definition at `publicationDate` (`Y-m-d H:i`, account's zone), or now. A scheduled publication
 * moves. Returns whether there was anything to publish. Two round trips. Throws not found, `invalid` for an impossible
 * date, and `conflict` when the newest version is not `reviewed`.
 */
export async function publishTemplate(
  ctx: AccountContext,
  name: string,
  publicationDate?: string,
  reviewed?: number,
): Promise<boolean> {
  const publicationAt = publicationDate === undefined ? undefined : readDate(ctx, publicationDate);
  const [template] = await ctx.db
    .select({
      id: templates.id,
      name: templates.name,
      version: templates.version,
      publishedVersion: templates.publishedVersion,
    })
    .from(templates)
    .where(isTemplateNamed(ctx, name));
  if (!template) throw notFound();
  const { id, name: title, version, publishedVersion } = template;
  const target = { type: 'template', id, name: title };
  if (reviewed !== undefined && reviewed !== version) {
    throw new DomainError('conflict', 'Someone else saved this template in the meantime; review the changes again');
  }
  if (publishedVersion >= version) return false;
  const isPending = pending(ctx, id, version);
  if (publicationAt !== undefined) {
    const changes = [
      { field: 'version', new: version },
      { field: 'publicationDate', new: publicationDate },
    ];
    await ctx.db.batch([
      schedulePublication(ctx, id, version, publicationAt, isPending),
      recordAction(ctx, { action: 'template.schedule_publication', target, changes }),
    ]);
  } else await publishNow(ctx, target, version, isPending);
  return true;
}

interface TemplateTarget {
  type: string;
  id: string;
  name: string;
}

async function publishNow(ctx: AccountContext, target: TemplateTarget, version: number, isPending: SQL): Promise<void> {
  const { id } = target;
  await commit(ctx, [
    ...beginPublicationFanOuts(ctx, ctx.account.id, id, version),
    ...recordPublication(ctx, id, version, isPending),
    publishVersion(ctx, ctx.account.id, id, version),
    recordPublished(ctx, target, version),
  ]);
}

function readDate(ctx: AccountContext, text: string): number {
  const millis = parseDateTime(text, ctx.account.timezone);
  if (millis === undefined) throw invalidField('publicationDate', `${NO_SUCH_DATE}`);
  return millis;
}

/** SQL that holds while the template stands and the version is not published yet. */
function pending(ctx: AccountContext, id: string, version: number): SQL {
  const unpublished = and(isOwnTemplate(ctx.account.id, id), lt(templates.publishedVersion, version));
  return sql`exists (select 1 from ${templates} where ${unpublished})`;
}
