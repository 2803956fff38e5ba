import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { azteccode, code128, pdf417 } from 'bwip-js/generic';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { BarcodeFormat } from '../../src/platform/barcode-formats.ts';
import { barcodePng, canHold } from '../../src/platform/barcodes.ts';
import { encodeAztec } from '../../src/platform/symbologies/aztec.ts';
import { encodeCode128 } from '../../src/platform/symbologies/code128.ts';
import { encodePdf417 } from '../../src/platform/symbologies/pdf417.ts';
import { Random } from '../support/random.ts';
import { ONE_UPRIGHT } from '../support/read-upright.ts';

beforeAll(() => {
  const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(path)).buffer } });
});

/** A drawing target that only records the symbol's size. */
class Size {
  #width = 0;
  scale = (): [number, number] => [1, 1];
  measure = () => ({ width: 0, ascent: 0, descent: 0 });
  init = (width: number) => {
    this.#width = width;
  };
  line() {}
  polygon() {}
  fill() {}
  hexagon() {}
  ellipse() {}
  text() {}
  end = () => this.#width;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const options = (text: string) => ({ bcid: 'any', text, scale: 1 });
/** The widths of our symbol and the library's. */
const WIDTHS = {
  pdf417: (text: string) => [encodePdf417(utf8(text))?.width, pdf417(options(text), new Size())],
  aztec: (text: string) => [encodeAztec(utf8(text))?.size, azteccode(options(text), new Size())],
  code128: (text: string) => [
    encodeCode128(Buffer.from(text, 'latin1'))?.length,
    code128({ ...options(text), binarytext: true } as never, new Size()),
  ],
};
const READER_FORMATS = { pdf417: 'PDF417', aztec: 'Aztec', code128: 'Code128' } as const;

const ALPHABETS = {
  digits: '0123456789',
  capitals: 'ABC DEF',
  'letters and signs': 'aA0;Z9~',
  'an address': 'https://x.example/p/0199f1c2?x=1&y=2',
  'Latin-1': 'éÿa',
  'control characters': 'a\r\n, .A1\x01',
};

/** The longest texts that the standards allow (ISO/IEC 15438 §5.1, 24778 §5), and for Code 128 the longest we draw. */
const LONGEST: [keyof typeof WIDTHS, string, number][] = [
  ['pdf417', '7', 2_710],
  ['pdf417', 'A', 1_850],
  ['pdf417', '\x80', 554],
  ['aztec', '7', 3_832],
  ['aztec', 'A', 3_067],
  ['code128', 'ÿ', 500],
];

describe.each(Object.keys(WIDTHS) as (keyof typeof WIDTHS)[])('%s', (format) => {
  test.each(Object.entries(ALPHABETS))('is as small for %s as a library’s, and readable', async (_, alphabet) => {
    const random = new Random(7);
    for (const length of [1, 2, 9, 40, 120, 300]) {
      const text = Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
      const [ours, theirs] = WIDTHS[format](text);
      expect(ours).toBeLessThanOrEqual(theirs!);
      expect(await read(format, text)).toBe(text);
    }
  });
});

async function read(format: keyof typeof WIDTHS & BarcodeFormat, text: string): Promise<string | undefined> {
  const png = await barcodePng(format, text);
  const [result] = await readBarcodes(png, { ...ONE_UPRIGHT, formats: [READER_FORMATS[format]] });
  return result?.text;
}

test.each(LONGEST)('%s of %j has at most %i', async (format, character, count) => {
  expect([await canHold(format, character.repeat(count)), await canHold(format, character.repeat(count + 1))]).toEqual([
    true,
    false,
  ]);
  expect(await read(format, character.repeat(count))).toBe(character.repeat(count));
});
