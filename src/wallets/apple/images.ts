import type { ImageRole, ImageVariant, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card.ts';
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
 * The images of a card under Apple's names, `background@2x.png`. With localized backgrounds there is none at the top,
 * which would win over them: each language has its own or else the card's (Apple, Wallet Passes). `newLayout`: the logo
 * also stands under the name that the layouts of newer systems take, and a poster event ticket has its background.
 * `languages`: those that have a folder for their texts.
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
