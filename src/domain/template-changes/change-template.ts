import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { canonicalJson } from '../../platform/json.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { retryUntilWritten } from '../attempts.ts';
import { fieldsOnly, findEntry, newEntryId, recordAction } from '../audit/record-action.ts';
import { canSign } from '../certificates/find-signing-certificate.ts';
import { checked } from '../check.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { imageLoader } from '../images/import-image.ts';
import { activePassesOfTemplateQuery } from '../passes/count-devices.ts';
import {
  claimAllOf,
  duplicatesRefusal,
  isTakenValue,
  passesOfPage,
  releaseAllOf,
  repeatedValues,
} from '../passes/unique-values.ts';
import { hasProject, isOwnProject } from '../projects/projects.ts';
import { projects } from '../projects/table.ts';
import { isOwnTemplate, templateIdNamed } from '../template-restriction.ts';
import { checkDefaults } from '../templates/additional-properties.ts';
import { type CopyFields, fieldsPatch, imageFieldsOf } from '../templates/copy-template.ts';
import { newVersion, unknownPassType, unknownProject, usedIdRefusal } from '../templates/create-template.ts';
import { type StoredDefinition, TemplateDefinition } from '../templates/definition.ts';
import { differences } from '../templates/differences.ts';
import {
  cacheDefinition,
  type DefinedTemplate,
  newestDefinitionQuery,
  toDefinedTemplate,
} from '../templates/get-template.ts';
import { type Origin, toStored, wireDefinition, withTierIds } from '../templates/stored-definition.ts';
import { templates } from '../templates/table.ts';
import { patchDefinition, type TemplatePatch } from '../templates/template-patch.ts';
import { areUnchanged, beginRelease } from '../templates/unique-property-changes.ts';
import { versionNumber } from '../versions.ts';
import { writeOnce } from '../write-once.ts';
import { freeProperties, PagedClaims } from './paged-claims.ts';

/**
 * Gives a template a new version in one batch; `next` runs again after a concurrent change. Two round trips, those of
 * images, and those of `PagedClaims` for values that become unique; none for an equal definition. Throws not found,
 * `conflict`, `invalid` (also for another kind while it has passes), and the errors of `next`.
 */
export async function changeTemplate(
  ctx: AccountContext,
  name: string,
  next: (before: DefinedTemplate) => TemplateDefinition,
  imageFields?: Origin['imageFields'],
): Promise<number> {
  const load = imageLoader(ctx);
  const claims = new PagedClaims(ctx);
  const attempt = async (isFirst: boolean) => {
    const [rows, [counted]] = await ctx.db.batch([
      newestDefinitionQuery(ctx, name),
      activePassesOfTemplateQuery(ctx, templateIdNamed(ctx, name)),
    ]);
    const found = toDefinedTemplate(rows[0]);
    const input = await withTierIds(ctx, next(found), found.definition);
    checkDefaults(input, found.definition);
    const rules = await rulesOf(ctx, found, input, !isFirst);
    const definition = await toStored(ctx, input, { before: found.definition, load, imageFields });
    if (canonicalJson(definition) === canonicalJson(found.definition)) return found.version;
    const active = counted?.active ?? 0;
    return write(ctx, found, { definition, active, rules, claims, again: !isFirst });
  };
  try {
    const version = await retryUntilWritten('The template', attempt);
    await claims.end();
    return version;
  } catch (error) {
    await claims.end(error);
    throw error;
  }
}

/** Throws `invalid` for rules that are known to be broken. `again`: an attempt failed, perhaps because of them. */
async function rulesOf(
  ctx: AccountContext,
  { template, definition }: DefinedTemplate,
  input: TemplateDefinition,
  again: boolean,
): Promise<SQL[]> {
  const rules: SQL[] = [];
  if (kindOf(input) !== kindOf(definition)) {
    const field = input.type === definition.type ? 'transitType' : 'type';
    if (template.passCount > 0) throw invalidField(field, 'cannot change in this way while the template has passes');
    rules.push(sql`${templates.passCount} = 0`);
  }
  if (input.projectId && input.projectId !== template.projectId) {
    if (again && !(await hasProject(ctx, input.projectId))) throw unknownProject();
    const mine = and(eq(projects.id, input.projectId), isOwnProject(ctx));
    rules.push(sql`exists (select 1 from ${projects} where ${mine})`);
  }
  if (input.passTypeId && input.passTypeId !== definition.passTypeId) {
    const holds = canSign(ctx.account.id, input.passTypeId);
    if (again && !(await isTrue(ctx, holds))) throw unknownPassType();
    rules.push(holds);
  }
  return rules;
}

async function isTrue(ctx: AccountContext, condition: SQL): Promise<boolean> {
  const [row] = await rawStatement<{ holds: number }>(ctx.db, sql`select ${condition} as holds`);
  return row?.holds === 1;
}

/** Returns the kind that wallets distinguish: a flight has its own fields, and both event ticket types are one kind. */
function kindOf({ type, transitType }: Pick<TemplateDefinition, 'type' | 'transitType'>): string {
  if (type === 'boardingPass' && transitType === 'PKTransitTypeAir') return 'flight';
  return type === 'eventTicketBackground' ? 'eventTicket' : type;
}

/** Definition to store, planned from the one that was read. */
interface NewDefinition {
  definition: StoredDefinition;
  /** Number of the template's passes that are on a device. */
  active: number;
  /** Rules that must hold at the moment of the write. */
  rules: SQL[];
  claims: PagedClaims;
  /** Whether a previous attempt failed. */
  again: boolean;
}

/** Writes the new version and returns it; undefined after a concurrent change. */
async function write(
  ctx: AccountContext,
  { template, definition: before }: DefinedTemplate,
  { definition, active, rules, claims, again }: NewDefinition,
): Promise<number | undefined> {
  const { id } = template;
  const begun = missingIn(uniqueIds(before), uniqueIds(definition));
  const ended = missingIn(uniqueIds(definition), uniqueIds(before));
  const inPages = begun.length > 0 && (claims.isUnderWay || template.passCount > passesOfPage(begun.length));
  const releasesLater = template.passCount > passesOfPage(ended.length);
  const passes = template.passCount;
  if (inPages && !(await claims.claim(id, { definition, propertyIds: begun, passes }))) return undefined;
  if (again && !inPages) await freeProperties(ctx, id, begun);
  const conditions = [
    isOwnTemplate(ctx.account.id, id),
    eq(templates.version, template.version),
    ...rules,
    ...(inPages ? claims.stand(begun) : claimRules(ctx, id, begun)),
    ...(releasesLater ? [] : onePageOf(ended)),
  ];
  // Dependent statements come before the update, under the same condition: after it, the row no longer shows whose
  // change it was.
  const applies = sql`exists (select 1 from ${templates} where ${and(...conditions)})`;
  const { version, followers, isWritten, update } = newVersion(ctx, template, definition, active, applies);
  // Only paths: texts of a template can be long and contain names of people.
  const changed = differences(wireDefinition(ctx, before), wireDefinition(ctx, definition)).map(({ path }) =>
    path.join('.'),
  );
  const numbers = { old: versionNumber(template.version), new: versionNumber(version) };
  const changes = [{ field: 'version', ...numbers }, ...fieldsOnly(changed)];
  const release = releasesLater ? beginRelease : releaseAllOf;
  const entryId = newEntryId(ctx);
  const statements: BatchItem<'sqlite'>[] = [
    ...followers,
    ...(begun.length > 0 && !inPages ? [claimAllOf(ctx, id, begun, applies)] : []),
    ...(ended.length > 0 ? [release(ctx, id, ended, applies)] : []),
    recordAction(
      ctx,
      { id: entryId, action: 'template.update', target: { type: 'template', id, name: definition.name }, changes },
      applies,
    ),
    update,
    ...(inPages ? claims.keep(begun, isWritten) : []),
  ];
  const updateAt = statements.indexOf(update);
  const isDone = async () => ((await findEntry(ctx, entryId)) === undefined ? undefined : true);
  try {
    // A full retry of this change could conflict with itself.
    const isNew = await writeOnce({}, isDone, async () => {
      const results = await commit(ctx, statements);
      return (results[updateAt] as unknown[]).length > 0;
    });
    if (!isNew) return undefined;
  } catch (error) {
    if (!isTakenValue(error)) throw usedIdRefusal(error) ?? error;
    const repeated = await repeatedValues(ctx, id, begun);
    if (repeated.size > 0) throw duplicatesRefusal(definition, repeated);
    return undefined;
  }
  cacheDefinition(id, version, definition);
  return version;
}

/** Returns the conditions under which one statement may claim all values of properties. */
function claimRules(ctx: AccountContext, id: string, propertyIds: string[]): SQL[] {
  return propertyIds.length > 0 ? [...onePageOf(propertyIds), areUnchanged(ctx, id, propertyIds)] : [];
}

/** Returns the condition under which one statement may change the claims of all passes for properties. */
function onePageOf(propertyIds: string[]): SQL[] {
  return propertyIds.length > 0 ? [sql`${templates.passCount} <= ${passesOfPage(propertyIds.length)}`] : [];
}

function uniqueIds({ additionalProperties }: StoredDefinition): string[] {
  return additionalProperties.filter(({ unique }) => unique).map(({ id }) => id);
}

function missingIn(known: string[], ids: string[]): string[] {
  return ids.filter((id) => !known.includes(id));
}

/**
 * Stores a new definition if `version` is still the newest, and returns the newest version. A definition without
 * relevant differences (see `differences`) writes nothing. Throws `conflict` if someone else saved in the meantime, and
 * the errors of `changeTemplate`.
 */
export function saveDraft(
  ctx: AccountContext,
  id: string,
  { version, input }: { version: number; input: TemplateDefinition },
): Promise<number> {
  return changeTemplate(ctx, id, (found) => {
    if (found.version !== version) {
      throw new DomainError('conflict', 'Someone else saved this template after you opened it');
    }
    const before = wireDefinition(ctx, found.definition);
    return differences(before, input).length === 0 ? checked(TemplateDefinition, before) : input;
  });
}

/** Replaces the whole definition of a template; members that aren't sent get their defaults. See `changeTemplate`. */
export function replaceTemplate(ctx: AccountContext, id: string, input: TemplateDefinition): Promise<number> {
  return changeTemplate(ctx, id, () => input);
}

/** Changes the sent parts of a definition; null clears. See `changeTemplate`. */
export function patchTemplate(ctx: AccountContext, id: string, patch: TemplatePatch): Promise<number> {
  return changeTemplate(ctx, id, patchedBy(ctx, patch));
}

/** Changes the fields that a copy can set; the deprecated update. See `changeTemplate`. */
export function updateTemplate(ctx: AccountContext, id: string, fields: CopyFields): Promise<number> {
  return changeTemplate(ctx, id, patchedBy(ctx, fieldsPatch(ctx, fields)), imageFieldsOf(ctx, fields));
}

function patchedBy(ctx: AccountContext, patch: TemplatePatch) {
  return ({ definition }: DefinedTemplate) =>
    checked(TemplateDefinition, patchDefinition(wireDefinition(ctx, definition), patch));
}
