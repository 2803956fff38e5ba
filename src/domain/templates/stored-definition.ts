import { sql } from 'drizzle-orm';
import { lowerUuid } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Account } from '../accounts/table.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { imageBox } from '../images/image-boxes.ts';
import { type ImageLoader, imageLoader } from '../images/import-image.ts';
import { IMAGE_ROLES, type ImageRole, type StoredImage, type StoredImages } from '../images/stored-image.ts';
import { templateIdNamed } from '../template-names.ts';
import { newPropertyId } from './additional-properties.ts';
import { schemeOf } from './apple/schemes.ts';
import type { StoredDefinition, TemplateDefinition } from './definition.ts';
import { imageUrl } from './describe-template.ts';
import type { FieldItem } from './field-lists.ts';
import { storedGoogle } from './google/stored-google.ts';
import { FIELD_LISTS, type FieldList } from './list-names.ts';

/** What a definition replaces, and how its images are found. */
export interface Origin {
  /** The definition before; absent for a new template. */
  before?: StoredDefinition;
  load?: ImageLoader;
  /** What errors call an image when the caller did not send it as a member of `images`. */
  imageFields?: Partial<Record<ImageRole, string>>;
  /** The account's own images among them: one that cannot be imported is left out and told to `omit`. */
  defaults?: { roles: readonly ImageRole[]; omit: (image: OmittedImage) => void };
}

/** A default image of the account that a new template does without. */
export interface OmittedImage {
  role: ImageRole;
  /** Why, for the caller. */
  warning: string;
}

/**
 * The definition as stored: images imported, properties with identifiers, fields with keys, lists ordered by `index`. A
 * missing identifier or key comes from the earlier property of the same name or field at the same place; otherwise it
 * is new. Throws `invalid` for an image that cannot be imported.
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
  return {
    ...rest,
    fields: completeFields(fields, origin.before?.fields),
    additionalProperties: completeProperties(additionalProperties, origin.before?.additionalProperties ?? []),
    images: { ...imported, perPassImages: images.perPassImages },
    ...(forGoogle && { google: forGoogle }),
  };
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

/** The image that is already there under this address, drawn for the same box. */
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
 * A definition whose tiers name their templates by identifier. One that means no template stays as it was sent, because
 * the template of a tier may have been deleted, or come later. One round trip when there is a name that `before`, the
 * definition that this one replaces, does not have.
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
  // Passes would move to templates that the key does not know.
  if (ctx.account.templateIds && rows.some(({ id }) => id === null))
    throw invalidField('passFunctionality.tiers', 'must name templates to which your key is restricted');
  const tiers = passFunctionality.tiers.map((tier) => ({
    ...tier,
    templateId: ids.get(tier.templateId) ?? lowerUuid(tier.templateId),
  }));
  return { ...input, passFunctionality: { ...passFunctionality, tiers } };
}

/** Images that an account has for its new templates, by role and by the name of its setting. */
const DEFAULT_IMAGES = [
  { role: 'icon', of: 'iconUrl' },
  { role: 'logo', of: 'logoUrl' },
] as const;

/** A new template, and what is missing in it. */
export interface CreatedTemplate {
  identifier: string;
  /** Default images of the account that could not be imported. */
  omitted: OmittedImage[];
}

/** Those that the account has. */
export function defaultImagesOf(account: Account) {
  return DEFAULT_IMAGES.filter(({ of }) => account[of]);
}

/** The origin of a definition that takes these images; what is left out is added to `omitted`. */
export function originOfDefaults(taken: readonly (typeof DEFAULT_IMAGES)[number][], omitted: OmittedImage[]): Origin {
  return {
    imageFields: Object.fromEntries(taken.map(({ role, of }) => [role, `images.${role} (${of} of the account)`])),
    defaults: { roles: taken.map(({ role }) => role), omit: (image) => omitted.push(image) },
  };
}
