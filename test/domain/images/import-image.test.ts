import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { findImage, getAsset } from '../../../src/domain/images/find-image.ts';
import { claimDrawings, freeDrawings } from '../../../src/domain/images/hold-images.ts';
import { imageLoader, importImage } from '../../../src/domain/images/import-image.ts';
import type { ImageVariant, StoredImage } from '../../../src/domain/images/stored-image.ts';
import type { Env } from '../../../src/platform/env.ts';
import { inspectImage } from '../../../src/platform/images.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const DEMO_IMAGES = join(import.meta.dirname, '../../../scripts/demo/images');
const BASE_URL = 'https://passes.example';

const noise = (width: number, height: number, sigma = 30) =>
  sharp({ create: { width, height, channels: 3, noise: { type: 'gaussian', mean: 128, sigma }, background: '#000' } });

/** Returns a new PNG each time, which isn't in the store yet. */
const newPng = (width: number, height: number) => noise(width, height).png().toBuffer();

let miniflare: Miniflare;
let bindings: { FILES: R2Bucket; IMAGES: ImagesBinding };
let database: LocalDatabase;
let server: Server;
let origin: string;
const served = new Map<string, Buffer>();

beforeAll(async () => {
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default {}',
      compatibilityDate: '2026-10-22',
      images: { binding: 'IMAGES' },
      r2Buckets: ['FILES'],
      cf: false,
    }),
  );
  bindings = await miniflare.getBindings();
  database = openMemoryDatabase();
  server = createServer((request, reply) => {
    const body = served.get(request.url!);
    if (request.url === '/moved') reply.writeHead(302, { location: '/logo.png' }).end();
    else reply.writeHead(body ? 200 : 404).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await Promise.all([miniflare.dispose(), database.close()]);
});

function context(env: Partial<Env> = { ADMIN_TOKEN: 'x', ALLOW_LOCAL_TARGETS: 'true' } as Partial<Env>): Context {
  return { ...database.context(), env: { ...bindings, ...env } as Env, baseUrl: BASE_URL };
}

const sizes = (image: StoredImage) =>
  Object.entries(image.variants).map(([scale, { width, height }]) => [scale, width, height]);

async function stored(variant: ImageVariant): Promise<Uint8Array> {
  const object = await bindings.FILES.get(variant.key);
  return new Uint8Array(await object!.arrayBuffer());
}

describe('importImage', () => {
  test('stores the original and three PNGs with their hashes', async () => {
    const source = await newPng(600, 300);
    const image = await importImage(context(), source.toString('base64'), 'logo', 'generic', 'images.logo');

    const sha256 = createHash('sha256').update(source).digest('hex');
    expect(image).toMatchObject({ sha256, width: 600, height: 300 });
    expect(sizes(image)).toEqual([
      ['1', 100, 50],
      ['2', 200, 100],
      ['3', 300, 150],
    ]);
    for (const variant of Object.values(image.variants)) {
      const bytes = await stored(variant);
      expect(inspectImage(bytes)).toMatchObject({ format: 'png', width: variant.width, height: variant.height });
      expect(variant).toMatchObject({
        key: `images/${sha256}/logo-${variant.width}x${variant.height}.png`,
        bytes: bytes.length,
        sha1: createHash('sha1').update(bytes).digest('hex'),
        crc32: crc32(bytes),
      });
    }
    const original = await findImage(context(), sha256);
    expect(original?.httpMetadata?.contentType).toBe('image/png');
    expect(Buffer.from(await original!.arrayBuffer()).equals(source)).toBe(true);
  });

  test('gives the same result again, and draws nothing twice', async () => {
    const source = (await newPng(90, 90)).toString('base64');
    const first = await importImage(context(), source, 'thumbnail', 'generic', 'images.thumbnail');
    const put = vi.fn(async (_: string) => null);
    const FILES = { ...facade(bindings.FILES), put };
    const again = context({ FILES: FILES as unknown as R2Bucket, IMAGES: {} as ImagesBinding });
    expect(await importImage(again, source, 'thumbnail', 'generic', 'images.thumbnail')).toEqual(first);
    expect(put.mock.calls).toEqual([]);
  });

  test('of 50 simultaneous imports, one draws each size, and all agree', async () => {
    const source = (await newPng(300, 300)).toString('base64');
    const widths: number[] = [];
    // The product uses nothing else of the binding, and repeats a drawing that fails.
    const draw = async (stream: ReadableStream<Uint8Array>, size: ImageTransform, to: ImageOutputOptions) => {
      const drawing = await bindings.IMAGES.input(stream).transform(size).output(to);
      widths.push(size.width!);
      return drawing;
    };
    const input = (stream: ReadableStream<Uint8Array>) => ({
      transform: (size: ImageTransform) => ({ output: (to: ImageOutputOptions) => draw(stream, size, to) }),
    });
    const env = { ADMIN_TOKEN: 'x', IMAGES: { input } as unknown as ImagesBinding };
    const images = await Promise.all(
      Array.from({ length: 50 }, () => importImage(context(env as Partial<Env>), source, 'icon', 'generic', 'icon')),
    );
    for (const image of images) expect(image).toEqual(images[0]);
    const sizes = Object.values(images[0]!.variants).map(({ width }) => width);
    expect(widths.sort((a, b) => a - b)).toEqual(sizes);
    const variant = images[0]!.variants['3']!;
    expect(
      createHash('sha1')
        .update(await stored(variant))
        .digest('hex'),
    ).toBe(variant.sha1);
  });

  test('of four large images, draws two at a time', async () => {
    // Not compressed, because the bytes decide what is large.
    const newLargePng = () => noise(520, 520).png({ compressionLevel: 0 }).toBuffer();
    const sources = await Promise.all([1, 2, 3, 4].map(async () => (await newLargePng()).toString('base64')));
    expect(Math.min(...sources.map(({ length }) => length))).toBeGreaterThan(1_000_000);
    const begun = new Set<string>();
    let [ended, atATime] = [0, 0];
    const head = (key: string) => {
      begun.add(key.split('/')[1]!);
      atATime = Math.max(atATime, begun.size - ended);
      return bindings.FILES.head(key);
    };
    const FILES = new Proxy(bindings.FILES, {
      get: (files, name) => (name === 'head' ? head : Reflect.get(files, name).bind(files)),
    });
    const load = imageLoader(context({ FILES }));
    await Promise.all(
      sources.map((source) => load(source, 'icon', { type: 'generic' }, 'icon').finally(() => ended++)),
    );
    expect([begun.size, atATime]).toEqual([4, 2]);
  });

  test('draws a size whose previous process crashed', async () => {
    const source = await newPng(120, 120);
    const sha256 = createHash('sha256').update(source).digest('hex');
    const key = `images/${sha256}/icon-38x38.png`;
    expect((await claimDrawings(context(), sha256, [key])).keys).toEqual([key]);
    expect((await claimDrawings(context(), sha256, [key])).keys).toEqual([]);
    await database.d1.prepare('update image_uses set expires_at = 1 where sha256 = ?').bind(sha256).all();
    const image = await importImage(context(), source.toString('base64'), 'icon', 'generic', 'icon');
    expect(sizes(image)).toHaveLength(3);
    const { results } = await database.d1.prepare('select user from image_uses where sha256 = ?').bind(sha256).all();
    expect(results).toEqual([{ user: expect.stringMatching(/^request:/) }]);
  });

  test('of two claims in the same millisecond, one gets the drawing', async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    for (const [first, second] of [
      [0.500_01, 0.500_02],
      [0.999_98, 0.999_99],
    ]) {
      const [sha256, key] = [randomBytes(32).toString('hex'), `images/${first}/icon-38x38.png`];
      vi.spyOn(Math, 'random').mockReturnValueOnce(first!).mockReturnValueOnce(second!);
      expect((await claimDrawings(context(), sha256, [key])).keys).toEqual([key]);
      expect((await claimDrawings(context(), sha256, [key])).keys).toEqual([]);
    }
  });

  test('a drawing that took too long leaves the claim of the import that draws it since', async () => {
    const sha256 = randomBytes(32).toString('hex');
    const keys = ['38x38', '76x76'].map((size) => `images/${sha256}/icon-${size}.png`);
    const slow = await claimDrawings(context(), sha256, keys);
    await database.d1.prepare('update image_uses set expires_at = 1 where sha256 = ?').bind(sha256).all();
    const next = await claimDrawings(context(), sha256, keys.slice(0, 1));
    expect(next.keys).toEqual(keys.slice(0, 1));
    await freeDrawings(context(), sha256, slow);
    expect((await claimDrawings(context(), sha256, keys)).keys).toEqual(keys.slice(1));
    await freeDrawings(context(), sha256, next);
    expect((await claimDrawings(context(), sha256, keys)).keys).toEqual(keys.slice(0, 1));
  });

  test('leaves out a scale that would repeat a smaller one', async () => {
    const tiny = await importImage(context(), (await newPng(20, 20)).toString('base64'), 'icon', 'generic', 'icon');
    expect(sizes(tiny)).toEqual([['1', 20, 20]]);
    const medium = await importImage(context(), (await newPng(76, 76)).toString('base64'), 'icon', 'generic', 'icon');
    expect(sizes(medium)).toEqual([
      ['1', 38, 38],
      ['2', 76, 76],
    ]);
  });

  test('keeps a PNG unchanged if it has the size already and is smaller', async () => {
    const source = readFileSync(join(DEMO_IMAGES, 'ember-strip.png'));
    const image = await importImage(context(), source.toString('base64'), 'strip', 'storeCard', 'images.strip');
    expect(sizes(image).at(-1)).toEqual(['3', 1_125, 432]);
    expect(Buffer.from(await stored(image.variants['3']!)).equals(source)).toBe(true);
  });

  test('rotates a JPEG upright', async () => {
    const source = await noise(400, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const url = `data:image/jpeg;base64,${source.toString('base64')}`;
    const image = await importImage(context(), url, 'thumbnail', 'generic', 'images.thumbnail');
    expect(image).toMatchObject({ width: 200, height: 400 });
    expect(sizes(image)[0]).toEqual(['1', 45, 90]);
    expect((await findImage(context(), image.sha256))?.httpMetadata?.contentType).toBe('image/jpeg');
  });

  test('a poster ticket has a larger background', async () => {
    const flat = sharp({ create: { width: 1_035, height: 1_515, channels: 3, background: '#481a5e' } });
    const source = (await flat.png().toBuffer()).toString('base64');
    const legacy = await importImage(context(), source, 'background', 'eventTicketBackground', 'background');
    const poster = await importImage(context(), source, 'background', 'eventTicket', 'background', 'posterEventTicket');
    expect(sizes(legacy)[2]).toEqual(['3', 540, 660]);
    expect(sizes(poster)[2]).toEqual(['3', 1_035, 1_515]);
  });

  test('fetches a URL', async () => {
    const source = await newPng(160, 50);
    served.set('/logo.png', source);
    const image = await importImage(context(), `${origin}/logo.png`, 'logo', 'generic', 'urlToLogo');
    expect(image.sha256).toBe(createHash('sha256').update(source).digest('hex'));
  });

  test('reads an address of this service without a request', async () => {
    const source = await newPng(160, 50);
    const first = await importImage(context(), source.toString('base64'), 'logo', 'generic', 'images.logo');
    const own = `${BASE_URL}/images/${first.sha256}`;
    expect(await importImage(context(), own, 'logo', 'generic', 'images.logo')).toEqual(first);
    await expect(importImage(context(), `${BASE_URL}/images/${'0'.repeat(64)}`, 'logo', 'generic', 'images.logo'))
      .rejects //
      .toThrow('images.logo: image is not importable from URL (the image does not exist)');
  });

  test.each([
    ['/missing.png', 'the server answered with status 404'],
    ['/moved', 'the server answered with a redirect, status 302'],
    ['/page.html', 'it is neither PNG nor JPEG'],
    ['/huge.png', 'it is larger than 5 MiB'],
  ])('rejects %s: %s', async (path, reason) => {
    served.set('/page.html', Buffer.from('<html></html>'));
    served.set('/huge.png', Buffer.alloc(5 * 1024 * 1024 + 1));
    const work = importImage(context(), origin + path, 'logo', 'generic', 'urlToLogo');
    await expect(work).rejects.toMatchObject({
      kind: 'invalid',
      message: `urlToLogo: image is not importable from URL (${reason})`,
    });
  });

  test('rejects a local address if local targets are not allowed', async () => {
    served.set('/local.png', await newPng(10, 10));
    await expect(importImage(context({}), `${origin}/local.png`, 'logo', 'generic', 'urlToLogo')).rejects.toMatchObject(
      {
        message: 'urlToLogo: image is not importable from URL (the URL must begin with https://)',
      },
    );
    const metadata = importImage(context({}), 'https://169.254.169.254/logo.png', 'logo', 'generic', 'urlToLogo');
    await expect(metadata).rejects.toThrow('private, local or reserved address');
  });

  test.each([
    ['no base64', 'no image!', 'it is neither a URL nor base64'],
    ['base64 of something else', btoa('something else'), 'it is neither PNG nor JPEG'],
    ['another scheme', 'ftp://example.com/logo.png', 'it is neither a URL nor base64'],
    ['a file too large', 'A'.repeat(7_500_000), 'it is larger than 5 MiB'],
  ])('rejects %s', async (_, source, reason) => {
    await expect(importImage(context(), source, 'icon', 'generic', 'images.icon')).rejects.toMatchObject({
      kind: 'invalid',
      message: `images.icon: image is not importable (${reason})`,
    });
  });

  test('rejects an image that cannot be decoded, and stores nothing', async () => {
    const source = (await newPng(200, 200)).subarray(0, 20_000);
    const work = importImage(context(), source.toString('base64'), 'icon', 'generic', 'images.icon');
    await expect(work).rejects.toThrow('images.icon: image is not importable (it cannot be decoded)');
    const prefix = `images/${createHash('sha256').update(source).digest('hex')}`;
    expect((await bindings.FILES.list({ prefix })).objects).toEqual([]);
  });
});

describe('findImage', () => {
  test.each(['', 'x', '0'.repeat(64), `../${'0'.repeat(61)}`, `${'0'.repeat(64)}/icon-38x38.png`])(
    'has nothing under "%s"',
    async (name) => {
      expect(await findImage(context(), name)).toBeNull();
    },
  );
});

describe('getAsset', () => {
  test('reads a variant once, and then from memory', async () => {
    const source = (await newPng(38, 38)).toString('base64');
    const image = await importImage(context(), source, 'icon', 'generic', 'images.icon');
    const variant = image.variants['1']!;
    const get = vi.fn((key: string) => bindings.FILES.get(key));
    const kept: Promise<unknown>[] = [];
    const ctx = {
      ...context({ FILES: { get } as unknown as R2Bucket }),
      waitUntil: (work: Promise<unknown>) => kept.push(work),
    };
    const [first, second] = await Promise.all([getAsset(ctx, variant), getAsset(ctx, variant)]);
    expect(await getAsset(ctx, variant)).toBe(first);
    expect(second).toBe(first);
    expect(first.length).toBe(variant.bytes);
    expect(get).toHaveBeenCalledTimes(1);
    expect(kept).toHaveLength(1);
  });

  test('rejects if the bucket has lost it, and retries the next time', async () => {
    const source = (await newPng(39, 39)).toString('base64');
    const { variants } = await importImage(context(), source, 'icon', 'generic', 'images.icon');
    const variant = variants['1']!;
    const empty = context({ FILES: { get: async () => null } as unknown as R2Bucket });
    await expect(getAsset(empty, variant)).rejects.toThrow(`image ${variant.key} is not in the bucket`);
    expect((await getAsset(context(), variant)).length).toBe(variant.bytes);
  });
});

/** Returns the bucket methods that importing calls, bound to it. */
function facade(bucket: R2Bucket): Pick<R2Bucket, 'get' | 'head'> {
  return { get: bucket.get.bind(bucket), head: bucket.head.bind(bucket) };
}
