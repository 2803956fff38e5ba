import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareZXingModule, type ReadInputBarcodeFormat, readBarcodes } from 'zxing-wasm/reader';
import type { BarcodeFormat } from '../../src/platform/barcode-formats.ts';
import { BarcodeError, barcodePng, barcodeSvg, canHold } from '../../src/platform/barcodes.ts';
import { ONE_UPRIGHT } from '../support/read-upright.ts';

const READER_FORMATS = { qr: 'QRCode', pdf417: 'PDF417', aztec: 'Aztec', code128: 'Code128' } as const;
const FORMATS = Object.keys(READER_FORMATS) as (keyof typeof READER_FORMATS)[];
/** Codes for limited characters: the reader's format name, valid values with how they are read, and invalid ones. */
const FEW: [BarcodeFormat, ReadInputBarcodeFormat, held: [string, string?][], refused: string[]][] = [
  ['ean13', 'EAN13', [['4006381333931'], ['0012345678905']], ['4006381333932', '400638133393', '12345']],
  ['code39', 'Code39', [['PASS-0815/4711'], ['A.B $/+%'], ['Z'.repeat(80)]], ['pass', 'Z'.repeat(81), 'Ü']],
  ['codabar', 'Codabar', [['0123456789', 'A0123456789A'], ['-$:/.+', 'A-$:/.+A'], ['C12D']], ['12A', '1 2']],
  ['itf', 'ITF', [['00123456789012'], ['0815']], ['081', '08A5', '1'.repeat(82)]],
];

const TEXTS = {
  'a single character': 'A',
  digits: '00123456789012345678901234567890',
  ASCII: 'PASS-0815/4711 ~^{|} <a&b> "quoted"',
  'a URL': 'https://example.org/p/0199f1c2-7c00-7a3b-9c4d-5e6f7a8b9c00?x=1&y=2',
  'control characters': 'line 1\r\nline 2\tend',
  'Latin-1': 'Grüße, Zoë & Søren: ½ für 5 £ ©',
};
const WIDE_TEXTS = {
  Cyrillic: 'Билет № 42 – Иван',
  Japanese: '搭乗券 東京 24A',
  emoji: 'Ticket 🎫 → 12 €',
};

beforeAll(() => {
  const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(path)).buffer } });
});

/** Pixels in the readers' format; the DOM types aren't loaded here. */
type Image = Parameters<typeof readBarcodes>[0];

async function decode(format: keyof typeof READER_FORMATS, input: Image): Promise<string | undefined> {
  const [result] = await readBarcodes(input, { ...ONE_UPRIGHT, formats: [READER_FORMATS[format]] });
  return result?.text;
}

/** Draws the rectangles of the SVG's two paths at `scale` pixels per unit. */
function rasterize(svg: string, scale = 4): Image {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!.map(Number) as [number, number, number];
  const data = new Uint8ClampedArray(width * height * scale * scale * 4).fill(128);
  const paint = (x: number, y: number, w: number, h: number, shade: number) => {
    for (let row = y * scale; row < (y + h) * scale; row++) {
      const start = row * width * scale + x * scale;
      data.fill(shade, start * 4, (start + w * scale) * 4);
    }
  };
  const paths = [...svg.matchAll(/fill="#(fff|000)" d="([^"]+)"/g)];
  expect(paths).toHaveLength(2);
  for (const [, color, path] of paths) {
    for (const [, x, y, w, h] of path!.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g))
      paint(Number(x), Number(y), Number(w), Number(h), color === 'fff' ? 255 : 0);
  }
  return { data, width: width * scale, height: height * scale, colorSpace: 'srgb' } as unknown as Image;
}

/** Returns a 1-bit PNG's pixels as rows of 0 (dark) and 1. */
function pngRows(png: Uint8Array): number[][] {
  const view = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  expect([...png.subarray(24, 29)]).toEqual([1, 0, 0, 0, 0]);
  const raw = inflateSync(png.subarray(41, 41 + view.getUint32(33)));
  const stride = 1 + Math.ceil(width / 8);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => (raw[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1),
  );
}

describe.each(FORMATS)('%s', (format) => {
  const texts = format === 'code128' ? TEXTS : { ...TEXTS, ...WIDE_TEXTS };

  test.each(Object.entries(texts))('a reader gets %s back from the PNG', async (_, text) => {
    expect(await decode(format, await barcodePng(format, text))).toBe(text);
  });

  test.each(Object.entries(texts))('a reader gets %s back from the SVG', async (_, text) => {
    expect(await decode(format, rasterize(await barcodeSvg(format, text)))).toBe(text);
  });

  test('a reader gets random texts back', async () => {
    const alphabet = [...'aA0 -äßé', ...(format === 'code128' ? '' : '€日я')];
    for (let length = 2; length <= 60; length += 7) {
      const text = Array.from({ length }, (_, i) => alphabet[(i * i * 31 + length * 17) % alphabet.length]).join('');
      expect(await decode(format, await barcodePng(format, text, { scale: 3 }))).toBe(text);
    }
  });

  test('a quiet zone surrounds the symbol', async () => {
    const rows = pngRows(await barcodePng(format, 'QUIET', { scale: 2 }));
    const [x, y] = { qr: [8, 8], pdf417: [4, 4], aztec: [4, 4], code128: [20, 4] }[format] as [number, number];
    const darkRows = rows.flatMap((row, i) => (row.includes(0) ? [i] : []));
    const darkColumns = rows[0]!.flatMap((_, i) => (rows.some((row) => row[i] === 0) ? [i] : []));
    expect([darkRows[0], rows.length - 1 - darkRows.at(-1)!]).toEqual([y, y]);
    expect([darkColumns[0], rows[0]!.length - 1 - darkColumns.at(-1)!]).toEqual([x, x]);
  });

  test('rejects what it cannot contain', async () => {
    await expect(barcodePng(format, '')).rejects.toThrow(BarcodeError);
    await expect(barcodeSvg(format, '\ud800')).rejects.toThrow(/not valid Unicode/);
    await expect(barcodeSvg(format, 'x'.repeat(10_000))).rejects.toThrow(BarcodeError);
    await expect(barcodeSvg(format, 'x'.repeat(10_000))).rejects.toThrow(/too long/);
    expect(await Promise.all(['', '\ud800', 'x'.repeat(10_000)].map((value) => canHold(format, value)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('can contain any text reported as short enough', async () => {
    const bytes = { qr: 2_900, pdf417: 800, aztec: 1_500, code128: 100 }[format];
    for (const awkward of ['aA0\u0001;Z9~', 'éÿ', 'aé1ÿ\n;']) {
      const chars = Math.floor(bytes / Buffer.byteLength(awkward)) * awkward.length;
      const value = awkward.repeat(bytes).slice(0, chars);
      expect(await canHold(format, value)).toBe(true);
      await expect(barcodeSvg(format, value)).resolves.toMatch(/^<svg/);
    }
    expect(await canHold(format, '4'.repeat(2_600))).toBe(format === 'qr' || format === 'aztec' || format === 'pdf417');
  });
});

describe.each(FEW)('%s', (format, name, held, refused) => {
  test.each(held)('a reader gets %s back', async (value, read = value) => {
    for (const input of [await barcodePng(format, value), rasterize(await barcodeSvg(format, value))]) {
      const [result] = await readBarcodes(input, { ...ONE_UPRIGHT, formats: [name] });
      expect(result?.text).toBe(read);
    }
    expect(await canHold(format, value)).toBe(true);
  });

  test.each(refused)('rejects %s', async (value) => {
    await expect(barcodePng(format, value)).rejects.toThrow(BarcodeError);
    expect(await canHold(format, value)).toBe(false);
  });
});

test('Code 128 rejects text beyond ISO 8859-1 instead of garbling it', async () => {
  await expect(barcodePng('code128', 'Preis 5 €')).rejects.toThrow(/ISO 8859-1/);
  expect([await canHold('code128', 'Preis 5 €'), await canHold('code128', 'Preis 5 £')]).toEqual([false, true]);
});

test('a QR code lowers its error correction before it rejects', async () => {
  const text = 'x'.repeat(2_953);
  expect(await decode('qr', await barcodePng('qr', text))).toBe(text);
  await expect(barcodePng('qr', `${text}x`)).rejects.toThrow(BarcodeError);
});

test('the scale is in pixels per module', async () => {
  const small = await barcodePng('aztec', 'scale', { scale: 1 });
  const large = await barcodePng('aztec', 'scale', { scale: 5 });
  expect(pngRows(large).length).toBe(pngRows(small).length * 5);
  await expect(barcodePng('aztec', 'scale', { scale: 0 })).rejects.toThrow(RangeError);
  await expect(barcodePng('aztec', 'scale', { scale: 1.5 })).rejects.toThrow(RangeError);
});
