import { createHash } from 'node:crypto';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAccountSettings } from '../../../src/domain/accounts/account-settings.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { keepImage, releaseImages } from '../../../src/domain/images/hold-images.ts';
import { importImage } from '../../../src/domain/images/import-image.ts';
import { sweepImages } from '../../../src/domain/images/sweep-images.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deleteTemplatePasses } from '../../../src/domain/passes/deletion/delete-all-passes.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { deleteTemplate } from '../../../src/domain/templates/delete-template.ts';
import type { Env } from '../../../src/platform/env.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const MINUTE_MS = 60_000;

let miniflare: Miniflare;
let database: LocalDatabase;
let bindings: Pick<Env, 'FILES' | 'IMAGES'>;
let owner: AccountContext;
let templateId: string;
const queue: FakeQueue = { jobs: [], isDown: false };

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
  owner = await database.accountContext();
  const images = { perPassImages: { thumbnail: true, background: true, logo: true } };
  templateId = await asRequest((ctx) => makeTemplate(ctx, { images }));
});
afterAll(() => Promise.all([miniflare.dispose(), database.close()]));

/** Returns the context of a new request. */
function newContext(): AccountContext {
  const { env, ...context } = database.context();
  return withQueue({ ...context, env: { ...env, ...bindings }, account: owner.account }, queue);
}

/** Runs work like a request, which releases its images when it ends, however it ends. */
async function asRequest<T>(work: (ctx: AccountContext) => Promise<T>): Promise<T> {
  const ctx = newContext();
  try {
    return await work(ctx);
  } finally {
    await releaseImages(ctx);
  }
}

const sweep = (now = Date.now()) => sweepImages(newContext(), now);

async function newPicture() {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const bytes = await sharp({ create: { width: 16, height: 16, channels: 3, noise, background: '#000' } })
    .png()
    .toBuffer();
  return { source: bytes.toString('base64'), sha256: createHash('sha256').update(bytes).digest('hex') };
}

const filesOf = async (sha256: string) =>
  (await bindings.FILES.list({ prefix: `images/${sha256}` })).objects.map(({ key }) => key);

const create = (fields: Record<string, unknown>, wait = true) =>
  asRequest(async (ctx) => (await createPass(ctx, templateId, fields, { wait })).pass.id);
const remove = (id: string) => asRequest((ctx) => deletePass(ctx, id, async () => {}));
const addressOf = (sha256: string) => `${owner.baseUrl}/images/${sha256}`;

describe('an image', () => {
  test('is deleted with its drawings once no pass shows it', async () => {
    const { source, sha256 } = await newPicture();
    const [first, second] = [await create({ urlToThumbnail: source }), await create({ urlToLogo: source })];
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await remove(first);
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await remove(second);
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
    expect((await database.d1.prepare('select * from image_uses where sha256 = ?').bind(sha256).all()).results).toEqual(
      [],
    );
    expect(
      (await database.d1.prepare('select * from image_checks where sha256 = ?').bind(sha256).all()).results,
    ).toEqual([]);
  });

  test('is deleted once a pass shows another one, or none', async () => {
    const [one, other] = [await newPicture(), await newPicture()];
    const id = await create({ urlToThumbnail: one.source });
    await asRequest((ctx) => patchPass(ctx, id, { urlToThumbnail: other.source }, { wait: true }));
    await sweep();
    expect(await filesOf(one.sha256)).toEqual([]);
    expect((await filesOf(other.sha256)).length).toBeGreaterThanOrEqual(2);
    await asRequest((ctx) => patchPass(ctx, id, { urlToThumbnail: null }, { wait: true }));
    await sweep();
    expect(await filesOf(other.sha256)).toEqual([]);
  });

  test('stays while the same pass shows it elsewhere', async () => {
    const { source, sha256 } = await newPicture();
    const id = await create({ urlToThumbnail: source, urlToLogo: source });
    await asRequest((ctx) => patchPass(ctx, id, { urlToThumbnail: null }, { wait: true }));
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
  });

  test('that a template shows is deleted with the template, and not before', async () => {
    const { source, sha256 } = await newPicture();
    const images = { icon: source, perPassImages: { thumbnail: true } };
    const template = await asRequest((ctx) => makeTemplate(ctx, { images }));
    const id = await asRequest(
      async (ctx) => (await createPass(ctx, template, { urlToThumbnail: source }, { wait: true })).pass.id,
    );
    await remove(id);
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await asRequest((ctx) => deleteTemplate(ctx, template));
    await asRequest((ctx) =>
      deleteTemplatePasses(ctx, { accountId: ctx.account.id, templateId: template }, async () => {}),
    );
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('that an account shows by its address stays until it shows another', async () => {
    const { source, sha256 } = await newPicture();
    const id = await create({ urlToThumbnail: source });
    const { name, timezone, language } = owner.account;
    const settings = (logoUrl: string) => {
      const others = {
        name,
        timezone,
        language,
        iconUrl: '',
        replyTo: '',
        userProvidedLinks: true,
        requirePasskey: false,
      };
      return asRequest((ctx) => changeAccountSettings(ctx, { ...others, logoUrl }));
    };
    await settings(addressOf(sha256));
    await remove(id);
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await settings('');
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('stays for a pass that has requested it by its address and is still waiting', async () => {
    const { source, sha256 } = await newPicture();
    const first = await create({ urlToThumbnail: source });
    const second = await create({ urlToThumbnail: addressOf(sha256) }, false);
    await remove(first);
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await remove(second);
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('of a rejected pass is deleted, too', async () => {
    const { source, sha256 } = await newPicture();
    const fields = { userProvidedId: `taken-${sha256}`, enforceUniqueUserProvidedId: true };
    await create(fields);
    await expect(create({ ...fields, urlToThumbnail: source })).rejects.toThrow('unique');
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('is held by the request that imports it, for at most the duration of a request', async () => {
    const { source, sha256 } = await newPicture();
    const id = await create({ urlToThumbnail: source });
    await importImage(newContext(), source, 'thumbnail', 'generic', 'field');
    await remove(id);
    await sweep();
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    // It crashed with its Worker, and released nothing.
    await sweep(Date.now() + 21 * MINUTE_MS);
    await sweep(Date.now() + 22 * MINUTE_MS);
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('is kept for work in progress, for the requested time', async () => {
    const { source, sha256 } = await newPicture();
    await asRequest(async (ctx) => {
      await importImage(ctx, source, 'icon', 'generic', 'field');
      await keepImage(ctx, sha256, 60 * MINUTE_MS);
    });
    await sweep(Date.now() + 59 * MINUTE_MS);
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
    await sweep(Date.now() + 61 * MINUTE_MS);
    await sweep(Date.now() + 62 * MINUTE_MS);
    expect(await filesOf(sha256)).toEqual([]);
  });
});

describe('deleting while passes are created', () => {
  test('loses none of their images', async () => {
    const { source, sha256 } = await newPicture();
    let shown = [await create({ urlToThumbnail: source })];
    for (let round = 0; round < 12; round++) {
      const made = await Promise.all([
        ...shown.map((id) => remove(id).then(() => sweep())),
        ...[sweep(), sweep(), sweep()],
        ...Array.from({ length: 4 }, () => create({ urlToThumbnail: source })),
        ...[sweep(), sweep()],
      ]);
      shown = made.filter((id) => id !== undefined);
      expect(shown).toHaveLength(4);
      const [row] = (
        await database.d1.prepare('select appearance from passes where id = ?').bind(shown[0]).all<{
          appearance: string;
        }>()
      ).results;
      const { thumbnail } = JSON.parse(row!.appearance).images;
      const drawn = Object.values<{ key: string }>(thumbnail.variants).map(({ key }) => key);
      expect(await filesOf(sha256)).toEqual(expect.arrayContaining([`images/${sha256}`, ...drawn]));
    }
    await Promise.all(shown.map(remove));
    await sweep();
    expect(await filesOf(sha256)).toEqual([]);
  });

  test('makes an import of the same files wait for the deletion', async () => {
    const { source, sha256 } = await newPicture();
    await remove(await create({ urlToThumbnail: source }));
    const ctx = newContext();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: deleting, resolve: begun } = Promise.withResolvers<void>();
    const slow = Object.create(bindings.FILES, {
      list: { value: (options: R2ListOptions) => bindings.FILES.list(options) },
      delete: {
        value: async (keys: string[]) => {
          begun();
          await held;
          await bindings.FILES.delete(keys);
        },
      },
    }) as R2Bucket;
    const swept = sweepImages({ ...ctx, env: { ...ctx.env, FILES: slow } });
    await deleting;
    const created = create({ urlToThumbnail: source });
    release();
    await swept;
    await created;
    expect((await filesOf(sha256)).length).toBeGreaterThanOrEqual(2);
  });
});
