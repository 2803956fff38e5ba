import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../../client/src/index.ts';
import { EVENT_TYPES, EVENTS } from '../../src/domain/events/catalog.ts';

/* Deliveries signed by the Standard Webhooks reference library. */

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const BODY = JSON.stringify({ identifier: 'p1', userProvidedId: 'Zoë ☂' });

function signed(body = BODY, { secret = SECRET, at = new Date() } = {}): Record<string, string> {
  return {
    'X-Event-Type': 'pass_created',
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('event-1', at, body),
  };
}

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

const reasonOf = async (verification: Promise<unknown>) => {
  const error = await verification.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as WebhookVerificationError).reason;
};

describe('a delivery', () => {
  test.each([
    ['a Request', (headers: Record<string, string>) => new Headers(headers)],
    [
      'an IncomingMessage',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ],
    [
      'a framework that keeps lists',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])),
    ],
  ])('with the headers of %s is an event', async (_, as) => {
    const event = await verifyWebhook(as(signed()), BODY, SECRET);
    expect(event).toMatchObject({ id: 'event-1', type: 'pass_created', data: JSON.parse(BODY) });
    expect(Math.abs(event.sentAt.getTime() - Date.now())).toBeLessThan(60_000);
  });

  test('may be a text or bytes', async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY), Buffer.from(`..${BODY}`).subarray(2)]) {
      expect((await verifyWebhook(signed(), body, SECRET)).data).toEqual(JSON.parse(BODY));
    }
  });

  test('is accepted with either secret while one is rotated', async () => {
    const next = `whsec_${randomBytes(24).toString('base64')}`;
    const headers = signed();
    const both = `${signed(BODY, { secret: next })['webhook-signature']} ${headers['webhook-signature']}`;
    for (const secret of [SECRET, next]) {
      expect(await verifyWebhook({ ...headers, 'webhook-signature': both }, BODY, secret)).toBeDefined();
    }
  });

  test('may be five minutes old, or as old as the caller says', async () => {
    const at = minutesFromNow(-4.9);
    expect(await verifyWebhook(signed(BODY, { at }), BODY, SECRET)).toBeDefined();
    const older = minutesFromNow(-30);
    expect(await verifyWebhook(signed(BODY, { at: older }), BODY, SECRET, { toleranceSeconds: 3_600 })).toBeDefined();
  });
});

describe('a delivery is not trusted', () => {
  const headers = signed();
  const without = (name: string) => ({ ...headers, [name]: undefined });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Event-Type'])('without %s', async (name) => {
    expect(await reasonOf(verifyWebhook(without(name), BODY, SECRET))).toBe('missing_header');
  });

  test.each([
    ['another body', headers, `${BODY} `, SECRET, 'wrong_signature'],
    ['another secret', headers, BODY, `whsec_${randomBytes(24).toString('base64')}`, 'wrong_signature'],
    ['another identifier', { ...headers, 'webhook-id': 'event-2' }, BODY, SECRET, 'wrong_signature'],
    ['a signature that is none', { ...headers, 'webhook-signature': 'v1,%% v1' }, BODY, SECRET, 'wrong_signature'],
    [
      'a signature of another kind',
      { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1', 'v1a') },
      BODY,
      SECRET,
      'wrong_signature',
    ],
    ['a signature that was cut off', { ...headers, 'webhook-signature': 'v1,' }, BODY, SECRET, 'wrong_signature'],
    ['no secret', headers, BODY, '', 'invalid_secret'],
    ['a secret that is empty', headers, BODY, 'whsec_', 'invalid_secret'],
    ['a secret that is no base64', headers, BODY, 'whsec_%%', 'invalid_secret'],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'now' }, BODY, SECRET, 'invalid_timestamp'],
  ])('with %s', async (_, sent, body, secret, reason) => {
    expect(await reasonOf(verifyWebhook(sent, body, secret))).toBe(reason);
  });

  test('more than five minutes before or after its time', async () => {
    expect(await reasonOf(verifyWebhook(signed(BODY, { at: minutesFromNow(-5.1) }), BODY, SECRET))).toBe('too_old');
    expect(await reasonOf(verifyWebhook(signed(BODY, { at: minutesFromNow(5.1) }), BODY, SECRET))).toBe('too_new');
  });

  test('with a signed body that is not JSON', async () => {
    expect(await reasonOf(verifyWebhook(signed('passed'), 'passed', SECRET))).toBe('invalid_body');
  });
});

test('each type of event has its body', async () => {
  // Fails after a change of the catalog, until `npm run contract` writes the types of the client.
  expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<(typeof EVENT_TYPES)[number]>();
  for (const type of EVENT_TYPES) {
    const body = JSON.stringify(EVENTS[type].example);
    const event = await verifyWebhook({ ...signed(body), 'X-Event-Type': type }, body, SECRET);
    expect(event.type).toBe(type);
    if (event.type === 'app_scan_created') expectTypeOf(event.data).toHaveProperty('scanStatus');
    if (event.type === 'pass_created') expectTypeOf(event.data.linkToPassPage).toEqualTypeOf<string>();
    expect(event.data).toEqual(EVENTS[type].example);
  }
});
