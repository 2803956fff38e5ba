import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { parseDateTime } from '../../platform/dates.ts';
import { canonicalJson } from '../../platform/json.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { NO_SUCH_DATE } from '../fields.ts';
import { recordPublication, schedulePublication } from '../notifications/manage-notifications.ts';
import { recordPublished } from '../notifications/publish-due-notifications.ts';
import { passes } from '../passes/table.ts';
import { beginPublicationFanOuts } from '../pushes/begin-fan-out.ts';
import { isOwnTemplate, isTemplateNamed } from '../template-restriction.ts';
import { CHANGE_DISTANCE_MS, versionNumber } from '../versions.ts';
import { newId, writeOnce } from '../write-once.ts';
import type { StoredDefinition } from './definition.ts';
import { templates, templateVersions } from './table.ts';

/**
 * Publishes the newest definition at `publicationDate` (`Y-m-d H:i`, account's zone), or now. Reschedules a scheduled
 * publication. Returns whether there was anything to publish. Two round trips. Throws not found, `invalid` for an
 * impossible date, and `conflict` if the newest version isn't `reviewed`.
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
      { field: 'version', new: versionNumber(version) },
      { field: 'publicationDate', new: publicationDate },
    ];
    // A retried request finds this entry and adds no other.
    const entryId = newId(ctx, `schedule publication ${id}`);
    await ctx.db.batch([
      schedulePublication(ctx, id, version, publicationAt, isPending),
      recordAction(ctx, { id: entryId, action: 'template.schedule_publication', target, changes }),
    ]);
  } else await publishNow(ctx, target, version, isPending);
  return true;
}

type TemplateTarget = Record<'type' | 'id' | 'name', string>;

async function publishNow(ctx: AccountContext, target: TemplateTarget, version: number, isPending: SQL): Promise<void> {
  const { id } = target;
  const isTarget = and(isOwnTemplate(ctx.account.id, id), gte(templates.publishedVersion, version));
  const find = async () => (await ctx.db.select({ id: templates.id }).from(templates).where(isTarget))[0]?.id;
  await writeOnce({}, find, async () => {
    await commit(ctx, [
      ...beginPublicationFanOuts(ctx, ctx.account.id, id, version),
      ...recordPublication(ctx, id, version, isPending),
      publishVersion(ctx, ctx.account.id, id, version),
      recordPublished(ctx, target, version),
    ]);
    return id;
  });
}

function readDate(ctx: AccountContext, text: string): number {
  const millis = parseDateTime(text, ctx.account.timezone);
  if (millis === undefined) throw invalidField('publicationDate', `${NO_SUCH_DATE}`);
  return millis;
}

/** Builds the condition that the template exists and the version isn't published yet. */
function pending(ctx: AccountContext, id: string, version: number): SQL {
  const unpublished = and(isOwnTemplate(ctx.account.id, id), lt(templates.publishedVersion, version));
  return sql`exists (select 1 from ${templates} where ${unpublished})`;
}

/**
 * Builds the statement that publishes a version of a template; existing passes then show it. It writes one row for any
 * number of passes. Publishing an earlier or the same version changes nothing, so it may run twice. Returns a row if it
 * changed something.
 */
export function publishVersion(ctx: Context, accountId: string, templateId: string, version: number) {
  const lastChange = sql`(select max(${passes.modifiedAt}) from ${passes} where ${eq(passes.templateId, templates.id)})`;
  const seenAt = sql`max(${templates.publishedAt}, coalesce(${lastChange}, 0))`;
  return ctx.db
    .update(templates)
    .set({ publishedVersion: version, publishedAt: sql`max(${Date.now()}, ${seenAt} + ${CHANGE_DISTANCE_MS})` })
    .where(and(isOwnTemplate(accountId, templateId), lt(templates.publishedVersion, version)))
    .returning({ version: templates.publishedVersion });
}

/** Members of a definition that no wallet shows. */
const INVISIBLE_MEMBERS = [
  'customNumberRange',
  'downloadPinEnabled',
  'enforceUniqueUserProvidedId',
  'hidePrintVersion',
  'maxPasses',
  'passFunctionality',
  'preventDownloadWhenActive',
  'projectId',
  'sendoutOptions',
  'userProvidedId',
  'validValidationPlaces',
] satisfies (keyof StoredDefinition)[];

/** Whether passes look the same with two versions of a template; false if one is deleted. One round trip. */
export async function hasSameAppearance(
  ctx: Context,
  templateId: string,
  before: number,
  after: number,
): Promise<boolean> {
  const rows = await ctx.db
    .select({ definition: templateVersions.definition })
    .from(templateVersions)
    .where(and(eq(templateVersions.templateId, templateId), inArray(templateVersions.version, [before, after])));
  const looks = rows.map((row) => {
    const definition: Partial<StoredDefinition> = { ...row.definition };
    for (const name of INVISIBLE_MEMBERS) delete definition[name];
    return canonicalJson(definition);
  });
  return looks.length === 2 && looks[0] === looks[1];
}
