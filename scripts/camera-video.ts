import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import type { BarcodeFormat } from '../src/platform/barcode-formats.ts';
import { barcodePng } from '../src/platform/barcodes.ts';

/*
 * Generates a fake camera feed for Chromium: uncompressed YUV4MPEG2 video of a pass that someone holds up by hand.
 */

/** A phone held upright gives a portrait picture. */
const WIDTH = 1080;
const HEIGHT = 1920;
const FRAMES = 4;
/** As many as the scanner can use; more would only load the processor. */
const FRAMES_PER_SECOND = 10;
const ROOM = '#5d6168';
/** Nobody holds a phone straight. */
const TILT_DEGREES = 6;
/** Fraction of the picture's width that a square and a long code fill. */
const SIDE_SHARE = 0.55;
const LONG_SHARE = 0.82;

/** Writes a video of a barcode, or of an empty room if there is no value. The hand shakes a little between frames. */
export async function writeCameraVideo(path: string, value?: string, format: BarcodeFormat = 'qr'): Promise<void> {
  const code = value === undefined ? undefined : await photographed(value, format);
  const chroma = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const parts: Buffer[] = [Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420\n`)];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const room = sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: ROOM } });
    const shake = Math.round(3 * Math.sin(frame));
    const layers = code
      ? [{ input: code.png, left: ((WIDTH - code.width) >> 1) + shake, top: ((HEIGHT - code.height) >> 1) - shake }]
      : [];
    const luma = await room.composite(layers).greyscale().raw().toBuffer();
    parts.push(Buffer.from('FRAME\n'), withNoise(luma), chroma);
  }
  writeFileSync(path, Buffer.concat(parts));
}

/** Draws the code on white paper, tilted and slightly out of focus. */
async function photographed(value: string, format: BarcodeFormat) {
  const png = await barcodePng(format, value, { scale: 8 });
  const { width: sourceWidth, height: sourceHeight } = await sharp(png).metadata();
  const isLong = sourceWidth > 1.5 * sourceHeight;
  const width = Math.round(WIDTH * (isLong ? LONG_SHARE : SIDE_SHARE));
  const paper = await sharp(png)
    .resize({ width })
    .extend({ top: 24, bottom: 24, left: 24, right: 24, background: '#ffffff' })
    .png()
    .toBuffer();
  const { data, info } = await sharp(paper)
    .rotate(TILT_DEGREES, { background: ROOM })
    .blur(0.8)
    .png()
    .toBuffer({ resolveWithObject: true });
  return { png: data, width: info.width, height: info.height };
}

/** Adds the grain of a small sensor, the same in each run. */
function withNoise(luma: Buffer): Buffer {
  let seed = 1;
  return luma.map((value) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return Math.max(16, Math.min(235, value + ((seed >> 16) % 17) - 8));
  }) as Buffer;
}
