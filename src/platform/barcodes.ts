import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';
import type { BarcodeFormat } from './barcode-formats.ts';
import { isLatin1 } from './text.ts';

/** A value that the symbology can't hold. The message is safe to show to the caller. */
export class BarcodeError extends Error {
  override name = 'BarcodeError';
}

/** Modules of a symbol without its quiet zone, row by row; 1 is dark. */
interface Bitmap {
  width: number;
  height: number;
  dark: Uint8Array;
}

/**
 * Quiet zone in modules, horizontal and vertical: ISO/IEC 18004 (QR), 15438 (PDF417), 15417 (Code 128), 15420 (EAN-13),
 * 16388 (Code 39), 16390 (ITF), EN 798. Aztec (24778) needs none, and linear codes need none vertically; they get a
 * little, so that a dark page doesn't touch the symbol.
 */
const QUIET_ZONES: Record<BarcodeFormat, readonly [x: number, y: number]> = {
  qr: [4, 4],
  pdf417: [2, 2],
  aztec: [2, 2],
  code128: [10, 2],
  ean13: [11, 2],
  code39: [10, 2],
  codabar: [10, 2],
  itf: [10, 2],
};

/** Height of a linear code, or 15% of its length if that is more (ISO/IEC 15417, annex on dimensions). */
const LINEAR_HEIGHT_MODULES = 40;
const PNG_SCALE_DEFAULT = 4;
const PNG_SCALE_MAX = 20;

/**
 * Returns a barcode as an SVG document: always dark on white, with its quiet zone, one unit per module. Set its size in
 * CSS. Throws BarcodeError if the symbology can't hold the value.
 */
export async function barcodeSvg(format: BarcodeFormat, value: string): Promise<string> {
  const bitmap = await encodeValue(format, value);
  const [x, y] = QUIET_ZONES[format];
  const width = bitmap.width + 2 * x;
  const height = bitmap.height + 2 * y;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${width}v${height}H0z"/><path fill="#000" d="${svgPath(bitmap, x, y)}"/></svg>`
  );
}

/**
 * Returns a barcode as a 1-bit grayscale PNG: dark on white, with its quiet zone, `scale` pixels per module (1 to 20, 4
 * by default). Throws BarcodeError if the symbology can't hold the value.
 */
export async function barcodePng(
  format: BarcodeFormat,
  value: string,
  { scale = PNG_SCALE_DEFAULT }: { scale?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (!Number.isInteger(scale) || scale < 1 || scale > PNG_SCALE_MAX)
    throw new RangeError(`scale must be an integer from 1 to ${PNG_SCALE_MAX}`);
  return png(await encodeValue(format, value), QUIET_ZONES[format], scale);
}

/** UTF-8 bytes that always fit, far below each symbology's capacity for the most awkward text. */
const SAFE_BYTES: Partial<Record<BarcodeFormat, number>> = { qr: 2_900, pdf417: 800, aztec: 1_500, code128: 100 };

/** Returns whether the symbology can hold a value. Only long values are actually encoded. */
export async function canHold(format: BarcodeFormat, value: string): Promise<boolean> {
  if (value === '' || !value.isWellFormed() || (format === 'code128' && !isLatin1(value))) return false;
  if (new TextEncoder().encode(value).length <= (SAFE_BYTES[format] ?? 0)) return true;
  try {
    await encodeValue(format, value);
    return true;
  } catch (error) {
    if (error instanceof BarcodeError) return false;
    throw error;
  }
}

/** Encodes a value. Each encoder is loaded on first use, because most pages and passes use only QR. */
async function encodeValue(format: BarcodeFormat, value: string): Promise<Bitmap> {
  if (value === '') throw new BarcodeError('A barcode needs a value');
  if (!value.isWellFormed()) throw new BarcodeError('The barcode value is not valid Unicode text');
  switch (format) {
    case 'qr':
      return encodeQr(value);
    case 'pdf417':
    case 'aztec':
      return encodeBytes(format, value);
    case 'code128':
      return encodeLatin1(value);
    default:
      return encodeFew(format, value);
  }
}

/** Encodes a QR code with 15% error correction, or 7% if only that fits (at most 2,953 bytes). Text is UTF-8. */
function encodeQr(value: string): Bitmap {
  for (const ecc of ['M', 'L'] as const) {
    try {
      const { size, data } = encode(value, { ecc, border: 0 });
      return { width: size, height: size, dark: Uint8Array.from(data.flat(), Number) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw new BarcodeError('The value is too long for a QR code (at most 2,953 bytes)');
}

/**
 * Encodes PDF417 or Aztec with UTF-8 and no ECI, like the QR code and the wallets' own codes: readers tell it from
 * Latin-1, and scanners without ECI support still read it.
 */
async function encodeBytes(format: 'pdf417' | 'aztec', value: string): Promise<Bitmap> {
  const bytes = new TextEncoder().encode(value);
  if (format === 'pdf417') {
    const { encodePdf417 } = await import('./symbologies/pdf417.ts');
    const rows = encodePdf417(bytes);
    if (!rows) throw new BarcodeError('The value is too long for a PDF417 code');
    return rows;
  }
  const { encodeAztec } = await import('./symbologies/aztec.ts');
  const square = encodeAztec(bytes);
  if (!square) throw new BarcodeError('The value is too long for an Aztec code');
  return { width: square.size, height: square.size, dark: square.dark };
}

/** Encodes Code 128, which has no convention for UTF-8: bytes are ISO 8859-1 only. */
async function encodeLatin1(value: string): Promise<Bitmap> {
  if (!isLatin1(value))
    throw new BarcodeError('Code 128 holds the characters of ISO 8859-1 only; use a QR code for other text');
  const { encodeCode128 } = await import('./symbologies/code128.ts');
  const bars = encodeCode128(Buffer.from(value, 'latin1'));
  if (!bars) throw new BarcodeError('The value is too long for Code 128');
  return linear(bars);
}

type FewFormat = Exclude<BarcodeFormat, 'qr' | 'pdf417' | 'aztec' | 'code128'>;

/** Error messages of the codes with a small character set. */
const NEEDS: Record<FewFormat, string> = {
  ean13: 'EAN-13 holds 13 digits, the last of which is the check digit',
  code39: 'Code 39 holds up to 80 digits, capitals, spaces and -.$/+%',
  codabar: 'Codabar holds up to 80 digits and -$:/.+',
  itf: 'ITF holds an even number of digits, up to 80',
};

async function encodeFew(format: FewFormat, value: string): Promise<Bitmap> {
  const { LINEAR_ENCODERS } = await import('./symbologies/linear.ts');
  const bars = LINEAR_ENCODERS[format](value);
  if (!bars) throw new BarcodeError(NEEDS[format]);
  return linear(bars);
}

function linear(bars: number[]): Bitmap {
  const [width, height] = [bars.length, Math.max(LINEAR_HEIGHT_MODULES, Math.ceil(bars.length * 0.15))];
  const dark = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) dark.set(bars, y * width);
  return { width, height, dark };
}

/** Draws dark runs as rectangles. Equal rows share one. */
function svgPath({ width, height, dark }: Bitmap, left: number, top: number): string {
  let path = '';
  for (let y = 0; y < height; ) {
    const row = dark.subarray(y * width, (y + 1) * width);
    let rows = 1;
    while (y + rows < height && row.every((module, x) => module === dark[(y + rows) * width + x])) rows++;
    for (let x = 0; x < width; x++) {
      if (!row[x]) continue;
      const start = x;
      while (x < width && row[x]) x++;
      path += `M${left + start} ${top + y}h${x - start}v${rows}h${start - x}z`;
    }
    y += rows;
  }
  return path;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * Encodes 1-bit grayscale, where 1 is white (PNG specification, §11.2.1). It is the smallest form, and needs no canvas.
 */
function png(bitmap: Bitmap, [quietX, quietY]: readonly [number, number], scale: number): Uint8Array<ArrayBuffer> {
  const width = (bitmap.width + 2 * quietX) * scale;
  const height = (bitmap.height + 2 * quietY) * scale;
  const stride = 1 + Math.ceil(width / 8);
  const pixels = new Uint8Array(stride * height).fill(0xff);
  for (let y = 0; y < height; y++) {
    const row = y * stride;
    pixels[row] = 0;
    const moduleY = Math.floor(y / scale) - quietY;
    if (moduleY < 0 || moduleY >= bitmap.height) continue;
    for (let x = quietX * scale; x < (quietX + bitmap.width) * scale; x++) {
      if (bitmap.dark[moduleY * bitmap.width + Math.floor(x / scale) - quietX])
        pixels[row + 1 + (x >> 3)]! &= ~(0x80 >> (x & 7));
    }
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 1;
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(pixels)), pngChunk('IEND', new Uint8Array())];
  return new Uint8Array(Buffer.concat([Uint8Array.from(PNG_SIGNATURE), ...chunks]));
}

function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(12 + data.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  view.setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)));
  return chunk;
}
