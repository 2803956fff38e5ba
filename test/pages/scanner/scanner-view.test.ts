import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrastRatio } from '../../../src/pages/colors.ts';
import { scannerColors } from '../../../src/pages/scanner/scanner-view.ts';

/** WCAG 2.2, success criterion 1.4.3. */
const TEXT_CONTRAST_MIN = 4.5;

const color = fc.option(
  fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`),
);

test('the text is readable, whatever colors were set', () => {
  fc.assert(
    fc.property(color, color, (backgroundColor, textColor) => {
      const { background, text } = scannerColors({ backgroundColor, textColor });
      expect(contrastRatio(background, text)).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
      if (backgroundColor) expect(background).toBe(backgroundColor);
    }),
  );
});

test('a readable color does not change', () => {
  expect(scannerColors({ backgroundColor: '#14213d', textColor: '#fca311' })).toEqual({
    background: '#14213d',
    text: '#fca311',
  });
});
