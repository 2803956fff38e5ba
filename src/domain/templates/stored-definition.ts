import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { imageBox } from '../images/image-boxes.ts';
import { type ImageLoader, imageLoader } from '../images/import-image.ts';
import { IMAGE_ROLES, type ImageRole, type StoredImage, type StoredImages } from '../images/stored-image.ts';
import { newPropertyId } from './additional-properties.ts';
import type { StoredDefinition, TemplateDefinition } from './definition.ts';
import { imageUrl } from './describe-template.ts';
import { FIELD_LISTS, type FieldItem, type FieldList } from './field-lists.ts';

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
  const { images, additionalProperties, fields, ...rest } = input;
  const imported = await importImages(ctx, input, origin);
  return {
    ...rest,
    fields: completeFields(fields, origin.before?.fields),
    additionalProperties: completeProperties(additionalProperties, origin.before?.additionalProperties ?? []),
    images: { ...imported, perPassImages: images.perPassImages },
  };
}

async function importImages(ctx: AccountContext, input: TemplateDefinition, origin: Origin): Promise<StoredImages> {
  const { before, load = imageLoader(ctx), imageFields = {}, defaults } = origin;
  const stored: StoredImages = {};
  await Promise.all(
    IMAGE_ROLES.map(async (role) => {
      const source = input.images[role];
      if (!source) return;
      const field = imageFields[role] ?? `images.${role}`;
      const kept = keptImage(ctx, source, role, input, before);
      if (kept) stored[role] = kept;
      else if (defaults?.roles.includes(role)) {
        const image = await loadDefault(() => load(source, role, input, field));
        if (typeof image === 'object') stored[role] = image;
        else defaults.omit({ role, warning: `${image}; the template was created without it` });
      } else stored[role] = await load(source, role, input, field);
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
  const [is, was] = [input, before].map((looks) => imageBox(role, looks.type, looks.preferredStyleScheme));
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
