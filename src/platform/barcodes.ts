import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

export type BarcodeFormat = 'qr' | 'pdf417' | 'aztec' | 'code128';

/** A value that the chosen symbology cannot hold; the message is for the caller to read. */
export class BarcodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BarcodeError';
  }
}

/** Modules of a symbol without its quiet zone, row by row; 1 is dark. */
interface Bitmap {
  width: number;
  height: number;
  dark: Uint8Array;
}

/**
 * Light margin in modules, left and right, then above and below: ISO/IEC 18004 (QR), 15438 (PDF417), 15417 (Code 128).
 * Aztec (24778) needs none, Code 128 none above; they get a little, so that a dark page does not touch the symbol.
 */
const QUIET_ZONES: Record<BarcodeFormat, readonly [x: number, y: number]> = {
  qr: [4, 4],
  pdf417: [2, 2],
  aztec: [2, 2],
  code128: [10, 2],
};

/** A linear code is this high, or 15 % of its length when that is more (ISO/IEC 15417, annex on dimensions). */
const CODE128_HEIGHT_MODULES = 40;
const PNG_SCALE_DEFAULT = 4;
const PNG_SCALE_MAX = 20;

/**
 * A barcode as an SVG document: dark on white always, quiet zone included, one unit a module. It has no fixed size;
 * give it one in CSS. Throws BarcodeError when the symbology cannot hold the value.
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
 * A barcode as a 1-bit greyscale PNG: dark on white, quiet zone included, `scale` pixels a module (1 to 20, 4 by
 * default). Throws BarcodeError when the symbology cannot hold the value.
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

/** Bytes of UTF-8 that fit whatever they are, well below what each symbology holds of its most awkward text. */
const SAFE_BYTES: Record<BarcodeFormat, number> = { qr: 2_900, pdf417: 800, aztec: 1_500, code128: 100 };

/** Whether the symbology can hold a value; only a long one is tried out. */
export async function canHold(format: BarcodeFormat, value: string): Promise<boolean> {
  if (value === '' || !value.isWellFormed() || (format === 'code128' && !isLatin1(value))) return false;
  if (new TextEncoder().encode(value).length <= SAFE_BYTES[format]) return true;
  try {
    await encodeValue(format, value);
    return true;
  } catch (error) {
    if (error instanceof BarcodeError) return false;
    throw error;
  }
}

function isLatin1(value: string): boolean {
  return [...value].every((character) => character <= 'ÿ');
}

async function encodeValue(format: BarcodeFormat, value: string): Promise<Bitmap> {
  if (value === '') throw new BarcodeError('A barcode needs a value');
  if (!value.isWellFormed()) throw new BarcodeError('The barcode value is not valid Unicode text');
  return format === 'qr' ? encodeQr(value) : encodeWithBwip(format, value);
}

/** QR with 15 % error correction; with 7 % when only that holds the value (at most 2,953 bytes). Text is UTF-8. */
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
 * PDF417 and Aztec carry UTF-8 without an ECI mark, like the QR code and the wallets' own drawings: readers tell it
 * from Latin-1, and hand scanners that do not know ECI still read it. Code 128 has no such convention: bytes are ISO
 * 8859-1 and nothing else.
 */
async function encodeWithBwip(format: 'pdf417' | 'aztec' | 'code128', value: string): Promise<Bitmap> {
  const { azteccode, code128, pdf417 } = await import('./bwip.ts');
  const options = { bcid: format, text: value, scale: 1 };
  try {
    if (format === 'pdf417') return pdf417(options, new ModuleDrawing());
    if (format === 'aztec') return azteccode(options, new ModuleDrawing());
  } catch (error) {
    throw refusal(error, format === 'aztec' ? 'an Aztec code' : 'a PDF417 code');
  }
  if (!isLatin1(value))
    throw new BarcodeError('Code 128 holds the characters of ISO 8859-1 only; use a QR code for other text');
  try {
    const bars = code128({ ...options, binarytext: true }, new ModuleDrawing());
    return stretched(bars, Math.max(CODE128_HEIGHT_MODULES, Math.ceil(bars.width * 0.15)));
  } catch (error) {
    throw refusal(error, 'Code 128');
  }
}

/**
 * The library names its errors `bwipp.<symbology><Reason>#<line>: <sentence>`; other errors are not about the value.
 */
function refusal(error: unknown, symbology: string): unknown {
  const text = error instanceof Error ? error.message : String(error);
  if (!text.startsWith('bwipp.')) return error;
  const reason = /too ?long|TooLong|insufficientCapacity/i.test(text) ? 'is too long for' : 'cannot be encoded as';
  return new BarcodeError(`The value ${reason} ${symbology}`);
}

/** The first row of a linear code, `height` times. */
function stretched({ width, dark }: Bitmap, height: number): Bitmap {
  const out = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) out.set(dark.subarray(0, width), y * width);
  return { width, height, dark: out };
}

/**
 * What bwip-js draws on, at one unit a module: bars arrive as vertical lines, matrix codes as polygons of horizontal
 * and vertical edges that are filled by the even-odd rule.
 */
class ModuleDrawing {
  #bitmap: Bitmap = { width: 0, height: 0, dark: new Uint8Array() };
  /** A mark wherever a vertical edge crosses a row; one more column than modules. */
  #edges = new Uint8Array();

  scale(): [number, number] {
    return [1, 1];
  }

  measure() {
    return { width: 0, ascent: 0, descent: 0 };
  }

  init(width: number, height: number): void {
    this.#bitmap = { width, height, dark: new Uint8Array(width * height) };
    this.#edges = new Uint8Array((width + 1) * height);
  }

  line(x: number, _y0: number, _x1: number, _y1: number, lineWidth: number): void {
    const { width, height, dark } = this.#bitmap;
    const left = x - Math.ceil(lineWidth / 2);
    for (let y = 0; y < height; y++) dark.fill(1, y * width + left, y * width + left + lineWidth);
  }

  polygon(points: [number, number][]): void {
    for (const [i, [x, y]] of points.entries()) {
      const [nextX, nextY] = points[(i + 1) % points.length]!;
      if (x !== nextX) continue;
      for (let row = Math.min(y, nextY); row < Math.max(y, nextY); row++)
        this.#edges[row * (this.#bitmap.width + 1) + x]! ^= 1;
    }
  }

  fill(): void {
    const { width, height, dark } = this.#bitmap;
    for (let y = 0; y < height; y++) {
      let inside = 0;
      for (let x = 0; x < width; x++) {
        inside ^= this.#edges[y * (width + 1) + x]!;
        if (inside) dark[y * width + x] = 1;
      }
    }
    this.#edges.fill(0);
  }

  hexagon(): void {}
  ellipse(): void {}
  text(): void {}

  end(): Bitmap {
    return this.#bitmap;
  }
}

/** Dark runs as rectangles; equal rows share theirs. */
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
 * Greyscale of one bit a pixel, 1 is white (PNG specification, §11.2.1); the smallest form there is, and no canvas
 * needed.
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
  return concat([
    Uint8Array.from(PNG_SIGNATURE),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', new Uint8Array()),
  ]);
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

function concat(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
