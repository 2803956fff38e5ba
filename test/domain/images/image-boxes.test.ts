import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageBox, sizeInBox } from '../../../src/domain/images/image-boxes.ts';
import { IMAGE_ROLES } from '../../../src/domain/images/stored-image.ts';
import { PASS_TYPES } from '../../../src/domain/templates/definition.ts';

describe('imageBox', () => {
  test('the strip is lower on an event ticket', () => {
    expect(imageBox('strip', 'eventTicket')).toMatchObject({ width: 375, height: 98 });
    expect(imageBox('strip', 'storeCard')).toMatchObject({ width: 375, height: 144 });
    expect(imageBox('strip', 'coupon')).toMatchObject({ width: 375, height: 144 });
    expect(imageBox('strip', 'generic')).toMatchObject({ width: 375, height: 123 });
  });

  test('the background is larger on a poster', () => {
    expect(imageBox('background', 'eventTicketBackground')).toMatchObject({ width: 180, height: 220 });
    expect(imageBox('background', 'eventTicket', 'posterEventTicket')).toMatchObject({ width: 345, height: 505 });
    expect(imageBox('icon', 'eventTicket', 'posterEventTicket')).toMatchObject({ width: 38, height: 38 });
  });
});

describe('sizeInBox', () => {
  const logo = imageBox('logo', 'generic');
  const strip = imageBox('strip', 'coupon');

  test('a wide logo takes the width, a high one the height', () => {
    expect(sizeInBox({ width: 1_600, height: 250 }, logo, 1)).toEqual({ width: 160, height: 25 });
    expect(sizeInBox({ width: 1_000, height: 1_000 }, logo, 2)).toEqual({ width: 100, height: 100 });
  });

  test('a small image is not enlarged', () => {
    expect(sizeInBox({ width: 90, height: 20 }, logo, 1)).toEqual({ width: 90, height: 20 });
    expect(sizeInBox({ width: 90, height: 20 }, logo, 3)).toEqual({ width: 90, height: 20 });
  });

  test('a strip fills its box, whatever the shape of the image', () => {
    expect(sizeInBox({ width: 2_000, height: 2_000 }, strip, 3)).toEqual({ width: 1_125, height: 432 });
    expect(sizeInBox({ width: 4_000, height: 500 }, strip, 3)).toEqual({ width: 1_125, height: 432 });
    expect(sizeInBox({ width: 750, height: 750 }, strip, 3)).toEqual({ width: 750, height: 288 });
  });

  test('any image fits its box, has pixels and is never enlarged', () => {
    const side = fc.integer({ min: 1, max: 4_096 });
    fc.assert(
      fc.property(
        fc.record({ width: side, height: side }),
        fc.constantFrom(...IMAGE_ROLES),
        fc.constantFrom(...PASS_TYPES),
        fc.constantFrom(1, 2, 3),
        (image, role, type, scale) => {
          const box = imageBox(role, type);
          const { width, height } = sizeInBox(image, box, scale);
          expect(width).toBeGreaterThanOrEqual(1);
          expect(height).toBeGreaterThanOrEqual(1);
          expect(width).toBeLessThanOrEqual(Math.min(image.width, box.width * scale));
          expect(height).toBeLessThanOrEqual(Math.min(image.height, box.height * scale));
        },
      ),
    );
  });
});
