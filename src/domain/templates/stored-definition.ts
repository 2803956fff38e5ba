import { sql } from 'drizzle-orm';
import { ROW_BYTES_MAX } from '../../platform/db.ts';
import { lowerUuid } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Account } from '../accounts/table.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { imageBox } from '../images/image-boxes.ts';
import { type ImageLoader, imageLoader } from '../images/import-image.ts';
import { IMAGE_ROLES, type ImageRole, type StoredImage, type StoredImages } from '../images/stored-image.ts';
import { DEFINITION_CHARS_MAX } from '../limits.ts';
import { templateIdNamed } from '../template-restriction.ts';
import { newPropertyId } from './additional-properties.ts';
import { schemeOf } from './apple/schemes.ts';
import type { StoredDefinition, TemplateDefinition } from './definition.ts';
import type { FieldItem } from './field-lists.ts';
import { getTemplate } from './get-template.ts';
import { mapImages, storedGoogle } from './google/members.ts';
import { FIELD_LISTS, type FieldList } from './list-names.ts';

/** Previous definition, and options for importing images. */
export interface Origin {
  /** Previous definition; absent for a new template. */
  before?: StoredDefinition;
  load?: ImageLoader;
  /** Names of images in errors, if the caller didn't send them as members of `images`. */
  imageFields?: Partial<Record<ImageRole, string>>;
  /** Default images of the account among them. One that can't be imported is left out and passed to `omit`. */
  defaults?: { roles: readonly ImageRole[]; omit: (image: OmittedImage) => void };
}

/** Default image of the account that a new template was created without. */
export interface OmittedImage {
  role: ImageRole;
  /** Reason, for the caller. */
  warning: string;
}

/**
 * Converts a definition to its stored form: images imported, properties with IDs, fields with keys, lists ordered by
 * `index`. A missing ID or key comes from the previous property of the same name or field at the same position;
 * otherwise it is new. Throws `invalid` for an image that can't be imported.
 */
export async function toStored(
  ctx: AccountContext,
  input: TemplateDefinition,
  origin: Origin = {},
): Promise<StoredDefinition> {
  const { images, additionalProperties, fields, google, ...rest } = input;
  const load = origin.load ?? imageLoader(ctx);
  const [imported, forGoogle] = await Promise.all([
    importImages(ctx, input, { ...origin, load }),
    storedGoogle(ctx, google, { type: input.type, before: origin.before?.google, load }),
  ]);
  const definition = {
    ...rest,
    fields: completeFields(fields, origin.before?.fields),
    additionalProperties: completeProperties(additionalProperties, origin.before?.additionalProperties ?? []),
    images: { ...imported, perPassImages: images.perPassImages },
    ...(forGoogle && { google: forGoogle }),
  };
  checkSize(definition, origin.before);
  return definition;
}

async function importImages(ctx: AccountContext, input: TemplateDefinition, origin: Origin): Promise<StoredImages> {
  const { before, load = imageLoader(ctx), imageFields = {}, defaults } = origin;
  const stored: StoredImages = {};
  const looks = { type: input.type, preferredStyleScheme: schemeOf(input) };
  await Promise.all(
    IMAGE_ROLES.map(async (role) => {
      const source = input.images[role];
      if (!source) return;
      const field = imageFields[role] ?? `images.${role}`;
      const kept = keptImage(ctx, source, role, input, before);
      if (kept) stored[role] = kept;
      else if (defaults?.roles.includes(role)) {
        const image = await loadDefault(() => load(source, role, looks, field));
        if (typeof image === 'object') stored[role] = image;
        else defaults.omit({ role, warning: `${image}; the template was created without it` });
      } else stored[role] = await load(source, role, looks, field);
    }),
  );
  return stored;
}

async function loadDefault(load: () => Promise<StoredImage>): Promise<StoredImage | string> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
}

/** Returns the image that the definition already has at this URL, if it was drawn for the same box. */
function keptImage(
  ctx: AccountContext,
  source: string,
  role: ImageRole,
  input: TemplateDefinition,
  before: StoredDefinition | undefined,
): StoredImage | undefined {
  const image = before?.images[role];
  if (!before || !image || source !== imageUrl(ctx.baseUrl, image.sha256)) return undefined;
  const [is, was] = [input, before].map((looks) => imageBox(role, looks.type, schemeOf(looks)));
  return is!.width === was!.width && is!.height === was!.height && is!.fit === was!.fit ? image : undefined;
}

function completeProperties(
  properties: TemplateDefinition['additionalProperties'],
  before: StoredDefinition['additionalProperties'],
): StoredDefinition['additionalProperties'] {
  const taken = new Set(properties.map(({ id }) => id));
  const idByName = new Map(before.filter(({ id }) => !taken.has(id)).map(({ id, name }) => [name, id]));
  return properties.map((property) => ({
    ...property,
    id: property.id ?? idByName.get(property.name) ?? newPropertyId(),
  }));
}

type Lists = TemplateDefinition['fields'];

function completeFields(lists: Lists, before: Lists | undefined): Lists {
  const taken = new Set(FIELD_LISTS.flatMap((list) => lists[list].map((item) => item.key)));
  return Object.fromEntries(
    FIELD_LISTS.map((list) => [list, completeList(list, lists[list], before?.[list] ?? [], taken)]),
  ) as Lists;
}

function completeList(
  list: FieldList,
  items: FieldItem[],
  before: FieldItem[],
  taken: Set<string | null | undefined>,
): FieldItem[] {
  const numbered = items.every((item) => item.index != null);
  const ordered = items
    .map((item, position) => ({ item, index: item.index ?? position }))
    .sort((a, b) => a.index - b.index);
  return ordered.map(({ item, index }, position) => {
    const place = numbered ? index : position;
    const wanted = before.find((one) => one.index === place)?.key ?? `${list}${place}`;
    return { ...item, index: place, key: item.key ?? freeKey(wanted, taken) };
  });
}

function freeKey(wanted: string, taken: Set<string | null | undefined>): string {
  let key = wanted;
  for (let n = 2; taken.has(key); n++) key = `${wanted}-${n}`;
  taken.add(key);
  return key;
}

/**
 * Returns a definition whose tiers name their templates by ID. Unknown names stay as sent, because the template may
 * have been deleted or may be created later. One round trip if there are names that `before`, the replaced definition,
 * doesn't have.
 */
export async function withTierIds(
  ctx: AccountContext,
  input: TemplateDefinition,
  before?: Pick<TemplateDefinition, 'passFunctionality'>,
): Promise<TemplateDefinition> {
  const { passFunctionality } = input;
  const known = new Set(before?.passFunctionality?.tiers.map(({ templateId }) => templateId));
  const names = passFunctionality?.tiers.map(({ templateId }) => templateId).filter((name) => !known.has(name)) ?? [];
  if (!passFunctionality || names.length === 0) return input;
  const rows = await rawStatement<{ name: string; id: string | null }>(
    ctx.db,
    sql`select named.value as name, ${templateIdNamed(ctx, sql`named.value`)} as id from json_each(${JSON.stringify(names)}) as named`,
  );
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  // Passes would move to templates that the key can't see.
  if (ctx.account.templateIds && rows.some(({ id }) => id === null))
    throw invalidField('passFunctionality.tiers', 'must be among the templates to which your key is restricted');
  const tiers = passFunctionality.tiers.map((tier) => ({
    ...tier,
    templateId: ids.get(tier.templateId) ?? lowerUuid(tier.templateId),
  }));
  return { ...input, passFunctionality: { ...passFunctionality, tiers } };
}

/** Images of an account for its new templates, by role and the name of the setting. */
const DEFAULT_IMAGES = [
  { role: 'icon', of: 'iconUrl' },
  { role: 'logo', of: 'logoUrl' },
] as const;

/** New template, with the images it lacks. */
export interface CreatedTemplate {
  identifier: string;
  /** Default images of the account that couldn't be imported. */
  omitted: OmittedImage[];
}

/** Returns the default images that the account has. */
export function defaultImagesOf(account: Account) {
  return DEFAULT_IMAGES.filter(({ of }) => account[of]);
}

/** Returns the origin of a definition with these images. Omitted images are added to `omitted`. */
export function originOfDefaults(taken: readonly (typeof DEFAULT_IMAGES)[number][], omitted: OmittedImage[]): Origin {
  return {
    imageFields: Object.fromEntries(taken.map(({ role, of }) => [role, `images.${role} (${of} of the account)`])),
    defaults: { roles: taken.map(({ role }) => role), omit: (image) => omitted.push(image) },
  };
}

/** Bytes of a row for the other columns. */
const OTHER_BYTES = 1_000;

/**
 * Checks the size of a definition to store. One that was already too large may keep its size. Throws `invalid` with the
 * largest member.
 */
function checkSize(definition: StoredDefinition, before?: StoredDefinition): void {
  const chars = charsOf(definition);
  if (chars > DEFINITION_CHARS_MAX && !(before && chars <= charsOf(before))) {
    const sizes = Object.entries(withoutMails(definition)).map(([name, value]) => [name, charsIn(value)] as const);
    const [largest] = sizes.reduce((most, one) => (one[1] > most[1] ? one : most));
    const limit = `at most ${DEFINITION_CHARS_MAX} characters, without its e-mails`;
    throw invalidField(largest, `the definition must have ${limit}`);
  }
  const bytesMax = ROW_BYTES_MAX - OTHER_BYTES;
  if (new TextEncoder().encode(JSON.stringify(definition)).length > bytesMax)
    throw invalidField('sendoutOptions', `the definition must have at most ${bytesMax} bytes, with its e-mails`);
}

const charsIn = (value: unknown): number => JSON.stringify(value ?? null).length;

const charsOf = (definition: StoredDefinition): number => charsIn(withoutMails(definition));

function withoutMails({ sendoutOptions, ...rest }: StoredDefinition) {
  const { passCreationNotification: _, adHoc: __, ...others } = sendoutOptions;
  return { ...rest, sendoutOptions: others };
}

/** Returns the wire form with image URLs of our store; create and update accept it. Throws not found. */
export async function describeTemplate(ctx: AccountContext, id: string): Promise<Record<string, unknown>> {
  const { template, definition } = await getTemplate(ctx, id);
  return { identifier: template.id, ...wireDefinition(ctx, definition) };
}

/** Returns a stored definition as callers read and write it. */
export function wireDefinition(ctx: AccountContext, definition: StoredDefinition): Record<string, unknown> {
  const addresses = IMAGE_ROLES.map((role) => {
    const image = definition.images[role];
    return [role, image ? imageUrl(ctx.baseUrl, image.sha256) : null];
  });
  return {
    ...definition,
    images: { ...Object.fromEntries(addresses), perPassImages: definition.images.perPassImages },
    ...(definition.google && { google: mapImages(definition.google, ({ sha256 }) => imageUrl(ctx.baseUrl, sha256)) }),
  };
}

/** Returns the public URL of an imported image. */
export function imageUrl(baseUrl: string, sha256: string): string {
  return `${baseUrl}/images/${sha256}`;
}
