import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isSignedByTwilio, Twilio } from '../../src/platform/twilio.ts';

const SID = 'AC00000000000000000000000000000001';
const callbackUrl = 'https://passes.example/messages/1/status';
const sms = { messageId: 'the-message', to: '+436641234567', text: 'Grüße & Küsse 100% +', callbackUrl };

let server: Server;
let apiUrl: string;
let seen: { path: string; authorization?: string; type?: string; form: URLSearchParams };
let reply: { status: number; body: string };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { authorization, 'content-type': type } = request.headers;
    seen = { path: request.url!, authorization, type, form: new URLSearchParams(await readText(request)) };
    response.writeHead(reply.status, { Location: 'http://127.0.0.1:1/' }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  reply = { status: 201, body: JSON.stringify({ sid: 'SM1', status: 'queued' }) };
});

const twilio = (from = '+15550001111') => new Twilio({ accountSid: SID, authToken: 'secret', from, apiUrl });

describe('an SMS through Twilio', () => {
  test('is the request in its documentation', async () => {
    expect(await twilio().send(sms)).toEqual({ outcome: 'sent', providerId: 'SM1' });
    expect(seen.path).toBe(`/2010-04-01/Accounts/${SID}/Messages.json`);
    expect(seen.authorization).toBe(`Basic ${Buffer.from(`${SID}:secret`).toString('base64')}`);
    expect(seen.type).toMatch(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(seen.form)).toEqual({
      To: sms.to,
      From: '+15550001111',
      Body: sms.text,
      StatusCallback: callbackUrl,
    });
  });

  test('uses a messaging service that is given instead of a number', async () => {
    await twilio('MG0123').send(sms);
    expect(seen.form.get('MessagingServiceSid')).toBe('MG0123');
    expect(seen.form.has('From')).toBe(false);
  });

  test.each([
    [400, 'refused'],
    [404, 'refused'],
    [401, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [302, 'unavailable'],
  ])('that is answered with %i is %s, in Twilio’s own words', async (status, outcome) => {
    reply = { status, body: JSON.stringify({ code: 21211, message: 'Invalid number' }) };
    expect(await twilio().send(sms)).toEqual({ outcome, reason: 'Twilio 21211: Invalid number' });
    reply = { status, body: '<html>' };
    expect(await twilio().send(sms)).toEqual({ outcome, reason: `Twilio answered ${status}` });
  });

  test('that is too long for Twilio is rejected, not truncated', async () => {
    expect(await twilio().send({ ...sms, text: 'a'.repeat(1_600) })).toMatchObject({ outcome: 'sent' });
    expect(await twilio().send({ ...sms, text: 'a'.repeat(1_601) })).toMatchObject({ outcome: 'refused' });
  });

  test('that reaches no server is retried', async () => {
    const nobody = new Twilio({ accountSid: SID, authToken: 'secret', from: '+1', apiUrl: 'http://127.0.0.1:1' });
    expect(await nobody.send(sms)).toMatchObject({ outcome: 'unavailable' });
  });
});

describe('Twilio’s signature', () => {
  // The example in Twilio's documentation ("Secure webhooks", "Explore the algorithm yourself").
  const url = 'https://example.com/myapp.php?foo=1&bar=2';
  const form = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675310',
    Digits: '1234',
    From: '+14158675310',
    To: '+18005551212',
  });
  const signature = 'L/OH5YylLD5NRKLltdqwSvS0BnU=';

  test('matches its documentation', () => {
    expect(isSignedByTwilio('12345', signature, url, form)).toBe(true);
  });

  test('does not match another token, address, parameter or signature', () => {
    const more = new URLSearchParams([...form, ['Extra', '1']]);
    expect(isSignedByTwilio('12346', signature, url, form)).toBe(false);
    expect(isSignedByTwilio('12345', signature, `${url}&x`, form)).toBe(false);
    expect(isSignedByTwilio('12345', signature, url, more)).toBe(false);
    expect(isSignedByTwilio('12345', '', url, form)).toBe(false);
  });
});
