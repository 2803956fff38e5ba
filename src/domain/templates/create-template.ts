import { and, eq, type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/raw-statement.ts';
import { recordAction } from '../audit/record-action.ts';
import { canSign } from '../certificates/find-signing-certificate.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid, invalidField } from '../errors.ts';
import type { EventBody } from '../events/catalog.ts';
import { isRecorded, newEventId, recordEvent } from '../events/record-event.ts';
import { hasProject } from '../projects/projects.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { versionAfter } from '../versions.ts';
import { newId, writeOnce } from '../write-once.ts';
import { checkDefaults } from './additional-properties.ts';
import type { StoredDefinition, TemplateDefinition } from './definition.ts';
import { cacheDefinition } from './get-template.ts';
import {
  type CreatedTemplate,
  defaultImagesOf,
  type OmittedImage,
  originOfDefaults,
  toStored,
  withTierIds,
} from './stored-definition.ts';
import { type Template, templates, templateVersions } from './table.ts';
import { withClaimed } from './unique-property-changes.ts';

/**
 * Creates a template from a checked definition. An undefined icon or logo comes from the account if it can be imported;
 * null means none. Throws `invalid` for an unknown project or pass type, a used userProvidedId, a default of
 * another type than its property's, or an image of the caller that can't be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<CreatedTemplate> {
  checkDefaults(input);
  if (input.projectId && !(await hasProject(ctx, input.projectId))) throw unknownProject();
  const { passTypeId } = input;
  const precondition = passTypeId
    ? { holds: canSign(ctx.account.id, passTypeId), refusal: unknownPassType() }
    : undefined;
  const taken = defaultImagesOf(ctx.account).filter(({ role }) => input.images[role] === undefined);
  const defaults = Object.fromEntries(taken.map(({ role, of }) => [role, ctx.account[of]]));
  const complete = { ...(await withTierIds(ctx, input)), images: { ...input.images, ...defaults } };
  const omitted: OmittedImage[] = [];
  const definition = await toStored(ctx, complete, originOfDefaults(taken, omitted));
  return { identifier: await insertTemplate(ctx, definition, { precondition }), omitted };
}

/** Builds the error for a pass type for which the account has no certificate. */
export function unknownPassType() {
  return invalidField('passTypeId', 'is not the pass type of any certificate of this account');
}

/** Builds the error for a project that the account doesn't have. */
export function unknownProject() {
  return invalidField('projectId', 'is not a project of this account');
}

interface InsertOptions {
  /** Condition of the write, and the error if it doesn't hold. */
  precondition?: { holds: SQL; refusal: DomainError };
  /** Action in the audit log. */
  action?: 'template.create' | 'template.copy';
  /** Other accounts whose log records it: the parent account that created the copy. */
  otherAccounts?: readonly AccountContext['account'][];
}

/** Limit of an account: a list returns all templates, and so do forms of the console. */
const TEMPLATES_MAX = 10_000;

/**
 * Stores a new template of the account with its first definition, which counts as published, and the event in one
 * batch. Returns the template's ID. Throws `invalid` for a used userProvidedId or a full account, and the error of
 * `precondition` if it doesn't hold.
 */
export async function insertTemplate(
  ctx: AccountContext,
  definition: StoredDefinition,
  { precondition, action = 'template.create', otherAccounts = [] }: InsertOptions = {},
): Promise<string> {
  const now = Date.now();
  const id = newId(ctx, 'template');
  const row = {
    ...templateColumns(definition),
    id,
    accountId: ctx.account.id,
    version: 1,
    publishedVersion: 1,
    publishedAt: now,
    passCount: 0,
    createdAt: now,
    modifiedAt: now,
  };
  const isTarget = isOwnTemplate(ctx.account.id, id);
  const isInserted = sql`exists (select 1 from ${templates} where ${isTarget})`;
  const target = { type: 'template', id, name: row.name };
  const entries = () =>
    [ctx.account, ...otherAccounts].map((account) => recordAction({ ...ctx, account }, { action, target }, isInserted));
  const find = async () => (await ctx.db.select({ id: templates.id }).from(templates).where(isTarget))[0]?.id;
  const hasRoom = sql<number>`(select count(*) < ${TEMPLATES_MAX} from ${templates} where ${eq(templates.accountId, row.accountId)})`;
  const insert = async () => {
    const [inserted] = await commit(ctx, [
      ctx.db
        .insert(templates)
        .select(sql`select ${rowValues(templates, row)} where ${precondition?.holds ?? sql`true`} and ${hasRoom}`)
        .returning({ id: templates.id }),
      ctx.db
        .insert(templateVersions)
        .select(sql`select ${id}, 1, ${JSON.stringify(definition)}, ${now} where ${isInserted}`),
      recordEvent(ctx, {
        type: 'pass_template_created',
        templateId: id,
        body: templateEventBody({ id, name: row.name, passCount: 0 }, 0),
        condition: isInserted,
      }),
      ...entries(),
    ]).catch((error: unknown) => {
      throw usedIdRefusal(error) ?? error;
    });
    if (inserted.length === 0) {
      const [found] = await ctx.db.select({ room: hasRoom.as('room') }).from(sql`(select 1)`);
      if (precondition && found?.room) throw precondition.refusal;
      throw invalid(`An account can have at most ${TEMPLATES_MAX} templates; delete some first`);
    }
    cacheDefinition(id, 1, definition);
    return id;
  };
  return writeOnce(ctx, find, insert);
}

/** Returns the columns that repeat parts of the newest definition, for lists and rules. */
function templateColumns(definition: StoredDefinition) {
  return {
    name: definition.name,
    projectId: definition.projectId ?? null,
    userProvidedId: definition.userProvidedId || null,
    uniqueProperties: definition.additionalProperties.filter(({ unique }) => unique).map(({ id }) => id),
  };
}

/** Returns the error if a template's userProvidedId is already used; undefined for any other `error`. */
export function usedIdRefusal(error: unknown): DomainError | undefined {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  if (!text.includes('UNIQUE constraint failed: templates.account_id, templates.user_provided_id')) return undefined;
  return invalidField('userProvidedId', 'is already used by another template; it must be unique');
}

/** Builds the body of template events. `active` is the number of passes that are on a device. */
function templateEventBody(
  { id, name, passCount }: Pick<Template, 'id' | 'name' | 'passCount'>,
  active: number,
): EventBody<'pass_template_created' | 'pass_template_updated'> {
  return { uniqueIdentifier: id, name, noOfActivePasses: active, noOfCreatedPasses: passCount };
}

/**
 * Builds the statements that make `definition` the newest version of a template, for the batch of an edit. `followers`
 * are event and version; `update` changes the row and returns its version if `applies` held. `isWritten` holds once the
 * event is recorded. `active` is the number of passes on a device.
 */
export function newVersion(
  ctx: AccountContext,
  template: Template,
  definition: StoredDefinition,
  active: number,
  applies: SQL,
) {
  const { id } = template;
  const version = versionAfter(template.version);
  const now = Date.now();
  const columns = templateColumns(definition);
  const body = templateEventBody({ ...template, name: columns.name }, active);
  const eventId = newEventId(ctx);
  return {
    version,
    isWritten: isRecorded(ctx, eventId),
    followers: [
      recordEvent(ctx, { id: eventId, type: 'pass_template_updated', templateId: id, body, condition: applies }),
      ctx.db
        .insert(templateVersions)
        .select(sql`select ${id}, ${version}, ${JSON.stringify(definition)}, ${now} where ${applies}`),
    ],
    update: ctx.db
      .update(templates)
      .set({
        ...columns,
        uniqueProperties: withClaimed(ctx, id, sql`${JSON.stringify(columns.uniqueProperties)}`),
        version,
        modifiedAt: now,
      })
      .where(and(isOwnTemplate(ctx.account.id, id), applies))
      .returning({ version: templates.version }),
  };
}
