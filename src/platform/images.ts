import { backOff } from './transient-error.ts';

/** Maximum size of an image file. */
export const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
/** Maximum side of an image in pixels. */
export const IMAGE_SIDE_PX_MAX = 4_096;

export interface Size {
  width: number;
  height: number;
}

export interface ImageInfo extends Size {
  format: 'png' | 'jpeg';
  /** EXIF orientation, 1 to 8; 1 if the file has none. `width` and `height` are those of the upright image. */
  orientation: number;
}

/** Bytes that aren't an acceptable image. The message is safe to show to a caller. */
export class ImageError extends Error {
  override name = 'ImageError';
}

/** Error for an image that may be accepted later. */
export class TemporaryImageError extends ImageError {}

/**
 * Reads format and size in pixels from an image's magic bytes and headers, without decoding pixels. Throws `ImageError`
 * for other formats, broken headers, more than IMAGE_BYTES_MAX bytes or IMAGE_SIDE_PX_MAX pixels a side.
 */
export function inspectImage(bytes: Uint8Array): ImageInfo {
  if (bytes.length > IMAGE_BYTES_MAX) throw new ImageError('it is larger than 5 MiB');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const info = readPng(view) ?? readJpeg(view);
  if (!info) throw new ImageError('it is neither PNG nor JPEG');
  if (info.width === 0 || info.height === 0) throw new ImageError('it has no pixels');
  if (info.width > IMAGE_SIDE_PX_MAX || info.height > IMAGE_SIDE_PX_MAX) {
    throw new ImageError(`it is larger than ${IMAGE_SIDE_PX_MAX} px a side`);
  }
  return info;
}

/** PNG (ISO/IEC 15948 §5.2, §11.2.2): an eight-byte signature, then the IHDR chunk with 13 bytes. */
function readPng(view: DataView): ImageInfo | undefined {
  if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return undefined;
  const isHeader = view.getUint32(8) === 13 && view.getUint32(12) === 0x49484452;
  if (!isHeader) throw new ImageError('its PNG header is broken');
  return { format: 'png', width: view.getUint32(16), height: view.getUint32(20), orientation: 1 };
}

/** Start-of-frame markers (ITU-T T.81 table B.1): C0 to CF without DHT (C4), JPG (C8) and DAC (CC). */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** JPEG: walks the segments up to the frame header, which holds the size. EXIF is in an APP1 segment before it. */
function readJpeg(view: DataView): ImageInfo | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8 || view.getUint8(2) !== 0xff) return undefined;
  let orientation = 1;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) break;
    const marker = view.getUint8(at + 1);
    // Any number of fill bytes may precede a marker. TEM and RSTn have no length.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (isStartOfFrame(marker)) {
      const size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
      return { format: 'jpeg', ...(orientation >= 5 ? turned(size) : size), orientation };
    }
    if (length < 2 || marker === 0xda || marker === 0xd9) break;
    if (marker === 0xe1) orientation = readOrientation(view, at + 4, length - 2) ?? orientation;
    at += 2 + length;
  }
  throw new ImageError('its JPEG header is broken');
}

/** Orientations 5 to 8 are rotated by 90 degrees (EXIF 2.32 §4.6.4). */
function turned({ width, height }: Size): Size {
  return { width: height, height: width };
}

/** Returns the tag Orientation (0x0112) of an EXIF segment's first directory; undefined if there is none. */
function readOrientation(view: DataView, start: number, length: number): number | undefined {
  const end = Math.min(start + length, view.byteLength);
  const tiff = start + 6;
  if (tiff + 8 > end || view.getUint32(start) !== 0x45786966) return undefined;
  const little = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, little);
  if (directory + 2 > end) return undefined;
  const entries = view.getUint16(directory, little);
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * 12;
    if (entry + 12 > end) return undefined;
    if (view.getUint16(entry, little) !== 0x0112) continue;
    const value = view.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** Attempts to draw an image before its import is given up for now. */
const ATTEMPTS_MAX = 4;

/**
 * Codes that blame the image (Cloudflare Images, "Troubleshooting"): no image, too many pixels, unsupported format.
 * Others are about the service, such as 9422 for its usage limit, or may be, such as 9523.
 */
const INPUT_CODES = [9412, 9413, 9520];

/** Begins the message of the binding's local simulation if sharp, which draws there, can't decode an image. */
const LOCAL_INPUT = /^Unexpected error response 500: Error: .*\bat Sharp\./s;

/**
 * Resizes an image (PNG or JPEG) to a PNG of exactly `size` pixels and crops to its ratio. Uses the Images binding:
 * decoding 4,096 pixels a side takes 67 MB, half of an isolate's memory. Throws `ImageError` if the image can't be
 * decoded, `TemporaryImageError` if the binding still fails after some attempts.
 */
export async function resizeToPng(
  images: ImagesBinding,
  bytes: Uint8Array<ArrayBuffer>,
  size: Size,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 1; ; attempt++) {
    try {
      // `cover` with both sides is the only fit that gives exactly these pixels, deployed and in local simulation.
      const result = await images
        .input(new Blob([bytes]).stream())
        .transform({ ...size, fit: 'cover' })
        .output({ format: 'image/png' });
      return new Uint8Array(await result.response().arrayBuffer());
    } catch (error) {
      // Errors of the binding have a code. Anything else is a bug of ours.
      if (!(error instanceof Error && 'code' in error)) throw error;
      if (INPUT_CODES.includes(Number(error.code)) || LOCAL_INPUT.test(error.message)) {
        throw new ImageError('it cannot be decoded', { cause: error });
      }
      if (attempt === ATTEMPTS_MAX) {
        throw new TemporaryImageError('it cannot be resized at the moment; try again later', { cause: error });
      }
      await backOff(attempt);
    }
  }
}
