import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type Client, type CreatedPass, freshAccount, send } from '../../support/api.ts';

const IPHONE = { 'User-Agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Safari/604.1' };
const ANDROID = { 'User-Agent': 'Mozilla/5.0 (Linux; Android 16) Chrome/140 Mobile Safari/537.36' };
/** The smallest valid PNG: one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let client: Client;
let pass: CreatedPass;
let path: `/${string}`;

beforeAll(async () => {
  const reader = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(reader)).buffer } });
  client = await freshAccount({ timezone: 'Europe/Berlin' });
  const templateId = await client.createTemplate({
    images: { icon: PIXEL, logo: PIXEL },
    translationsEnabled: true,
    translations: { de: { Member: 'Mitglied', 'Membership card': 'Mitgliedskarte' } },
  });
  pass = await client.createPass(templateId, { userProvidedId: 'member/7', barcodeValue: 'CODE-7' });
  path = new URL(pass.linkToPassPage).pathname as `/${string}`;
});

test('the page opens by its secret, by the identifier and by the userProvidedId', async () => {
  for (const address of [path, `/p/${pass.identifier}`, `/p/${client.accountId}/member%2F7`] as const) {
    const reply = await send('GET', address, undefined, IPHONE);
    expect(reply.status, address).toBe(200);
    expect(reply.body, address).toContain('<h1>Membership card</h1>');
    expect(reply.body, address).toContain(`href="${address}/pass.pkpass"`);
  }
});

test('the page has headers that isolate it', async () => {
  const { headers, body } = await send('GET', path);
  const policy = headers.get('Content-Security-Policy')!;
  const nonce = /'nonce-([0-9a-f]{32})'/.exec(policy)![1];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe-inline');
  expect(body).toContain(`<style nonce="${nonce}">`);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(headers.get('Vary')).toContain('User-Agent');
});

test('no two replies share a nonce', async () => {
  const replies = await Promise.all([send('GET', path), send('GET', path)]);
  const policies = replies.map(({ headers }) => headers.get('Content-Security-Policy'));
  expect(policies[0]).not.toBe(policies[1]);
});

test('device and language decide what comes first', async () => {
  const android = await send('GET', path, undefined, { ...ANDROID, 'Accept-Language': 'de-DE,de;q=0.9' });
  expect(android.body).toMatch(/class="wallet-button google" href="https:\/\/pay\.google\.com/);
  expect(android.body).toContain('<dt><bdi>Mitglied</bdi></dt>');
  expect(android.body).toContain('<html lang="de"');
  const english = await send('GET', `/en${path}`, undefined, { 'Accept-Language': 'de' });
  expect(english.body).toContain('<dt><bdi>Member</bdi></dt>');
  expect(english.body).toMatch(/class="wallet-button apple".*class="wallet-button google"/s);
});

test('the stylesheet is cached forever at an address with its content hash', async () => {
  const { body } = await send('GET', path);
  const [, href] = /href="(\/client\/download-styles\.\w+\.css)"/.exec(body)!;
  const reply = await send('GET', href as `/${string}`);
  expect(reply.headers.get('Content-Type')).toBe('text/css; charset=utf-8');
  expect(reply.headers.get('Cache-Control')).toContain('immutable');
  expect(reply.body).toMatch(/prefers-color-scheme: ?dark/);
});

test('the images of the card are public and never change', async () => {
  const { body } = await send('GET', path);
  const address = /src="(\/images\/[0-9a-f]{64})"/.exec(body)![1] as `/${string}`;
  const reply = await send('GET', address);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('Content-Type')).toBe('image/png');
  expect(reply.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  expect(Buffer.from(reply.body).toString('base64')).toBe(PIXEL);
  expect((await send('GET', `/images/${'0'.repeat(64)}`)).status).toBe(404);
});

test('the code is a picture that a barcode reader can read', async () => {
  const png = await send('GET', `${path}/barcode.png`);
  expect(png.headers.get('Content-Type')).toBe('image/png');
  expect(png.headers.get('Cache-Control')).toBe('private, no-store');
  const [read] = await readBarcodes(png.body);
  expect([read!.format, read!.text]).toEqual(['QRCode', 'CODE-7']);
  const svg = await send('GET', `${path}/barcode.svg`);
  expect(svg.headers.get('Content-Type')).toBe('image/svg+xml');
  expect(Buffer.from(svg.body).toString()).toMatch(/^<svg /);
});

test('API callers get the code as PNG and, at the same address with .svg, as SVG', async () => {
  const { qrCodeImage } = (await client.get(`/api/pass/${pass.identifier}`)).body;
  const png = await send('GET', qrCodeImage);
  expect((await readBarcodes(png.body))[0]!.text).toBe('CODE-7');
  const svg = await send('GET', qrCodeImage.replace(/png$/, 'svg'));
  expect([svg.status, svg.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
  expect(Buffer.from(svg.body).toString()).toMatch(/^<svg /);
  expect((await send('GET', qrCodeImage.replace(/.{5}\.png$/, 'xxxxx.svg'))).status).toBe(404);
});

test('a value too long for a code is shown as text, on the page, in print and in a bundle', async () => {
  const code128 = await client.createTemplate({ barcode: { format: 'code128' } });
  const values = ['チケット-42', `long-${'x'.repeat(3_000)}`];
  const identifiers: string[] = [];
  for (const barcodeValue of values) identifiers.push((await client.createPass(code128, { barcodeValue })).identifier);
  const bundle = await client.post('/api/v2/pass-bundle', { passes: [...identifiers] });
  const bundlePage = (await send('GET', bundle.body.data.urlToPass)).body;
  for (const [i, identifier] of identifiers.entries()) {
    const alone = /href="(\/p\/[^"]+)"[^>]*>\s*Open this pass only/g;
    const path = [...bundlePage.matchAll(alone)].map(([, href]) => href as `/${string}`)[i]!;
    for (const body of [bundlePage, (await send('GET', path)).body, (await send('GET', `${path}?print`)).body]) {
      expect(body).toContain(`<bdi>${values[i]}</bdi>`);
      expect(body).not.toContain('barcode.svg');
    }
    expect(identifier).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('the print version has its own address', async () => {
  const { body } = await send('GET', `${path}?print`);
  expect(body).toContain('class="sheet"');
  expect(body).toContain(`${path}/barcode.svg`);
});

test('a template can hide the print version', async () => {
  const templateId = await client.createTemplate({ hidePrintVersion: true });
  const created = await client.createPass(templateId);
  const own = new URL(created.linkToPassPage).pathname as `/${string}`;
  expect((await send('GET', own)).body).not.toContain('?print');
  expect((await send('GET', `${own}?print`)).body).not.toContain('class="sheet"');
});

test('a voided pass is shown as voided', async () => {
  const created = await client.createPass(await client.createTemplate());
  await client.put(`/api/pass/${created.identifier}`, { voided: true });
  const { status, body } = await send('GET', new URL(created.linkToPassPage).pathname as `/${string}`);
  expect(status).toBe(200);
  expect(body).toContain('This pass has been voided');
});

test('an unknown address shows a page, too', async () => {
  for (const address of [
    '/p/unknown',
    `/p/${crypto.randomUUID()}`,
    `/p/${client.accountId}/nobody`,
    '/x-y-z/p/unknown',
  ] as const) {
    const reply = await send('GET', address, undefined, { 'Accept-Language': 'fr' });
    expect(reply.status, address).toBe(404);
    expect(reply.body, address).toContain('<h1>Pass introuvable</h1>');
    expect(reply.headers.get('Content-Security-Policy'), address).toContain("default-src 'none'");
  }
});

test('an unknown address with a language is in this language', async () => {
  const languageOf = async (address: `/${string}`) =>
    /<html lang="([^"]+)"/.exec((await send('GET', address, undefined, { 'Accept-Language': 'it' })).body)?.[1];
  expect(await languageOf('/de/p/unknown')).toBe('de');
  expect(await languageOf('/fr/p/unknown/pass.pkpass')).toBe('fr');
  expect(await languageOf('/p/unknown')).toBe('it');
});

test('viewing a pass changes nothing', async () => {
  const before = await client.get(`/api/pass/${pass.identifier}`);
  await send('GET', path, undefined, IPHONE);
  const after = await client.get(`/api/pass/${pass.identifier}`);
  expect(after.body).toEqual(before.body);
});
