import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount, type Reply, send } from '../../support/api.ts';
import { costOf } from '../../support/control.ts';
import { unzip } from '../../wallets/apple/tools.ts';

const IPHONE = { 'User-Agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Safari/604.1' };
const ANDROID = { 'User-Agent': 'Mozilla/5.0 (Linux; Android 16) Chrome/140 Mobile Safari/537.36' };
const PIN = '2468';

type Path = `/${string}`;

let client: Client;
let templateId: string;
let guardedTemplateId: string;

beforeAll(async () => {
  client = await freshAccount();
  const translations = { de: { 'Membership card': 'Mitgliedskarte', Member: 'Mitglied' } };
  templateId = await client.createTemplate({ translationsEnabled: true, translations });
  guardedTemplateId = await client.createTemplate({ downloadPinEnabled: true, preventDownloadWhenActive: true });
});

async function bundled(...passes: CreatedPass[]): Promise<{ bundleId: string; path: Path }> {
  const reply = await client.post('/api/v2/pass-bundle', { passes: passes.map(({ identifier }) => identifier) });
  const { bundleId, urlToPass } = reply.body.data;
  return { bundleId, path: new URL(urlToPass).pathname as Path };
}

const member = (name: string) => client.createPass(templateId, { 'Full name': name });
const serials = (reply: Reply): string[] =>
  [...unzip(reply.body)].map(
    ([, file]) => JSON.parse(unzip(new Uint8Array(file)).get('pass.json')!.toString()).serialNumber,
  );

describe('the page of a bundle', () => {
  test('shows all its passes', async () => {
    const { path } = await bundled(await member('Ada Lovelace'), await member('Grace Hopper'));
    const { status, body, headers } = await send('GET', path);
    expect((await send('GET', `${path}?print`)).body).toContain('<h1>Your passes</h1>');
    expect(status).toBe(200);
    expect(body).toContain('<h1>Your passes</h1>');
    expect(body.match(/<article class="card /g)).toHaveLength(2);
    expect(body).toContain('Ada Lovelace');
    expect(body).toContain('Grace Hopper');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const german = await send('GET', `/de${path}`);
    expect(german.body).toContain('<h1>Ihre Karten</h1>');
    expect(german.body).toContain('<dt><bdi>Mitglied</bdi></dt>');
    expect(german.body).toContain(`href="/en${path}"`);
  });

  test('offers each device one way to add them all', async () => {
    const { path } = await bundled(await member('One'), await member('Two'));
    const iphone = await send('GET', path, undefined, IPHONE);
    expect(iphone.body).toContain(`<a class="wallet-button apple" href="${path}/passes.pkpasses">`);
    expect(iphone.body).toContain('Add all to Apple Wallet');
    const android = await send('GET', path, undefined, ANDROID);
    expect(android.body).toMatch(/<a class="wallet-button google" href="https:\/\/pay\.google\.com/);
    const desktop = await send('GET', path);
    expect(desktop.body).toMatch(/wallet-button apple.*wallet-button google.*class="scan".*Add them on your phone/s);
  });

  test('saves all objects to Google Wallet with one link', async () => {
    const passes = [await member('One'), await member('Two'), await member('Three')];
    const { path } = await bundled(...passes);
    const { body } = await send('GET', path, undefined, ANDROID);
    const jwt = /href="https:\/\/pay\.google\.com\/gp\/v\/save\/([^"]+)"/.exec(body)![1]!;
    const { payload } = JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString());
    const ids = payload.genericObjects.map(({ id }: { id: string }) => id.split('.')[1]);
    expect(ids).toEqual(passes.map(({ identifier }) => identifier).sort());
  });

  test('links to each pass, whose own page does not change', async () => {
    const [one, two] = [await member('One'), await member('Two')];
    const { path } = await bundled(one, two);
    const { body } = await send('GET', path);
    for (const pass of [one, two]) {
      const own = new URL(pass.linkToPassPage).pathname as Path;
      expect(body).toContain(`href="${own}"`);
      const page = await send('GET', own);
      expect(page.body.match(/<article class="card /g)).toHaveLength(1);
      expect(page.body).not.toContain(path);
    }
  });

  test('also opens by the names of its passes, as in their downloadPage', async () => {
    const one = await client.createPass(templateId, { userProvidedId: 'of-a-bundle' });
    await bundled(one, await member('Two'));
    const names = [`/p/${one.identifier}`, `/p/${client.accountId}/of-a-bundle`, `/de/p/${one.identifier}`] as const;
    for (const name of names) {
      const { body } = await send('GET', name);
      expect(body.match(/<article class="card /g)).toHaveLength(2);
      expect(body).toContain(`href="${name.replace(/^\/de/, '')}/passes.pkpasses"`);
      expect((await send('GET', `${name}?print`)).body).toContain('class="sheet"');
    }
  });

  test('is read without a table scan, and changes nothing', async () => {
    const { path } = await bundled(await member('One'), await member('Two'));
    const cost = await costOf(await send('GET', path));
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
    expect(cost.rowsRead).toBeLessThanOrEqual(30);
    expect(cost.rowsWritten).toBe(0);
  });

  test('ends with the bundle, with a page that says so', async () => {
    const { path, bundleId } = await bundled(await member('One'));
    await client.delete(`/api/v2/pass-bundle/${bundleId}`);
    const reply = await send('GET', path);
    expect(reply.status).toBe(404);
    expect(reply.body).toContain('<h1>Pass not found</h1>');
    expect((await send('GET', `${path}/passes.pkpasses`)).status).toBe(404);
  });

  test('accepts no forms', async () => {
    const { path } = await bundled(await member('One'));
    expect((await send('POST', path, 'pin=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(
      404,
    );
    expect((await send('GET', `${path}/barcode.svg`)).status).toBe(404);
    expect((await send('GET', `${path}/pass.pkpass`)).status).toBe(404);
  });
});

describe('the file of a bundle', () => {
  test('contains the signed file of every pass', async () => {
    const passes = [await member('One'), await member('Two'), await member('Three')];
    const { path } = await bundled(...passes);
    const reply = await send('GET', `${path}/passes.pkpasses`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toBe('application/vnd.apple.pkpasses');
    expect(reply.headers.get('Content-Disposition')).toContain('.pkpasses');
    expect(reply.headers.get('X-Pass-Signature')).toBe('development');
    expect(serials(reply)).toEqual(passes.map(({ identifier }) => identifier).sort());
    const again = await send('GET', `${path}/passes.pkpasses`);
    expect(serials(again)).toEqual(serials(reply));
  });

  test('can contain ten', async () => {
    const passes = await Promise.all(Array.from({ length: 10 }, (_, i) => member(`${i}`)));
    const { path } = await bundled(...passes);
    expect(serials(await send('GET', `${path}/passes.pkpasses`))).toHaveLength(10);
  });

  test('omits passes that are not for Apple Wallet', async () => {
    const googleOnly = await client.createPass(
      await client.createTemplate({ walletApps: { apple: false, google: true } }),
    );
    const one = await member('One');
    const both = await bundled(one, googleOnly);
    expect(serials(await send('GET', `${both.path}/passes.pkpasses`))).toEqual([one.identifier]);
    const alone = await bundled(googleOnly);
    expect((await send('GET', alone.path)).body).not.toContain('pkpasses');
    expect((await send('GET', `${alone.path}/passes.pkpasses`)).status).toBe(404);
  });

  test('exists only for bundles', async () => {
    const pass = await member('One');
    expect((await send('GET', `${new URL(pass.linkToPassPage).pathname as Path}/passes.pkpasses`)).status).toBe(404);
  });
});

describe('a pass with a PIN in a bundle', () => {
  test('is not shown or served until the PIN was entered on its own page', async () => {
    const open = await member('Ada Lovelace');
    const guarded = await client.createPass(guardedTemplateId, { downloadPin: PIN, 'Full name': 'Grace Hopper' });
    const own = new URL(guarded.linkToPassPage).pathname as Path;
    const { path } = await bundled(open, guarded);
    const before = await send('GET', path);
    expect(before.body).toContain('Ada Lovelace');
    expect(before.body).not.toContain('Grace Hopper');
    expect(before.body).toContain(`<a href="${own}">Enter PIN</a>`);
    expect(serials(await send('GET', `${path}/passes.pkpasses`))).toEqual([open.identifier]);

    const entered = await send('POST', own, `pin=${PIN}`, { 'Content-Type': 'application/x-www-form-urlencoded' });
    const headers = { Cookie: entered.headers.getSetCookie()[0]!.split(';')[0]! };
    expect((await send('GET', path, undefined, headers)).body).toContain('Grace Hopper');
    expect(serials(await send('GET', `${path}/passes.pkpasses`, undefined, headers))).toHaveLength(2);
  });

  test('that is the only one leaves nothing to add', async () => {
    const guarded = await client.createPass(guardedTemplateId, { downloadPin: PIN });
    const { path } = await bundled(guarded);
    const page = await send('GET', path);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('wallet-button');
    const file = await send('GET', `${path}/passes.pkpasses`);
    expect([file.status, file.headers.get('Location')]).toEqual([303, path]);
  });
});
