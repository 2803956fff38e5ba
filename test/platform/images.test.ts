import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  IMAGE_BYTES_MAX,
  ImageError,
  inspectImage,
  resizeToPng,
  TemporaryImageError,
} from '../../src/platform/images.ts';

/** Returns a picture with a red left half and a blue right half. */
function picture(width: number, height: number): Sharp {
  const half = { create: { width: Math.ceil(width / 2), height, channels: 3 as const, background: '#f00' } };
  return sharp({ create: { width, height, channels: 3, background: '#00f' } }).composite([
    { input: half, left: 0, top: 0 },
  ]);
}

const png = async (width: number, height: number) =>
  new Uint8Array(await picture(width, height).png().toBuffer()) as Uint8Array<ArrayBuffer>;

async function jpeg(width: number, height: number, orientation?: number): Promise<Uint8Array<ArrayBuffer>> {
  const drawn = orientation ? picture(width, height).withMetadata({ orientation }) : picture(width, height);
  return new Uint8Array(await drawn.jpeg().toBuffer());
}

/** Returns a PNG that has only the signature and the header. */
function pngHeader(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

describe('inspectImage', () => {
  test('reads a PNG', async () => {
    expect(inspectImage(await png(31, 17))).toEqual({ format: 'png', width: 31, height: 17, orientation: 1 });
  });

  test('reads bytes in the middle of a larger buffer', async () => {
    const bytes = await png(31, 17);
    const around = new Uint8Array(bytes.length + 20);
    around.set(bytes, 10);
    expect(inspectImage(around.subarray(10, 10 + bytes.length))).toMatchObject({ width: 31, height: 17 });
  });

  test.each([false, true])('reads a JPEG, progressive: %s', async (progressive) => {
    const bytes = await picture(300, 120).jpeg({ progressive }).toBuffer();
    expect(inspectImage(bytes)).toEqual({ format: 'jpeg', width: 300, height: 120, orientation: 1 });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'returns the size of the upright picture for orientation %i',
    async (orientation) => {
      const upright = orientation >= 5 ? { width: 120, height: 300 } : { width: 300, height: 120 };
      expect(inspectImage(await jpeg(300, 120, orientation))).toEqual({ format: 'jpeg', ...upright, orientation });
    },
  );

  test('reads the orientation in either byte order', async () => {
    // EXIF in big-endian order: one entry, tag 0x0112, type SHORT, count 1, value 6.
    const exif = Buffer.from(
      '457869660000' + '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000',
      'hex',
    );
    const plain = await jpeg(300, 120);
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
    const bytes = Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]);
    expect(inspectImage(bytes)).toEqual({ format: 'jpeg', width: 120, height: 300, orientation: 6 });
  });

  test('accepts fill bytes and broken EXIF', async () => {
    const plain = await jpeg(300, 120);
    const exif = Buffer.from('457869660000' + '4949' + '2a00' + 'ffffff7f', 'hex');
    const segment = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xe1, 0, exif.length + 2]), exif]);
    const bytes = Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]);
    expect(inspectImage(bytes)).toEqual({ format: 'jpeg', width: 300, height: 120, orientation: 1 });
  });

  test.each([
    ['nothing', () => new Uint8Array()],
    ['text', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['GIF', () => picture(10, 10).gif().toBuffer()],
    ['WebP', () => picture(10, 10).webp().toBuffer()],
  ])('rejects %s', async (_, make) => {
    const bytes = await make();
    expect(() => inspectImage(bytes)).toThrow('it is neither PNG nor JPEG');
  });

  test('rejects a PNG without its header, and a JPEG that ends before its size', async () => {
    const broken = pngHeader(10, 10);
    broken.set(Buffer.from('tEXt'), 12);
    expect(() => inspectImage(broken)).toThrow('its PNG header is broken');
    const cut = (await jpeg(300, 120)).subarray(0, 30);
    expect(() => inspectImage(cut)).toThrow('its JPEG header is broken');
  });

  test('rejects what is too large, and accepts what just fits', () => {
    expect(inspectImage(pngHeader(4_096, 4_096))).toMatchObject({ width: 4_096 });
    expect(() => inspectImage(pngHeader(4_097, 1))).toThrow('larger than 4096 px a side');
    expect(() => inspectImage(pngHeader(1, 4_097))).toThrow('larger than 4096 px a side');
    expect(() => inspectImage(pngHeader(0, 10))).toThrow('it has no pixels');
    const long = new Uint8Array(IMAGE_BYTES_MAX);
    long.set(pngHeader(10, 10));
    expect(inspectImage(long)).toMatchObject({ width: 10 });
    expect(() => inspectImage(new Uint8Array(IMAGE_BYTES_MAX + 1))).toThrow('it is larger than 5 MiB');
  });
});

describe('resizeToPng', () => {
  let miniflare: Miniflare;
  let images: ImagesBinding;

  beforeAll(async () => {
    miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: 'export default {}',
        images: { binding: 'IMAGES' },
        cf: false,
      }),
    );
    ({ IMAGES: images } = await miniflare.getBindings<{ IMAGES: ImagesBinding }>());
  });
  afterAll(() => miniflare.dispose());

  /** Returns red and blue of one pixel. */
  async function pixel(bytes: Uint8Array, left: number, top: number): Promise<[number, number]> {
    const [red, , blue] = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
    return [red!, blue!];
  }

  test.each([
    [40, 16],
    [38, 38],
    [1, 1],
    [400, 160],
  ])('draws exactly %i x %i pixels', async (width, height) => {
    const drawn = await resizeToPng(images, await png(400, 160), { width, height });
    expect(inspectImage(drawn)).toEqual({ format: 'png', width, height, orientation: 1 });
  });

  test('keeps the middle if the ratio differs', async () => {
    const drawn = await resizeToPng(images, await png(400, 160), { width: 100, height: 100 });
    expect(await pixel(drawn, 10, 50)).toEqual([255, 0]);
    expect(await pixel(drawn, 90, 50)).toEqual([0, 255]);
  });

  test('rotates a JPEG upright', async () => {
    const drawn = await resizeToPng(images, await jpeg(400, 160, 6), { width: 80, height: 200 });
    expect(inspectImage(drawn)).toMatchObject({ format: 'png', width: 80, height: 200 });
    const [red, blue] = await pixel(drawn, 40, 10);
    expect(red).toBeGreaterThan(240);
    expect(blue).toBeLessThan(15);
  });

  test('rejects pixels that cannot be decoded', async () => {
    const bytes = await png(400, 160);
    const cut = bytes.slice(0, bytes.length / 2);
    const error = await resizeToPng(images, cut, { width: 10, height: 4 }).catch((thrown) => thrown);
    expect([error instanceof ImageError, error instanceof TemporaryImageError]).toEqual([true, false]);
  });

  /** Returns a binding that fails some times with an error of this code before it draws, and counts its calls. */
  function failing(times: number, code: number, message: string) {
    const input = vi.fn((stream: ReadableStream<Uint8Array>) => {
      if (input.mock.calls.length > times) return images.input(stream);
      throw Object.assign(new Error(message), { code });
    });
    return { binding: { input } as unknown as ImagesBinding, input };
  }

  test.each([
    [9523, 'Unexpected error response 503: '],
    [9523, 'Unexpected error response 429: slow down'],
    [9422, 'IMAGES_TRANSFORM_ERROR 9422: usage limit reached'],
  ])('tries again after error %i, %s', async (code, message) => {
    const { binding, input } = failing(1, code, message);
    const drawn = await resizeToPng(binding, await png(40, 16), { width: 10, height: 4 });
    expect(inspectImage(drawn)).toMatchObject({ width: 10, height: 4 });
    expect(input).toHaveBeenCalledTimes(2);
  });

  test('does not make it final that the service of images fails', async () => {
    const { binding } = failing(Number.POSITIVE_INFINITY, 9523, 'Unexpected error response 500: ');
    const work = resizeToPng(binding, await png(40, 16), { width: 10, height: 4 });
    await expect(work).rejects.toBeInstanceOf(TemporaryImageError);
  });

  test.each([9412, 9413, 9520])('rejects an image at once after error %i, which blames it', async (code) => {
    const { binding, input } = failing(1, code, 'IMAGES_TRANSFORM_ERROR');
    const error = await resizeToPng(binding, await png(4, 4), { width: 2, height: 2 }).catch((thrown) => thrown);
    expect([error instanceof ImageError, error instanceof TemporaryImageError]).toEqual([true, false]);
    expect(input).toHaveBeenCalledOnce();
  });

  test('does not blame the image for a missing binding', async () => {
    const work = resizeToPng({} as ImagesBinding, await png(4, 4), { width: 2, height: 2 });
    await expect(work).rejects.toBeInstanceOf(TypeError);
  });
});
