import { spawnSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { type OutsideRequest, type OutsideServer, openOutsideServer } from '../../support/outside-server.ts';
import { subscribed, told } from '../../support/webhooks.ts';

let client: Client;
let templateId: string;
let receiver: OutsideServer;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  receiver = await openOutsideServer();
});
afterAll(() => receiver?.close());

/** Subscribes, triggers an event, and returns what the receiver got. */
async function deliverOne(path: string, options: Record<string, unknown> = {}) {
  const subscription = await subscribed(client, `${receiver.origin}/${path}`, options);
  const next = async (count: number): Promise<OutsideRequest> => {
    await client.createPass(templateId, { 'Full name': 'Zoë "Z" \\ 中文 \u2028 🎫' });
    const all = await receiver.received(count, (request) => request.path === `/${path}`);
    return all[count - 1]!;
  };
  return { subscription, request: await next(1), next };
}

const headersOf = ({ headers }: OutsideRequest) => headers as Record<string, string>;

describe('webhook-signature', () => {
  test('is accepted by the library of Standard Webhooks', async () => {
    const { subscription, request } = await deliverOne('standard');
    const text = request.body.toString();
    expect(new Webhook(subscription.secret).verify(text, headersOf(request))).toEqual(JSON.parse(text));
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test.each([
    ['another body', (request: OutsideRequest) => [`${request.body} `, headersOf(request)]],
    [
      'another webhook-id',
      (request: OutsideRequest) => [request.body.toString(), { ...headersOf(request), 'webhook-id': 'x' }],
    ],
    [
      'another time',
      (request: OutsideRequest) => [
        request.body.toString(),
        { ...headersOf(request), 'webhook-timestamp': String(Number(request.headers['webhook-timestamp']) + 1) },
      ],
    ],
  ] as [string, (request: OutsideRequest) => [string, Record<string, string>]][])(
    'does not match %s',
    async (name, forge) => {
      const { subscription, request } = await deliverOne(`forged-${name.replaceAll(' ', '-')}`);
      const [body, headers] = forge(request);
      expect(() => new Webhook(subscription.secret).verify(body, headers)).toThrow();
    },
  );

  test('belongs to the subscription: two of them have different secrets', async () => {
    const one = await deliverOne('secret-one');
    const two = await deliverOne('secret-two');
    expect(one.subscription.secret).not.toBe(two.subscription.secret);
    expect(() =>
      new Webhook(two.subscription.secret).verify(one.request.body.toString(), headersOf(one.request)),
    ).toThrow();
  });

  test('is made with both secrets for 24 hours after a rotation, then with the new one only', async () => {
    const { subscription, next } = await deliverOne('rotated');
    const before = Date.now();
    const rotated = await client.post(`/api/hook/${subscription.identifier}/secret/rotate`);
    expect(rotated.status).toBe(200);
    expect(rotated.body.secret).toMatch(/^whsec_/);
    expect(rotated.body.secret).not.toBe(subscription.secret);
    const overlap = Date.parse(rotated.body.previousSecretValidUntil) - before;
    expect(overlap).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(overlap).toBeLessThan(24 * 3_600_000 + 60_000);
    const fits = (secret: string, request: OutsideRequest) => {
      try {
        new Webhook(secret).verify(request.body.toString(), headersOf(request));
        return true;
      } catch {
        return false;
      }
    };
    const both = await next(2);
    expect([fits(subscription.secret, both), fits(rotated.body.secret, both)]).toEqual([true, true]);
    await d1('update webhook_subscriptions set previous_secret_until_at = ? where id = ?', [
      Date.now(),
      subscription.identifier,
    ]);
    const later = await next(3);
    expect([fits(subscription.secret, later), fits(rotated.body.secret, later)]).toEqual([false, true]);
  });
});

describe('signPayload', () => {
  const publicKey = async () => (await client.get('/api/hook/publickey')).body.publicKey as string;

  test('adds the signed text and its signature, which openssl accepts with the published key', async () => {
    const { request } = await deliverOne('signed', { signPayload: true });
    const { signedData, signature, ...body } = told(request);
    expect(JSON.parse(signedData)).toEqual(body);
    expect(body.genericProperties['Full name']).toBe('Zoë "Z" \\ 中文 \u2028 🎫');
    expect(signature).toMatch(/^30[0-9a-f]+$/);
    const folder = mkdtempSync(join(tmpdir(), 'webhook-signature-'));
    try {
      const file = (name: string, content: string | Buffer) => {
        const path = join(folder, name);
        writeFileSync(path, content);
        return path;
      };
      const key = file('key.pem', await publicKey());
      const bytes = file('signature.der', Buffer.from(signature, 'hex'));
      const openssl = (data: string) =>
        spawnSync('openssl', ['dgst', '-sha256', '-verify', key, '-signature', bytes, data], { encoding: 'utf8' });
      const good = openssl(file('data.json', signedData));
      expect([good.status, good.stdout.trim()]).toEqual([0, 'Verified OK']);
      expect(openssl(file('other.json', signedData.replace('Ada', 'Eve').concat(' '))).status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('does not change a body without it', async () => {
    const { request } = await deliverOne('unsigned');
    expect(Object.keys(told(request))).not.toContain('signature');
    expect(Object.keys(told(request))).not.toContain('signedData');
  });

  test('signs each attempt with the current key', async () => {
    const { next } = await deliverOne('key', { signPayload: true });
    const before = await publicKey();
    await admin('signing-key rotate', { account: client.accountId });
    const request = await next(2);
    const { signedData, signature } = told(request);
    const fits = (pem: string) =>
      verify('sha256', Buffer.from(signedData), createPublicKey(pem), Buffer.from(signature, 'hex'));
    expect([fits(before), fits(await publicKey())]).toEqual([false, true]);
  });

  test('works together with the Standard Webhooks headers, which sign the body as sent', async () => {
    const { subscription, request } = await deliverOne('both', { signPayload: true });
    expect(new Webhook(subscription.secret).verify(request.body.toString(), headersOf(request))).toEqual(told(request));
  });

  test('uses the account’s key from /api/v3/signing/publickey, and no other account’s', async () => {
    expect((await client.get('/api/v3/signing/publickey')).body.data.publicKey).toBe(await publicKey());
    const other = (await (await freshAccount()).get('/api/hook/publickey')).body;
    expect(Object.keys(other)).toEqual(['publicKey']);
    expect(other.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(other.publicKey).not.toBe(await publicKey());
  });
});
