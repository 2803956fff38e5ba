import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { STEPS, type Watch, watched } from '../domain/account-moves/watched-database.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* An account moves while its events or images wait. The old database still has other accounts. */

let service: ServiceInProcess;
let unwatched: D1Database;
/** Paths of delivered events. */
const delivered: string[] = [];
let image: Uint8Array<ArrayBuffer>;
let areImagesServed: boolean;

beforeEach(async () => {
  delivered.length = 0;
  service = await new ServiceInProcess({ databases: 3 }).open();
  unwatched = databases().DB_1!;
  const picture = { create: { width: 100, height: 100, channels: 3, background: '#1d3557' } } as const;
  image = new Uint8Array(await sharp(picture).png().toBuffer());
  areImagesServed = true;
  vi.stubGlobal('fetch', async (input: string | URL) => {
    const { hostname, pathname } = new URL(input);
    if (hostname.startsWith('images')) return areImagesServed ? new Response(image) : new Response('', { status: 503 });
    delivered.push(pathname);
    return new Response('');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

const databases = () => service.env as unknown as Record<string, D1Database>;

/** Has `look` see each round trip of the first account's database before it. */
function watch(look: Watch): void {
  databases().DB_1 = watched(unwatched, look);
}

/** Creates an account with a webhook in a database, and returns a function that creates a pass. */
async function account(database: string, name: string) {
  const { accountId, apiKey } = await service.newAccount(database);
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const pictured = sampleTemplate({ images: { perPassImages: { thumbnail: true } } });
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', pictured);
  await send('POST', '/api/hook/subscribe', { target_url: `https://hooks.example.com/${name}`, event: 'pass_created' });
  const create = (data: object = {}): Promise<{ identifier: string }> =>
    send('POST', '/api/v3/pass', { data: { templateId, ...data } });
  return { accountId, create };
}

test('delivers the events of other accounts at once, after an account with waiting events has moved away', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await service.minutes(2);
  await moving.create();
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  await staying.create();
  await service.until(async () => delivered.includes('/staying') && delivered.includes('/moving'), 3);
  await service.minutes(30);
  expect(delivered.toSorted()).toEqual(['/moving', '/staying']);
});

test('delivers the events of other accounts at once while a move refuses the writes of an account with waiting events', async () => {
  // The database compares the time of the refusal with its own clock.
  vi.setSystemTime(vi.getRealSystemTime());
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await moving.create();
  let minutes: number | undefined;
  watch(async (statements) => {
    if (minutes !== undefined || !STEPS.seals.test(statements)) return;
    minutes = Number.NaN;
    await staying.create();
    minutes = await service.until(async () => delivered.includes('/staying'));
  });
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  expect(minutes).toBe(0);
  expect(await service.until(async () => delivered.includes('/moving'))).toBe(0);
  await service.minutes(30);
  expect(delivered.toSorted()).toEqual(['/moving', '/staying']);
});

test('delivers the events of other accounts at once after a move died before its switch, and the account’s own after it', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await moving.create();
  let isSealed = false;
  let isDead = false;
  watch((statements) => {
    isDead ||= isSealed;
    if (isDead) throw new Error('the command died');
    isSealed ||= STEPS.seals.test(statements);
  });
  await expect(service.admin('account move', { id: moving.accountId, to: 'DB_2' })).rejects.toThrow();
  watch(() => {});
  await staying.create();
  expect(await service.until(async () => delivered.includes('/staying'))).toBe(0);
  expect(delivered).toEqual(['/staying']);
  await service.minutes(5);
  expect(delivered).toEqual(['/staying', '/moving']);
});

test('imports the images of other accounts on time, after an account with waiting images has moved away', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  areImagesServed = false;
  const passes = [];
  for (const { create } of [moving, staying]) {
    passes.push(await create({ urlToThumbnail: 'https://images.example.com/thumbnail.png' }));
  }
  await service.until(async () => true);
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  areImagesServed = true;
  const imported = `select count(distinct pass.id) from passes as pass, json_each(?) as named
    where pass.id = named.value and json_extract(appearance, '$.images.thumbnail') is not null`;
  const ids = JSON.stringify(passes.map(({ identifier }) => identifier));
  await service.until(async () => (await service.count(imported, [ids])) === 2, 5);
  await service.minutes(5);
  const { backlog } = await service.admin<{ backlog: Record<string, { waiting: number }> }>('status', {});
  expect(backlog.images!.waiting).toBe(0);
});
