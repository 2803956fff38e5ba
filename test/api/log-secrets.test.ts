import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { OWN_FORM } from '../pages/console/browser-session.ts';
import { admin, type Client, freshAccount, send } from '../support/api.ts';
import { allLogged, logged } from '../support/control.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { sampleTemplate } from '../support/samples.ts';
import { createScanner } from '../support/scanner.ts';
import { authorizationOf, Device } from '../wallets/apple/web-service/device.ts';

/* The log contains no credentials and no recipients of messages. */

type Path = `/${string}`;

const { origin } = inject('worker');
const newSecret = () => randomBytes(16).toString('base64url');

/** Values that must not appear in any log line, by kind. */
const secrets: Record<string, string> = {};
const keep = (name: string, secret: string) => {
  expect(secret, name).toMatch(/\w{4}/);
  secrets[name] = secret;
  return secret;
};

let client: Client;
let receiver: OutsideServer;
beforeAll(async () => {
  client = await freshAccount();
  keep('API key', client.apiKey);
  receiver = await openOutsideServer(() => ({ breaks: true }));
});
afterAll(() => receiver.close());

/** Returns the part after the last slash, without an extension. */
const lastPart = (url: string) =>
  new URL(url).pathname
    .split('/')
    .at(-1)!
    .replace(/\.\w+$/, '');
const pathOf = (url: string) => new URL(url).pathname as Path;
const enter = (path: Path, fields: Record<string, string>) =>
  send('POST', path, new URLSearchParams(fields).toString(), OWN_FORM);

test('requests with keys, links, PINs and recipients', async () => {
  await send('GET', '/api/v3/project', undefined, {
    Authorization: keep('wrong key', `pk_${newSecret()}_${newSecret()}`),
  });
  const { identifier: templateId } = (
    await client.post(
      '/api/v2/pass-template',
      sampleTemplate({ downloadPinEnabled: true, images: { perPassImages: { thumbnail: true } } }),
    )
  ).body.data;
  const pass = await client.createPass(templateId, {
    downloadPin: keep('PIN', newSecret()),
    emailRecipient: keep('recipient', `${newSecret()}@example.com`),
    phoneRecipient: keep('phone', '+436609876543'),
  });
  keep('page link', lastPart(pass.linkToPassPage));
  keep('file link', lastPart(pass.linkToPassFile));
  const page = pathOf(pass.linkToPassPage);
  for (const path of [page, `/de${page}`, `${page}/none`, `${page}%20`, `/unknown${page}`] as const)
    await send('GET', path);
  await enter(page, { pin: keep('wrong PIN', newSecret()) });
  await enter(page, { pin: secrets.PIN! });
  const file = pathOf(pass.linkToPassFile);
  for (const path of [file, `${file}/none`, `/unknown${file}`] as const) await send('GET', path);
  const urlToThumbnail = `https://nobody.example/${keep('signed image', newSecret())}.png?s=${keep('query of an image', newSecret())}`;
  await client.patch(`/api/v3/pass/${pass.identifier}`, { data: { urlToThumbnail } });
  await logged({ event: 'pass-images', pass: pass.identifier });
});

test('devices', async () => {
  const pass = await client.createPass(await client.createTemplate());
  const device = new Device();
  await device.register(pass);
  await device.fetch(pass, { Authorization: `ApplePass ${keep('wrong pass token', newSecret())}` });
  await device.list();
  await client.put(`/api/pass/${pass.identifier}`, { voided: true });
  await logged({ event: 'job', job: 'push-passes' });
  const { Authorization } = await authorizationOf(pass);
  keep('pass token', Authorization.replace('ApplePass ', ''));
  keep('device', device.id);
  keep('push token', device.pushToken);
  const said = `Get ${pass.linkToPassPage} with ${Authorization} as ${device.pushToken} of ${device.id}: ${secrets['pass token']}`;
  const { headers } = await send('POST', '/wallet/apple/v1/log', { logs: [said] });
  await logged({ event: 'device-message', requestId: headers.get('X-Request-Id') });
  keep('page link of a device', lastPart(pass.linkToPassPage));
});

test('scanner links', async () => {
  const scanner = await createScanner(client);
  keep('scanner link', scanner.path.split('/').at(-1)!);
  keep('scanner PIN', scanner.pin);
  await scanner.expire();
  for (const path of [scanner.path, `${scanner.path}/none`, `/unknown${scanner.path}`] as Path[])
    await send('GET', path);
  await send('POST', `${scanner.path}/scans` as Path, { value: 'x' }, { Origin: origin });
  await enter(`${scanner.path}/pin` as Path, { pin: scanner.pin });
});

test('sign-ins', async () => {
  const email = keep('member', `${newSecret()}@example.com`);
  await admin('user invite', { account: client.accountId, email, privilege: ['owner'] });
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  const token = keep('sign-in link', new URL(url).searchParams.get('token')!);
  await send('GET', `/console/sign-in?token=${token}`);
  const { headers } = await enter('/console/sign-in', { token });
  keep('session', headers.getSetCookie()[0]!.split(';')[0]!.split('=')[1]!);
  await enter('/console/sign-in', { token });
  await enter('/console/sign-in', { email });
});

test('webhooks', async () => {
  const target = `${receiver.origin}/${keep('receiver', newSecret())}?token=${keep('query of a receiver', newSecret())}`;
  const hook = { target_url: target, event: 'pass_created', retryEnabled: true };
  const whole = { Prefer: 'return=representation' };
  const { body } = await client.post('/api/hook/subscribe?generateAccessToken=true', hook, whole);
  keep('signing secret', body.secret);
  keep('access token', body.accessToken);
  await client.createPass(await client.createTemplate());
  await receiver.received(1);
  await client.post('/api/hook/subscribe', { target_url: `ftp://${secrets.receiver}`, event: 'pass_created' });
});

test('leave no secret in the log', async () => {
  const { headers } = await client.get('/api/v3/project');
  await logged({ event: 'request', requestId: headers.get('X-Request-Id') });
  const lines = (await allLogged({})).map((line) => JSON.stringify(line));
  expect(lines.length).toBeGreaterThan(30);
  expect(Object.keys(secrets)).toHaveLength(24);
  const leaks = Object.entries(secrets).flatMap(([name, secret]) => {
    // Identifiers can contain the six digits of a PIN.
    const pin = /^\d+$/.test(secret) && new RegExp(`(?<![0-9a-f])${secret}(?![0-9a-f])`);
    const line = lines.find((one) => (pin ? pin.test(one) : one.includes(secret)));
    return line ? [`${name}: ${line}`] : [];
  });
  expect(leaks).toEqual([]);
});

test('the platform’s own lines, which name the address of each request, are off', () => {
  const { observability } = unstable_readConfig({ config: 'wrangler.toml' });
  expect(observability).toMatchObject({ enabled: true, logs: { enabled: true, invocation_logs: false } });
  expect(observability?.traces?.enabled ?? false).toBe(false);
});
