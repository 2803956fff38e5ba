import type { Size } from '../../platform/images.ts';
import type { ImageRole } from './stored-image.ts';

/** Space of an image on a card, in points at 1x, and how an image of another aspect ratio fits into it. */
export interface ImageBox extends Size {
  /** `inside`: shows the whole image; `fill`: crops both sides equally. */
  fit: 'inside' | 'fill';
}

const BOXES: Record<Exclude<ImageRole, 'strip' | 'background'>, ImageBox> = {
  icon: { width: 38, height: 38, fit: 'inside' },
  logo: { width: 160, height: 50, fit: 'inside' },
  thumbnail: { width: 90, height: 90, fit: 'inside' },
  footer: { width: 286, height: 15, fit: 'inside' },
  artwork: { width: 358, height: 448, fit: 'fill' },
  primaryLogo: { width: 126, height: 30, fit: 'inside' },
  secondaryLogo: { width: 135, height: 12, fit: 'inside' },
  // Apple gives no size: as wide as the event guide.
  venueMap: { width: 375, height: 375, fit: 'inside' },
};

const STRIP_HEIGHTS = {
  eventTicket: 98,
  eventTicketBackground: 98,
  storeCard: 144,
  coupon: 144,
  boardingPass: 123,
  generic: 123,
};

/** Names of the pass types of templates. Templates import this feature, so it can't import theirs. */
export type BoxedType = keyof typeof STRIP_HEIGHTS;

/** Sizes: Apple's pass design guides and PassBuilder. A poster event ticket shows its background as a poster. */
export function imageBox(role: ImageRole, type: BoxedType, preferredStyleScheme?: string | null): ImageBox {
  if (role === 'strip') return { width: 375, height: STRIP_HEIGHTS[type], fit: 'fill' };
  if (role !== 'background') return BOXES[role];
  return preferredStyleScheme === 'posterEventTicket'
    ? { width: 345, height: 505, fit: 'fill' }
    : { width: 180, height: 220, fit: 'fill' };
}

/** Fits an image into a box at a scale, in pixels, never enlarged. `fill` takes the shape of the box. */
export function sizeInBox(image: Size, box: ImageBox, scale: number): Size {
  const shown = box.fit === 'fill' ? middle(image, box) : image;
  const factor = Math.min(1, (box.width * scale) / shown.width, (box.height * scale) / shown.height);
  const pixels = (side: number) => Math.max(1, Math.round(side * factor));
  return { width: pixels(shown.width), height: pixels(shown.height) };
}

function middle(image: Size, box: Size): Size {
  const ratio = box.width / box.height;
  return image.width > image.height * ratio
    ? { width: image.height * ratio, height: image.height }
    : { width: image.width, height: image.width / ratio };
}
