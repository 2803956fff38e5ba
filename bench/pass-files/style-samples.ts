import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { demoCards, type StoreImage } from '../../scripts/demo/card.ts';
import type { DemoKey } from '../../scripts/demo/templates.ts';
import { imageBox, sizeInBox } from '../../src/domain/images/image-boxes.ts';
import type { ImageVariant, StoredImage } from '../../src/domain/images/stored-image.ts';
import type { Card } from '../../src/domain/passes/card/card.ts';

/** A demo template's example pass, with its image bytes by the card's keys. */
export interface StyleSample {
  name: string;
  card: Card;
  images: Map<string, Buffer>;
}

/** Each style and its demo template; the museum card also without its poster. */
const STYLES: Record<string, { key: DemoKey; isClassic?: boolean }> = {
  boarding_pass: { key: 'transitTicket' },
  coupon: { key: 'coupon' },
  event_ticket: { key: 'eventTicket' },
  generic: { key: 'generic', isClassic: true },
  store_card: { key: 'storeCard' },
  poster_event_ticket: { key: 'seasonTicket' },
  semantic_boarding_pass: { key: 'boardingPass' },
  poster_generic: { key: 'generic' },
};

export const STYLE_NAMES = Object.keys(STYLES);

const SCALES = ['1', '2', '3'] as const;

/** Returns a pass of each style, with images in the sizes that the service stores. */
export async function styleSamples(): Promise<StyleSample[]> {
  const images = new Map<string, Buffer>();
  const cards = await demoCards(storeIn(images));
  return Object.entries(STYLES).map(([name, { key, isClassic }]) => {
    const { card } = cards.find((one) => one.key === key)!;
    return { name, card: isClassic ? { ...card, apple: undefined } : card, images };
  });
}

function storeIn(images: Map<string, Buffer>): StoreImage {
  return async (source, role, { type, scheme }) => {
    const original = Buffer.from(source, 'base64');
    const { width = 0, height = 0 } = await sharp(original).metadata();
    const sha256 = createHash('sha256').update(original).digest('hex');
    const variants: StoredImage['variants'] = {};
    for (const scale of SCALES) {
      const size = sizeInBox({ width, height }, imageBox(role, type, scheme), Number(scale));
      const bytes = await sharp(original)
        .resize({ ...size, fit: 'cover' })
        .png({ palette: false })
        .toBuffer();
      const key = `bench/${sha256}-${role}-${type}-${scale}.png`;
      images.set(key, bytes);
      variants[scale] = { ...size, ...variantOf(key, bytes) };
    }
    return { sha256, width, height, variants };
  };
}

function variantOf(key: string, bytes: Buffer): Omit<ImageVariant, 'width' | 'height'> {
  return { key, bytes: bytes.length, sha1: createHash('sha1').update(bytes).digest('hex'), crc32: crc32(bytes) };
}
