import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { type ClientFolder, installClient } from '../support/packed-client.ts';

const SITE = 'https://shop.example';
const SECRET = `whsec_${btoa('a secret of 24 bytes ...')}`;

/** As text, because Vitest rewrites `import()`. The proxy adds the key; the page doesn't have it. */
const PROGRAM = `async ({ templateId, delivery }) => {
  const { PassWallet, verifyWebhook } = await import(location.origin + '/client.js');
  const wallet = new PassWallet({ baseUrl: location.origin, apiKey: 'of the proxy' });
  const { data } = await wallet.createPassV3({ body: { data: { templateId } } });
  const identifiers = [];
  for await (const pass of wallet.listPassesV3().items()) identifiers.push(pass.identifier);
  const event = await verifyWebhook(delivery.headers, delivery.body, delivery.secret);
  return { created: data.identifier, identifiers, event: event.type };
}`;

let client: Client;
let folder: ClientFolder;
beforeAll(async () => {
  folder = installClient();
  client = await freshAccount();
});
afterAll(async () => {
  folder.remove();
});

test('the client package calls and verifies in a browser, through a proxy of the page’s own site', async () => {
  const templateId = await client.createTemplate();
  const { page, close } = await openPage();
  const module = readFileSync(join(folder.installed, 'dist/index.js'), 'utf8');
  await page.route(`${SITE}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    if (pathname === '/')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Shop</title>' });
    if (pathname === '/client.js') return route.fulfill({ contentType: 'text/javascript', body: module });
    const headers = { ...route.request().headers(), authorization: client.apiKey };
    const reply = await route.fetch({ url: inject('worker').origin + pathname + search, headers });
    return route.fulfill({ response: reply });
  });
  await page.goto(SITE);
  const now = new Date();
  const body = JSON.stringify({ identifier: 'p1' });
  const delivery = {
    body,
    headers: {
      'x-event-type': 'pass_created',
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(SECRET).sign('event-1', now, body),
    },
    secret: SECRET,
  };
  const seen = await page.evaluate<{ created: string }>(`(${PROGRAM})(${JSON.stringify({ templateId, delivery })})`);
  expect(seen).toEqual({ created: seen.created, identifiers: [seen.created], event: 'pass_created' });
  expect((await client.get(`/api/v3/pass/${seen.created}`)).status).toBe(200);
  await close();
});
