import { shardOf, uuidv7 } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { importImage } from '../images/import-image.ts';
import { IMAGE_ROLES, type StoredImages } from '../images/stored-image.ts';
import { hasProject } from '../projects/projects.ts';
import { newPropertyId } from './additional-properties.ts';
import type { StoredDefinition, TemplateDefinition } from './definition.ts';
import { FIELD_LISTS, type FieldItem } from './field-lists.ts';
import { cacheDefinition } from './load-definition.ts';
import { templates, templateVersions } from './table.ts';

/**
 * Creates a template from a checked definition: imports its images, gives identifiers to its properties and keys to its fields.
 * Returns the template's identifier. Throws `invalid` for an unknown project, a used userProvidedId or an image that cannot be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<string> {
  await checkReferences(ctx, input);
  const definition = await toStored(ctx, input);
  const now = Date.now();
  const id = uuidv7(shardOf(ctx.account.id), now);
  const row = {
    id,
    accountId: ctx.account.id,
    name: definition.name,
    projectId: definition.projectId ?? null,
    userProvidedId: definition.userProvidedId || null,
    createdAt: now,
    modifiedAt: now,
  };
  try {
    await ctx.db.batch([
      ctx.db.insert(templates).values(row),
      ctx.db.insert(templateVersions).values({ templateId: id, version: 1, definition, createdAt: now }),
      recordEvent(ctx, {
        type: 'pass_template_created',
        templateId: id,
        body: { uniqueIdentifier: id, name: row.name, noOfActivePasses: 0, noOfCreatedPasses: 0 },
      }),
    ]);
  } catch (error) {
    if (isUsedTemplateName(error))
      throw invalid('userProvidedId: is already used by another template; it must be unique');
    throw error;
  }
  cacheDefinition(id, 1, definition);
  return id;
}

function isUsedTemplateName(error: unknown): boolean {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  return text.includes('UNIQUE constraint failed: templates.account_id, templates.user_provided_id');
}

async function checkReferences(ctx: AccountContext, input: TemplateDefinition): Promise<void> {
  if (input.projectId && !(await hasProject(ctx, input.projectId))) {
    throw invalid('projectId: is not a project of this account');
  }
}

/** The definition at rest: images imported, property identifiers and field keys given, lists in the order of `index`. */
export async function toStored(ctx: AccountContext, input: TemplateDefinition): Promise<StoredDefinition> {
  const { images, additionalProperties, fields, ...rest } = input;
  const imported = await importImages(ctx, input);
  return {
    ...rest,
    fields: completeFields(fields),
    additionalProperties: additionalProperties.map((property) => ({ ...property, id: property.id ?? newPropertyId() })),
    images: { ...imported, perPassImages: images.perPassImages },
  };
}

async function importImages(ctx: AccountContext, input: TemplateDefinition): Promise<StoredImages> {
  const { type, preferredStyleScheme } = input;
  const stored: StoredImages = {};
  await Promise.all(
    IMAGE_ROLES.map(async (role) => {
      const source = input.images[role];
      if (source) stored[role] = await importImage(ctx, source, role, type, `images.${role}`, preferredStyleScheme);
    }),
  );
  return stored;
}

function completeFields(lists: TemplateDefinition['fields']): TemplateDefinition['fields'] {
  const taken = new Set(FIELD_LISTS.flatMap((list) => lists[list].map((item) => item.key)));
  return Object.fromEntries(FIELD_LISTS.map((list) => [list, completeList(list, lists[list], taken)])) as typeof lists;
}

function completeList(list: string, items: FieldItem[], taken: Set<string | null | undefined>): FieldItem[] {
  const numbered = items.every((item) => item.index != null);
  const ordered = items
    .map((item, position) => ({ item, index: item.index ?? position }))
    .sort((a, b) => a.index - b.index);
  return ordered.map(({ item, index }, position) => {
    const place = numbered ? index : position;
    return { ...item, index: place, key: item.key ?? freeKey(`${list}${place}`, taken) };
  });
}

function freeKey(wanted: string, taken: Set<string | null | undefined>): string {
  let key = wanted;
  for (let n = 2; taken.has(key); n++) key = `${wanted}-${n}`;
  taken.add(key);
  return key;
}
