import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { drawPass } from '../../../scripts/phone/draw-pass.ts';
import { clean, inColumns, widthOf, wrap } from '../../../scripts/phone/terminal-text.ts';
import type { HeldPass } from '../../support/phone-pass.ts';

const lists = {
  headerFields: [{ key: 'gate', label: 'Gate', value: 'A7' }],
  primaryFields: [
    { key: 'from', label: 'Zürich', value: 'ZRH' },
    { key: 'to', label: '東京', value: 'HND' },
  ],
  secondaryFields: [{ key: 'name', label: 'Name', value: 'Łukasz \u001b[31mRed\u0007 👩‍🚀' }],
  auxiliaryFields: ['1', '2', '3', '4', '5'].map((key) => ({ key, label: key, value: `a very long value ${key}` })),
  backFields: [
    {
      key: 'terms',
      label: 'Terms',
      value: 'One line and a second one,\nwhich is long enough to be wrapped into the next',
    },
  ],
};

const passWith = (style: 'boardingPass' | 'coupon', members: object = {}): HeldPass => ({
  content: {
    passTypeIdentifier: 'pass.a',
    serialNumber: '1',
    organizationName: 'Corvane',
    description: '',
    backgroundColor: 'rgb(1, 2, 3)',
    foregroundColor: 'rgb(255, 255, 255)',
    labelColor: 'rgb(9, 9, 9)',
    barcodes: [{ format: 'PKBarcodeFormatQR', message: 'M1 CASTELLAN' }],
    ...members,
    [style]: lists,
  },
  style,
  files: new Map(),
});

describe('drawPass', () => {
  test.each([true, false])('draws a front with straight edges (colors: %s)', (colored) => {
    for (const style of ['boardingPass', 'coupon'] as const) {
      const lines = drawPass(passWith(style), 'en', colored);
      const back = lines.findIndex((line) => line.startsWith('Terms'));
      const widths = new Set(lines.slice(0, back).map(widthOf));
      expect(widths.size).toBe(1);
      const front = lines.slice(0, back).map(stripVTControlCharacters).join('\n');
      for (const shown of [
        'GATE',
        'A7',
        'Corvane',
        'ZÜRICH',
        'ZRH',
        '東京',
        'Łukasz Red 👩‍🚀',
        'M1 CASTELLAN  (QR code)',
      ]) {
        expect(front).toContain(shown);
      }
      expect(front).not.toContain('VOIDED');
      // Wallet drops a fifth field, too.
      expect(front).toContain('a very long');
      expect(front).not.toContain('\n│  5');
    }
  });

  test('lets no pass control the terminal', () => {
    for (const line of drawPass(passWith('boardingPass'), 'en', false)) expect(line).not.toMatch(/\p{Cc}/u);
  });

  test('uses the pass’s colors', () => {
    const [first, second] = drawPass(passWith('coupon'), 'en', true);
    expect(first).toContain('\u001b[38;2;255;255;255;48;2;1;2;3m');
    expect(second).toContain('\u001b[38;2;9;9;9;48;2;1;2;3m');
    const odd = drawPass(passWith('coupon', { backgroundColor: 'red\u001b[2J' }), 'en', true);
    expect(odd.join('')).not.toContain('[2J');
  });

  test('shows that a pass is voided', () => {
    expect(drawPass(passWith('coupon', { voided: true }), 'en', false).join('\n')).toContain('VOIDED');
  });

  test('wraps the back, and keeps its line breaks', () => {
    const lines = drawPass(passWith('coupon'), 'en', false);
    const at = lines.findIndex((line) => line.startsWith('Terms'));
    expect(lines.slice(at)).toEqual([
      'Terms               One line and a second one,',
      '                    which is long enough to be wrapped',
      '                    into the next',
    ]);
  });
});

describe('text on a terminal', () => {
  test.each([
    ['abc', 3],
    ['東京', 4],
    ['👩‍🚀', 2],
    ['e\u0301', 1],
    ['\u001b[1mbold\u001b[22m', 4],
  ])('%j takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test('fits', () => {
    expect(inColumns('abc', 5)).toBe('abc  ');
    expect(inColumns('abc', 5, 'right')).toBe('  abc');
    expect(inColumns('abcdef', 4)).toBe('abc…');
    expect(inColumns('東京タワー', 6)).toBe('東京… ');
    expect(wrap('a bb ccc dddddddd', 4)).toEqual(['a bb', 'ccc', 'ddd…']);
    expect(clean(' a\n\tb\u001b[31m\u0007 c ')).toBe('a b c');
  });
});
