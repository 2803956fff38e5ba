import type { ImageRole, ImageVariant, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import type { PassType } from '../../domain/templates/definition.ts';
import { own } from '../../platform/own.ts';

/** A PNG in a pass file: its path there, and what is stored of it. */
export interface ImageFile {
  name: string;
  variant: ImageVariant;
}

/**
 * The images that each style takes (Apple, Wallet Passes); Wallet ignores others, and they would travel for nothing.
 */
const ROLES: Record<PassType, readonly ImageRole[]> = {
  boardingPass: ['icon', 'logo', 'footer'],
  coupon: ['icon', 'logo', 'strip'],
  eventTicket: ['icon', 'logo', 'strip'],
  eventTicketBackground: ['icon', 'logo', 'background', 'thumbnail'],
  generic: ['icon', 'logo', 'thumbnail'],
  storeCard: ['icon', 'logo', 'strip'],
};

/**
 * The images of a card under Apple's names, `background@2x.png`. A background at the top would win over localized ones,
 * so each language has its own or the card's. `newLayout` adds the logo and the poster background under their new
 * names. `languages`: those with a folder for texts.
 */
export function imageFiles(card: Card, languages: Iterable<string>, newLayout: boolean): ImageFile[] {
  const localized = Object.keys(card.localizedBackgrounds).length > 0;
  const isPoster = newLayout && card.type === 'eventTicket';
  const files = ROLES[isPoster ? 'eventTicketBackground' : card.type].flatMap((role) =>
    role === 'background' && localized ? localizedBackgrounds(card, languages) : scales(role, card.images[role]),
  );
  return newLayout ? [...files, ...scales('primaryLogo', card.images.logo)] : files;
}

function localizedBackgrounds(card: Card, languages: Iterable<string>): ImageFile[] {
  const folders = new Set([card.language, ...languages, ...Object.keys(card.localizedBackgrounds)]);
  return [...folders].flatMap((language) =>
    scales(`${language}.lproj/background`, own(card.localizedBackgrounds, language) ?? card.images.background),
  );
}

function scales(path: string, image: StoredImage | undefined): ImageFile[] {
  return Object.entries(image?.variants ?? {}).map(([scale, variant]) => ({
    name: `${path}${scale === '1' ? '' : `@${scale}x`}.png`,
    variant,
  }));
}
