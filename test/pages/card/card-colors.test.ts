import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cardColors, cardColorsCss } from '../../../src/pages/card/card-colors.ts';
import { contrastRatio } from '../../../src/pages/colors.ts';

const TEXT_CONTRAST_MIN = 4.5;
const color = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
const maybe = fc.option(color, { nil: undefined });

test('text is readable on any background', () => {
  fc.assert(
    fc.property(maybe, maybe, maybe, (backgroundColor, foregroundColor, labelColor) => {
      const { background, foreground, label } = cardColors({ backgroundColor, foregroundColor, labelColor });
      expect(contrastRatio(foreground, background)).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
      expect(contrastRatio(label, background)).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    }),
    { examples: [[undefined, undefined, undefined]] },
  );
});

test('readable colors do not change', () => {
  const colors = { backgroundColor: '#1d3557', foregroundColor: '#ffffff', labelColor: '#a8dadc' };
  expect(cardColors(colors)).toEqual({ background: '#1d3557', foreground: '#ffffff', label: '#a8dadc' });
});

test('an unreadable color keeps its hue as far as possible', () => {
  const { foreground } = cardColors({ backgroundColor: '#ffffff', foregroundColor: '#ff9999' });
  const [red, green, blue] = foreground.match(/\w\w/g)!.map((part) => Number.parseInt(part, 16)) as [
    number,
    number,
    number,
  ];
  expect(red).toBeGreaterThan(green);
  expect(green).toBe(blue);
});

test('contrast is computed as in WCAG', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

test('an invalid color never reaches the stylesheet', () => {
  const css = cardColorsCss({ id: 'a}</style>b', colors: { backgroundColor: 'red}</style><script>' } });
  expect(css).toBe('.card-astyleb{--card-background:#ffffff;--card-foreground:#000000;--card-label:#4d4d4d}');
});
