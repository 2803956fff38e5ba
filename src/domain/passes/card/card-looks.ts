import type { StoredDefinition } from '../../templates/definition.ts';
import { hasLocalizedBackgrounds, PASS_IMAGE_ROLES } from '../images/pass-images.ts';
import type { Pass } from '../table.ts';
import type { Card } from './card.ts';

/** Returns the colors of a card. The pass's own colors take precedence over the template's. */
export function cardColors(definition: StoredDefinition, own: Card['colors'], voided: boolean): Card['colors'] {
  const { backgroundColor, foregroundColor, labelColor, footerBackgroundColor, voidedBackgroundColor } =
    definition.colors;
  return {
    backgroundColor:
      (voided ? voidedBackgroundColor : undefined) ?? own.backgroundColor ?? backgroundColor ?? undefined,
    foregroundColor: own.foregroundColor ?? foregroundColor ?? undefined,
    labelColor: own.labelColor ?? labelColor ?? undefined,
    footerBackgroundColor: own.footerBackgroundColor ?? footerBackgroundColor ?? undefined,
  };
}

const templateImages = new WeakMap<StoredDefinition['images'], Card['images']>();

/** Returns one object per definition, because wallets cache by it. */
function imagesOf({ images }: StoredDefinition): Card['images'] {
  const known = templateImages.get(images);
  if (known) return known;
  const { perPassImages: _, ...roles } = images;
  templateImages.set(images, roles);
  return roles;
}

/** Returns the template's images, replaced by the pass's own where the template currently allows it. */
export function cardImages(
  definition: StoredDefinition,
  { appearance }: Pass,
): Pick<Card, 'images' | 'localizedBackgrounds'> {
  const { perPassImages } = definition.images;
  let images = imagesOf(definition);
  for (const role of PASS_IMAGE_ROLES) {
    const own = appearance.images?.[role];
    if (perPassImages[role] && own) images = { ...images, [role]: own };
  }
  const localized = hasLocalizedBackgrounds(definition) ? appearance.localizedBackgrounds : undefined;
  return { images, localizedBackgrounds: localized ?? {} };
}
