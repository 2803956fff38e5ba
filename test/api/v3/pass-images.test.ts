import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually, sendJobs } from '../../support/control.ts';
import { type OutsideServer, openOutsideServer } from '../../support/outside-server.ts';

/* A pass's images come from servers that may be slow or unreachable, while the pass keeps changing. */

const IMAGES = ['lindhof-icon.png', 'lindhof-logo.png'].map((name) => readFileSync(`scripts/demo/images/${name}`));

let client: Client;
let templateId: string;
let outside: OutsideServer;
/** Releases all paths that begin with `/slow`. */
let release: () => void;
let released: Promise<void>;
const paths: string[] = [];
let asked = 0;
let askedAtOnce = 0;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({
    images: { perPassImages: { thumbnail: true, background: true, logo: true } },
    translationsEnabled: true,
  });
  outside = await openOutsideServer(async ({ path }) => {
    paths.push(path);
    asked += 1;
    askedAtOnce = Math.max(askedAtOnce, asked);
    if (path.startsWith('/slow')) await released;
    else {
      // On a slow machine the first answer would otherwise be sent before the fourth request arrives.
      if (path.startsWith('/many')) await eventually(() => askedAtOnce >= 4);
      // Long enough for simultaneous requests to overlap.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    asked -= 1;
    return { body: path.includes('bad') ? 'no image' : IMAGES[path.includes('other') ? 1 : 0]! };
  });
});
afterAll(() => outside.close());

function holdSlowOnes(): void {
  released = new Promise((resolve) => {
    release = resolve;
  });
}

const url = (path: string) => `${outside.origin}/${path}.png`;
const patch = (id: string, data: object, query = '') => client.patch(`/api/v3/pass/${id}${query}`, { data });
const timesAsked = (path: string) => paths.filter((one) => one === `/${path}.png`).length;
const received = (path: string, count = 1) => outside.received(count, (request) => request.path === `/${path}.png`);

async function create(data: object): Promise<string> {
  const reply = await client.post('/api/v3/pass', { data: { templateId, ...data } });
  expect(reply.status).toBe(200);
  return reply.body.data.identifier;
}

interface Row {
  version: number;
  modifiedAt: number;
  // biome-ignore lint/suspicious/noExplicitAny: what stands in it is what the tests are there to find out
  appearance: any;
}

async function rowOf(id: string): Promise<Row> {
  const [row] = await d1<Omit<Row, 'appearance'> & { appearance: string }>(
    'select version, modified_at as modifiedAt, appearance from passes where id = ?',
    [id],
  );
  return { ...row!, appearance: JSON.parse(row!.appearance) };
}

/** Waits until no image of the pass is pending, and returns the pass. */
const settled = (id: string) =>
  eventually(async () => {
    const row = await rowOf(id);
    return !row.appearance.pendingImages && row;
  });

const eventsOf = async (id: string) =>
  (await d1<{ type: string }>('select type from account_events where pass_id = ? order by id', [id])).map(
    ({ type }) => type,
  );

describe('an image that is still being imported', () => {
  test('is imported even if other fields change meanwhile', async () => {
    holdSlowOnes();
    const id = await create({ urlToThumbnail: url('slow-a'), localizedBackgroundImages: { de: url('slow-a-de') } });
    await received('slow-a');
    expect((await patch(id, { storedValue: 1 })).status).toBe(200);
    expect((await client.post(`/api/pass/${id}`, { voided: true })).status).toBe(200);
    release();
    const { appearance } = await settled(id);
    expect(Object.keys(appearance.images)).toEqual(['thumbnail']);
    expect(Object.keys(appearance.localizedBackgrounds)).toEqual(['de']);
    expect((await client.get(`/api/pass/${id}`)).body).toMatchObject({ storedValue: 1, voided: true });
    expect(timesAsked('slow-a')).toBe(1);
  });

  test('is fetched once by a request that waits for it, however often the pass changes meanwhile', async () => {
    holdSlowOnes();
    const id = await create({});
    const waiting = patch(id, { urlToThumbnail: url('slow-once') }, '?async=false');
    await received('slow-once');
    expect((await patch(id, { storedValue: 2 })).status).toBe(200);
    release();
    expect((await waiting).status).toBe(200);
    const { version, appearance } = await rowOf(id);
    expect([version, Object.keys(appearance.images)]).toEqual([3, ['thumbnail']]);
    expect(timesAsked('slow-once')).toBe(1);
  });

  test('is imported together with one requested later', async () => {
    holdSlowOnes();
    const id = await create({ urlToThumbnail: url('slow-b') });
    await received('slow-b');
    await patch(id, { urlToLogo: url('other-b') });
    release();
    const { appearance } = await settled(id);
    expect(Object.keys(appearance.images).sort()).toEqual(['logo', 'thumbnail']);
    expect(appearance.images.logo.sha256).not.toBe(appearance.images.thumbnail.sha256);
  });

  test('is not imported if it was replaced or cleared meanwhile', async () => {
    // One after another: jobs of one batch wait for each other's downloads.
    const changed = async (path: string, data: object, change: object, query?: string) => {
      holdSlowOnes();
      const id = await create({ urlToThumbnail: url(path), ...data });
      await received(path);
      await patch(id, change, query);
      release();
      return (await settled(id)).appearance;
    };
    const { sha256 } = (await changed('slow-e', {}, { urlToThumbnail: url('other-e') }, '?async=false')).images
      .thumbnail;
    expect((await changed('slow-c', {}, { urlToThumbnail: url('other-c') })).images.thumbnail.sha256).toBe(sha256);
    const { images, localizedBackgrounds } = await changed(
      'slow-d',
      { localizedBackgroundImages: { de: url('slow-d-de'), en: url('slow-d-en') } },
      { urlToThumbnail: null, localizedBackgroundImages: { de: null, en: url('other-d-en') } },
    );
    expect([images, Object.keys(localizedBackgrounds)]).toEqual([undefined, ['en']]);
    expect(localizedBackgrounds.en.sha256).toBe(sha256);
  });

  test('neither delays nor fails a request that waits for its own image', async () => {
    holdSlowOnes();
    const id = await create({ urlToThumbnail: url('slow-bad') });
    await received('slow-bad');
    const reply = await client.post(`/api/pass/${id}`, { urlToLogo: url('f') });
    expect([reply.status, Object.keys((await rowOf(id)).appearance.images)]).toEqual([200, ['logo']]);
    release();
    expect(Object.keys((await settled(id)).appearance.images)).toEqual(['logo']);
  });
});

describe('an image that cannot be imported', () => {
  test('does not affect others', async () => {
    const id = await create({
      urlToThumbnail: url('bad'),
      urlToLogo: url('g'),
      localizedBackgroundImages: { de: url('bad-de'), en: url('g-en') },
    });
    const { appearance, version } = await settled(id);
    expect(Object.keys(appearance.images)).toEqual(['logo']);
    expect(Object.keys(appearance.localizedBackgrounds)).toEqual(['en']);
    expect(version).toBe(2);
  });

  test('does not change the pass, and creates no event', async () => {
    const id = await create({ urlToThumbnail: url('bad-h') });
    const { modifiedOn } = (await client.get(`/api/pass/${id}`)).body;
    const { version } = await settled(id);
    expect(version).toBe(1);
    expect((await client.get(`/api/pass/${id}`)).body.modifiedOn).toBe(modifiedOn);
    await sendJobs([{ type: 'import-pass-images', passId: id }], client);
    expect(await eventsOf(id)).toEqual(['pass_created']);
  });

  test('makes the whole request that waits for it fail', async () => {
    const made = await client.createPass(templateId, { urlToThumbnail: url('i') });
    const before = await rowOf(made.identifier);
    const refused = await patch(made.identifier, { urlToLogo: url('i'), urlToThumbnail: url('bad') }, '?async=false');
    expect([refused.status, refused.body.errors.join()]).toEqual([400, expect.stringContaining('urlToThumbnail')]);
    expect(await rowOf(made.identifier)).toEqual(before);
  });
});

describe('backgrounds in languages', () => {
  const languages = (count: number, path: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `x${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}`,
        url(`${path}-${i}`),
      ]),
    );

  test('are at most 50', async () => {
    const data = { templateId, localizedBackgroundImages: languages(51, 'never') };
    const refused = await client.post('/api/v3/pass', { data });
    expect([refused.status, refused.body.errors.join()]).toEqual([
      400,
      expect.stringContaining('localizedBackgroundImages: must have at most 50 languages'),
    ]);
    expect(outside.requests.filter(({ path }) => path.startsWith('/never'))).toEqual([]);
  });

  test('are fetched four at a time', async () => {
    askedAtOnce = 0;
    const id = await create({ localizedBackgroundImages: languages(50, 'many') });
    const { appearance } = await settled(id);
    expect(Object.keys(appearance.localizedBackgrounds)).toHaveLength(50);
    expect(askedAtOnce).toBe(4);
  });
});

test.each(['v1', 'v3'])('an empty address clears an image in %s, as null does', async (version) => {
  const localizedBackgroundImages = { de: url('j'), en: url('j') };
  const { identifier: id } = await client.createPass(templateId, {
    urlToThumbnail: url('j'),
    localizedBackgroundImages,
  });
  const update = (data: object) =>
    version === 'v1' ? client.post(`/api/pass/${id}`, data) : patch(id, data, '?async=false');
  expect((await update({ urlToThumbnail: '', localizedBackgroundImages: { de: '', en: url('j') } })).status).toBe(200);
  const { images, localizedBackgrounds } = (await rowOf(id)).appearance;
  expect([images, Object.keys(localizedBackgrounds)]).toEqual([undefined, ['en']]);
  expect((await update({ localizedBackgroundImages: {} })).status).toBe(200);
  expect((await rowOf(id)).appearance).toEqual({});
});
