import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import type { BarcodeFormat } from '../src/platform/barcode-formats.ts';
import { barcodePng } from '../src/platform/barcodes.ts';

/*
 * Generates a fake camera feed for Chromium: uncompressed YUV4MPEG2 video of a pass that someone holds up by hand.
 */

/** A phone held upright gives a portrait picture. */
export interface CameraPicture {
  width: number;
  height: number;
  framesPerSecond: number;
}

/** As good as the scanner can use; more would only load the processor. */
export const FULL_PICTURE: CameraPicture = { width: 1080, height: 1920, framesPerSecond: 10 };
const FRAMES = 4;
/** Brightness of the room behind the pass. */
const ROOM = 97;
const ROOM_COLOR = { r: ROOM, g: ROOM, b: ROOM };
/** Nobody holds a phone straight. */
const TILT_DEGREES = 6;
/** Fraction of the picture's width that a square and a long code fill. */
const SIDE_SHARE = 0.55;
const LONG_SHARE = 0.82;

/** Writes a video of a barcode, or of an empty room if there is no value. The hand shakes a little between frames. */
export async function writeCameraVideo(
  path: string,
  value?: string,
  format: BarcodeFormat = 'qr',
  { width, height, framesPerSecond }: CameraPicture = FULL_PICTURE,
): Promise<void> {
  const code = value === undefined ? undefined : await photographed(value, format, width);
  const chroma = Buffer.alloc((width * height) / 2, 128);
  const grain = grainOf(width * height);
  const parts: Buffer[] = [Buffer.from(`YUV4MPEG2 W${width} H${height} F${framesPerSecond}:1 Ip A1:1 C420\n`)];
  for (let frame = 0; frame < (code ? FRAMES : 1); frame += 1) {
    const luma = Buffer.alloc(width * height, ROOM);
    const shake = Math.round(3 * Math.sin(frame));
    if (code) place(code, luma, width, ((width - code.width) >> 1) + shake, ((height - code.height) >> 1) - shake);
    for (let i = 0; i < luma.length; i += 1) luma[i] = Math.max(16, Math.min(235, luma[i]! + grain[i]!));
    parts.push(Buffer.from('FRAME\n'), luma, chroma);
  }
  writeFileSync(path, Buffer.concat(parts));
}

interface GrayPicture {
  data: Buffer;
  width: number;
  height: number;
}

/** Copies a smaller picture into a larger one. */
function place({ data, width, height }: GrayPicture, into: Buffer, intoWidth: number, left: number, top: number): void {
  for (let row = 0; row < height; row += 1) {
    data.copy(into, (top + row) * intoWidth + left, row * width, (row + 1) * width);
  }
}

/** Draws the code on white paper, tilted and slightly out of focus. */
async function photographed(value: string, format: BarcodeFormat, pictureWidth: number): Promise<GrayPicture> {
  const png = await barcodePng(format, value, { scale: 8 });
  const { width: sourceWidth, height: sourceHeight } = await sharp(png).metadata();
  const isLong = sourceWidth > 1.5 * sourceHeight;
  const width = Math.round(pictureWidth * (isLong ? LONG_SHARE : SIDE_SHARE));
  const margin = Math.round(pictureWidth / 45);
  const paper = await sharp(png)
    .resize({ width })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#ffffff' })
    .png()
    .toBuffer();
  const { data, info } = await sharp(paper)
    .rotate(TILT_DEGREES, { background: ROOM_COLOR })
    .blur(0.8)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

const grains = new Map<number, Int8Array>();

/** Returns the grain of a small sensor, the same for each picture of a size. */
function grainOf(pixels: number): Int8Array {
  const known = grains.get(pixels);
  if (known) return known;
  const grain = new Int8Array(pixels);
  let seed = 1;
  for (let i = 0; i < pixels; i += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    grain[i] = ((seed >> 16) % 17) - 8;
  }
  grains.set(pixels, grain);
  return grain;
}
