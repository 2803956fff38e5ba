import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* A job imports the images of a pass. An isolate has 128 MiB, and the images' servers belong to others. */

const LANGUAGES = ['de', 'fr', 'it', 'nl'];

let service: ServiceInProcess;
const downloads = { all: 0, now: 0, most: 0 };
const drawings = { now: 0, most: 0 };
/** The images of the server, by path. */
let images: Map<string, Uint8Array<ArrayBuffer>>;

beforeEach(async () => {
  Object.assign(downloads, { all: 0, now: 0, most: 0 });
  Object.assign(drawings, { now: 0, most: 0 });
  images = new Map();
  service = await new ServiceInProcess().open();
  const { IMAGES } = service.env;
  const input = (stream: ReadableStream<Uint8Array>) => ({
    transform: (size: ImageTransform) => ({
      output: async (options: ImageOutputOptions) => {
        drawings.now += 1;
        drawings.most = Math.max(drawings.most, drawings.now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        const drawn = await IMAGES.input(stream).transform(size).output(options);
        drawings.now -= 1;
        return drawn;
      },
    }),
  });
  service.env.IMAGES = { input } as unknown as ImagesBinding;
  vi.stubGlobal('fetch', async (address: string | URL) => {
    downloads.all += 1;
    downloads.now += 1;
    downloads.most = Math.max(downloads.most, downloads.now);
    await new Promise((resolve) => setTimeout(resolve, 20));
    downloads.now -= 1;
    return new Response(images.get(new URL(address).pathname));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

/** Creates a pass with a background for each language, and waits until it shows all of them. */
async function createPass(pathOf: (language: string) => string, languages = LANGUAGES): Promise<void> {
  const template = sampleTemplate({ images: { perPassImages: { background: true } }, translationsEnabled: true });
  const templateId = (await service.request('POST', '/api/v2/pass-template', template)).body.data.identifier;
  const named = languages.map((language) => [language, `https://images.example.com${pathOf(language)}`]);
  const data = { templateId, localizedBackgroundImages: Object.fromEntries(named) };
  expect((await service.request('POST', '/api/v3/pass', { data })).status).toBe(200);
  const shown = "select count(*) from passes, json_each(appearance, '$.localizedBackgrounds')";
  await service.until(async () => (await service.count(shown)) === languages.length, 5);
}

async function newImage(side: number): Promise<Uint8Array<ArrayBuffer>> {
  const raw = { width: side, height: side, channels: 3 } as const;
  return new Uint8Array(
    await sharp(randomBytes(side * side * 3), { raw })
      .png()
      .toBuffer(),
  );
}

test('an image of several languages is downloaded once', async () => {
  images.set('/same.png', await newImage(100));
  await createPass(() => '/same.png');
  expect(downloads.all).toBe(1);
});

test('four large images are downloaded at once, and two are drawn at a time, in up to three sizes', async () => {
  for (const language of LANGUAGES) images.set(`/${language}.png`, await newImage(800));
  expect(images.get('/de.png')!.length).toBeGreaterThan(1_000_000);
  await createPass((language) => `/${language}.png`);
  expect([downloads.all, downloads.most]).toEqual([4, 4]);
  expect(drawings.most).toBeLessThanOrEqual(6);
});

test('a job asks slow servers for half a minute, and leaves the other images to a later one', async () => {
  const languages = ['bg', 'cs', 'da', 'el', 'en', 'es', 'et', 'fi', 'hr', 'hu', 'lt', 'lv'];
  const image = await newImage(100);
  const askedAt: number[] = [];
  vi.stubGlobal('fetch', async () => {
    askedAt.push(Date.now());
    vi.setSystemTime(Date.now() + 9_000);
    return new Response(image);
  });
  await createPass((language) => `/${language}.png`, languages);
  expect(askedAt).toHaveLength(languages.length);
  const pauses = askedAt.slice(1).map((at, i) => at - askedAt[i]!);
  // Nine seconds for each image, and a minute until the next job.
  expect(pauses.findIndex((pause) => pause > 30_000)).toBe(3);
});
