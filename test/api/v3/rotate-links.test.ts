import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { costOf, d1, eventually, linkTokens } from '../../support/control.ts';
import { inboxOf } from '../../support/dev-inbox.ts';
import { recordedEvents } from '../../support/event-bodies.ts';
import { allPushed, heldPass, pushed, pushesTo } from '../../support/pushes.ts';
import { GOOGLE_ISSUER_ID } from '../../support/start-worker.ts';
import { unzip } from '../../wallets/apple/tools.ts';

type Path = `/${string}`;

let client: Client;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  const fields = { backFields: [{ key: 'page', label: 'Page', value: '{downloadPage}' }] };
  templateId = await client.createTemplate({ fields });
});

const rotate = (id: string, headers = {}): Promise<Reply> =>
  client.post(`/api/v3/pass/${id}/rotate-links?async=false`, undefined, headers);
const pathOf = (url: string) => new URL(url).pathname as Path;
const statusOf = async (path: Path) => (await send('GET', path)).status;
const created = async (data: object = {}): Promise<Record<'identifier' | 'downloadPage' | 'passFileUri', string>> =>
  (await client.post('/api/v3/pass?async=false', { data: { templateId, ...data } })).body.data;
const rowOf = async (id: string) =>
  (await d1<Record<string, unknown>>('select * from passes where id = ?', [id]))[0]! as Record<string, string | number>;

describe('rotating the links of a pass', () => {
  test('replies like a create, with links that work, and ends the old ones at once', async () => {
    const before = await created();
    const { identifier, downloadPage, passFileUri } = before;
    const picture = pathOf(passFileUri).replace('.pkpass', '.png') as Path;
    const old: Path[] = [pathOf(downloadPage), `/de${pathOf(downloadPage)}`, `${pathOf(downloadPage)}/pass.pkpass`];
    old.push(`${pathOf(downloadPage)}/barcode.svg`, pathOf(passFileUri), picture);
    for (const path of old) expect(await statusOf(path), path).toBe(200);
    const reply = await rotate(identifier);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, statusCode: 200, count: 1, errors: [] });
    expect(Object.keys(reply.body.data)).toEqual(Object.keys(before));
    const { data } = reply.body;
    expect(data).toMatchObject({ identifier, bundleId: null });
    for (const path of old) expect(await statusOf(path), path).toBe(404);
    for (const link of [data.downloadPage, data.passFileUri]) expect(await statusOf(pathOf(link))).toBe(200);
    const read = (await client.get(`/api/v3/pass/${identifier}`)).body.data;
    expect(read).toMatchObject({ downloadPage: data.downloadPage, passFileUri: data.passFileUri });
  });

  test('changes the pass, whose file shows the new link, and keeps its identity for devices', async () => {
    const { identifier, passFileUri } = await created();
    await send('GET', pathOf(passFileUri));
    const [before, tokens] = [await rowOf(identifier), await linkTokens(identifier)];
    const { data } = (await rotate(identifier)).body;
    const after = await rowOf(identifier);
    expect(after.version).toBe(Number(before.version) + 1);
    const json = JSON.parse(
      unzip((await send('GET', pathOf(data.passFileUri))).body)
        .get('pass.json')!
        .toString(),
    );
    expect(json.authenticationToken).toBe(tokens.authentication);
    expect(JSON.stringify(json)).toContain(data.downloadPage);
    expect(JSON.stringify(json)).not.toContain(tokens.page);
    const events = await recordedEvents(
      'pass_id = ? order by id',
      [identifier],
      new URL('/p/', data.downloadPage).href,
    );
    expect(events.map(({ type }) => type)).toEqual(['pass_created', 'pass_updated']);
    // Receivers get the link that the pass has at that time.
    const { linkToPassPage } = events[1]!.body;
    expect(data.downloadPage).toBe(`${linkToPassPage}${(await linkTokens(identifier)).page}`);
  });

  test('reaches wallets that have the pass, if it shows its link', async () => {
    const held = await heldPass(client, templateId);
    const { data } = (await rotate(held.pass.identifier)).body;
    await pushed(held.device);
    const objects = async () => inboxOf(`${GOOGLE_ISSUER_ID}.${held.pass.identifier}`);
    await d1('update passes set google_published_at = 1 where id = ?', [held.pass.identifier]);
    const again = (await rotate(held.pass.identifier)).body.data;
    expect(again.downloadPage).not.toBe(data.downloadPage);
    await eventually(async () => JSON.stringify(await objects()).includes(again.downloadPage));
    const plain = await heldPass(client, await client.createTemplate());
    await rotate(plain.pass.identifier);
    await allPushed(client);
    expect(await pushesTo(plain.device)).toEqual([]);
  });

  test('ends only the pass’s own link, not its bundle’s', async () => {
    const { identifier, downloadPage } = await created();
    const bundle = (await client.post('/api/v2/pass-bundle', { passes: [identifier] })).body.data;
    const { data } = (await rotate(identifier)).body;
    expect(data).toMatchObject({ bundleId: bundle.bundleId, downloadPage: bundle.urlToPass });
    expect(await statusOf(pathOf(bundle.urlToPass))).toBe(200);
    expect(await statusOf(pathOf(downloadPage))).toBe(404);
  });

  test('is found by each of its links and names afterwards', async () => {
    const { identifier } = await created({ userProvidedId: 'rotated' });
    const { data } = (await rotate('rotated')).body;
    expect(data.identifier).toBe(identifier);
    for (const field of ['downloadPage', 'passFileUri']) {
      const query = { groups: [[{ field, operator: 'equals', value: data[field] }]] };
      const found = (await client.post('/api/v3/passinstance/search', { query })).body.data;
      expect(found.map((row: { identifier: string }) => row.identifier)).toEqual([identifier]);
    }
  });

  test('happens once with the same Idempotency-Key', async () => {
    const { identifier } = await created();
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const [first, again] = [await rotate(identifier, key), await rotate(identifier, key)];
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await statusOf(pathOf(first.body.data.downloadPage))).toBe(200);
  });

  test('in parallel leaves one set of links valid', async () => {
    const { identifier } = await created();
    const replies = await Promise.all(Array.from({ length: 5 }, () => rotate(identifier)));
    const links = replies.filter(({ status }) => status === 200).map(({ body }) => pathOf(body.data.downloadPage));
    const statuses = await Promise.all(links.map(statusOf));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await rowOf(identifier)).version).toBe(1 + links.length);
  });

  test('costs a read and a write', async () => {
    const { identifier } = await created();
    expect((await costOf(await rotate(identifier))).roundTrips).toBeLessThanOrEqual(3);
  });

  test('finds no pass of another account', async () => {
    const { identifier } = await created();
    const stranger = await freshAccount();
    expect((await stranger.post(`/api/v3/pass/${identifier}/rotate-links`)).status).toBe(404);
    expect((await rotate(crypto.randomUUID())).status).toBe(404);
  });
});
