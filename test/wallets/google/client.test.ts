import { jwtVerify } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { separateCalls } from '../../../src/wallets/google/call-google.ts';
import { WalletObjects } from '../../../src/wallets/google/client.ts';
import type { WalletResource } from '../../../src/wallets/google/resource.ts';
import type { GoogleSigner } from '../../../src/wallets/google/signer.ts';
import { ISSUER_ID, type Json, sampleSigner } from './signer.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const API = 'https://walletobjects.googleapis.com/walletobjects/v1';

interface Call {
  method: string;
  url: string;
  authorization: string | null;
  body: Json;
}

/** A stand-in for Google that issues tokens and answers API calls with the test's queued replies. */
class FakeGoogle {
  assertions: string[] = [];
  calls: Call[] = [];
  tokenStatus = 200;
  answers: (() => Response)[] = [];

  answer(status: number, body: unknown = {}): this {
    this.answers.push(() => Response.json(body, { status }));
    return this;
  }

  fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    expect(init?.signal).toBeInstanceOf(AbortSignal);
    if (request.url === 'https://oauth2.googleapis.com/token') return this.#token(await request.text());
    const text = await request.text();
    this.calls.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.get('authorization'),
      body: text ? JSON.parse(text) : undefined,
    });
    const answer = this.answers.shift();
    if (!answer) throw new Error(`unexpected call ${request.method} ${request.url}`);
    return answer();
  };

  #token(form: string): Response {
    const fields = new URLSearchParams(form);
    expect(fields.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    this.assertions.push(fields.get('assertion')!);
    if (this.tokenStatus !== 200) return Response.json({ error: 'invalid_grant' }, { status: this.tokenStatus });
    return Response.json({ access_token: `token-${this.assertions.length}`, expires_in: 3600, token_type: 'Bearer' });
  }
}

let signer: GoogleSigner;
let publicKey: CryptoKey;
let google: FakeGoogle;
let now: number;
let client: WalletObjects;
let count = 0;

beforeAll(async () => {
  ({ signer, publicKey } = await sampleSigner());
});

beforeEach(() => {
  // Tokens are cached by row and address, so each test uses its own.
  signer = { ...signer, id: crypto.randomUUID(), clientEmail: `account-${++count}@project.iam.gserviceaccount.com` };
  google = new FakeGoogle();
  now = NOW;
  client = new WalletObjects(signer, { calls: separateCalls(google.fetch as typeof fetch), now: () => now });
});

/** Class identifiers are cached for the life of the process, so each test uses a new one. */
function sample(kind: WalletResource['kind'] = 'generic', members: object = {}): WalletResource {
  return { kind, resource: { id: `${ISSUER_ID}.sample-${++count}`, ...members } };
}

describe('token', () => {
  test('is requested with the service account’s assertion', async () => {
    google.answer(200);
    await client.upsertObject(sample());
    const { payload, protectedHeader } = await jwtVerify(google.assertions[0]!, publicKey, {
      issuer: signer.clientEmail,
      audience: 'https://oauth2.googleapis.com/token',
      currentDate: new Date(NOW),
    });
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload.scope).toBe('https://www.googleapis.com/auth/wallet_object.issuer');
    expect(payload.iat).toBe(NOW / 1_000);
    expect(payload.exp! - payload.iat!).toBe(3_600);
    expect(google.calls[0]!.authorization).toBe('Bearer token-1');
  });

  test('is not shared: an account with the same address uses its own key and row, also for classes', async () => {
    google.answer(200).answer(200);
    await client.insertClass(sample());
    const { signer: stranger } = await sampleSigner();
    const thief = { ...stranger, clientEmail: signer.clientEmail };
    const answers = new FakeGoogle();
    answers.tokenStatus = 400;
    const reply = await new WalletObjects(thief, {
      calls: separateCalls(answers.fetch as typeof fetch),
      now: () => now,
    }).insertClass({
      ...sample(),
      resource: { id: `${ISSUER_ID}.sample-${count}` },
    });
    expect([reply.outcome, answers.assertions.length, answers.calls]).toEqual(['denied', 1, []]);
  });

  test('is cached until five minutes before it expires, even for another client', async () => {
    google.answer(200).answer(200).answer(200);
    await client.upsertObject(sample());
    now = NOW + 55 * 60_000 - 1;
    const other = new WalletObjects(signer, { calls: separateCalls(google.fetch as typeof fetch), now: () => now });
    await other.upsertObject(sample());
    expect(google.assertions).toHaveLength(1);
    now += 1;
    await client.upsertObject(sample());
    expect(google.assertions).toHaveLength(2);
    expect(google.calls[2]!.authorization).toBe('Bearer token-2');
  });

  test('that is rejected is an outcome, and is not cached', async () => {
    google.tokenStatus = 400;
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'denied' });
    google.tokenStatus = 503;
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'unavailable' });
    expect(google.calls).toEqual([]);
    google.tokenStatus = 200;
    google.answer(200);
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'ok' });
  });

  test('that was revoked is replaced once', async () => {
    google.answer(401).answer(200).answer(401).answer(401);
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'ok' });
    expect(google.calls.map((call) => call.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'denied', status: 401 });
    expect(google.calls).toHaveLength(4);
  });
});

describe('classes', () => {
  test('are inserted with their type', async () => {
    google.answer(200);
    const sampleClass = sample('eventTicket', { issuerName: 'Example' });
    expect(await client.insertClass(sampleClass)).toEqual({ outcome: 'ok', status: 200 });
    expect(google.calls).toEqual([
      { method: 'POST', url: `${API}/eventTicketClass`, authorization: 'Bearer token-1', body: sampleClass.resource },
    ]);
  });

  test('that are named by their content need no update or second call', async () => {
    google.answer(409);
    const known = sample('loyalty');
    expect(await client.insertClass(known)).toMatchObject({ outcome: 'ok' });
    expect(await client.insertClass(known)).toMatchObject({ outcome: 'ok' });
    expect(google.calls).toHaveLength(1);
  });

  test('that could not be inserted are retried', async () => {
    google.answer(500).answer(200);
    const failing = sample('loyalty');
    expect(await client.insertClass(failing)).toMatchObject({ outcome: 'unavailable' });
    expect(await client.insertClass(failing)).toMatchObject({ outcome: 'ok' });
  });

  test('that are updated in place are replaced, or inserted if they do not exist', async () => {
    const flight = sample('flight', { reviewStatus: 'UNDER_REVIEW' });
    google.answer(200);
    expect(await client.replaceClass(flight)).toMatchObject({ outcome: 'ok', status: 200 });
    google.answer(404).answer(200);
    expect(await client.replaceClass(flight)).toMatchObject({ outcome: 'ok', status: 200 });
    google.answer(404).answer(409).answer(200);
    expect(await client.replaceClass(flight)).toMatchObject({ outcome: 'ok', status: 200 });
    const put = ['PUT', `${API}/flightClass/${flight.resource.id}`];
    const post = ['POST', `${API}/flightClass`];
    expect(google.calls.map(({ method, url }) => [method, url])).toEqual([put, put, post, put, post, put]);
    for (const { body } of google.calls) expect(body).toEqual(flight.resource);
  });

  test('that Google lost are sent again once the record has expired', async () => {
    google.answer(200).answer(200);
    const lost = sample('loyalty');
    await client.insertClass(lost);
    client.forgetClass(lost.resource.id);
    await client.insertClass(lost);
    expect(google.calls).toHaveLength(2);
  });
});

describe('objects', () => {
  test('that exist are replaced, and keep their messages', async () => {
    const messages = [{ id: '1', header: 'News', body: 'Hello' }];
    const object = sample('offer', { state: 'ACTIVE' });
    google
      .answer(409)
      .answer(200, { ...object.resource, messages, validTimeInterval: {} })
      .answer(200);
    expect(await client.upsertObject(object)).toMatchObject({ outcome: 'ok', status: 200, lastMessageId: '1' });
    expect(google.calls.map(({ method }) => method)).toEqual(['POST', 'GET', 'PUT']);
    expect(google.calls[2]!.url).toBe(`${API}/offerObject/${object.resource.id}`);
    expect(google.calls[2]!.body).toEqual({ ...object.resource, messages });
  });

  test('that are known to exist without messages take one request', async () => {
    google.answer(200);
    const object = sample('offer', { state: 'ACTIVE' });
    const reply = await client.upsertObject(object, { exists: true, hasMessages: false });
    expect(reply).toMatchObject({ outcome: 'ok' });
    expect(reply.inserted).toBeFalsy();
    expect(google.calls.map(({ method, body }) => [method, body])).toEqual([['PUT', object.resource]]);
  });

  test.each([true, false])('that Google does not have after all are inserted (messages: %s)', async (hasMessages) => {
    google.answer(404).answer(200);
    const reply = await client.upsertObject(sample(), { exists: true, hasMessages });
    expect(reply).toMatchObject({ outcome: 'ok', inserted: true });
    expect(google.calls.map(({ method }) => method)).toEqual([hasMessages ? 'GET' : 'PUT', 'POST']);
  });

  test('are not overwritten if they could not be read', async () => {
    google.answer(409).answer(503);
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'unavailable', status: 503 });
    expect(google.calls).toHaveLength(2);
  });

  test('are replaced by empty, expired ones of their class', async () => {
    const id = `${ISSUER_ID}.p`;
    const secrets = { barcode: { value: 'secret' }, messages: [{ id: 'm1', header: 'A', body: 'secret' }] };
    google.answer(200, { id, classId: `${ISSUER_ID}.c`, state: 'ACTIVE', ...secrets }).answer(200);
    expect(await client.expireObject('flight', id)).toMatchObject({ outcome: 'ok' });
    expect(google.calls.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    expect(google.calls[1]).toMatchObject({ url: `${API}/flightObject/${id}` });
    expect(google.calls[1]!.body).toEqual({
      id,
      classId: `${ISSUER_ID}.c`,
      state: 'EXPIRED',
      passengerName: '–',
      reservationInfo: { confirmationCode: '–' },
    });
  });

  test('that Google does not have need not be expired', async () => {
    google.answer(404);
    expect(await client.expireObject('offer', `${ISSUER_ID}.p`)).toMatchObject({ outcome: 'not_found' });
    expect(google.calls).toHaveLength(1);
  });
});

describe('messages', () => {
  const message = { id: 'm1', header: 'Example', body: 'Gate change' };

  test('notify', async () => {
    google.answer(200);
    expect(await client.addMessage('flight', `${ISSUER_ID}.p`, message)).toMatchObject({ outcome: 'ok' });
    expect(google.calls[0]).toMatchObject({
      method: 'POST',
      url: `${API}/flightObject/${ISSUER_ID}.p/addMessage`,
      body: { message: { ...message, messageType: 'TEXT_AND_NOTIFY' } },
    });
  });

  test('beyond the quota are added silently, as the outcome shows', async () => {
    google.answer(403, { error: { message: 'QuotaExceededException: too many' } }).answer(200);
    expect(await client.addMessage('generic', `${ISSUER_ID}.p`, message)).toMatchObject({
      outcome: 'quota',
      status: 200,
    });
    expect(google.calls.map((call) => call.body.message.messageType)).toEqual(['TEXT_AND_NOTIFY', 'TEXT']);
  });
});

describe('outcomes', () => {
  test.each([
    [400, { error: { status: 'INVALID_ARGUMENT', message: 'bad field' } }, 'refused'],
    [403, { error: { status: 'PERMISSION_DENIED', message: 'not a user of the issuer' } }, 'denied'],
    [403, { error: { errors: [{ reason: 'rateLimitExceeded' }] } }, 'rate_limited'],
    [404, { error: { message: 'class not found' } }, 'not_found'],
    [302, {}, 'unavailable'],
    [429, {}, 'rate_limited'],
    [429, { error: { status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded for requests a second' } }, 'rate_limited'],
    [500, {}, 'unavailable'],
    [503, {}, 'unavailable'],
  ])('%i %o is %s', async (status, body, outcome) => {
    google.answer(status, body);
    expect(await client.upsertObject(sample())).toMatchObject({ outcome, status });
  });

  test.each([
    ['7', 7],
    [new Date(NOW + 30_000).toUTCString(), 30],
    ['soon', undefined],
    ['0', undefined],
  ])('Retry-After %j is %s seconds', async (header, seconds) => {
    google.answers.push(() => Response.json({}, { status: 503, headers: { 'Retry-After': header } }));
    expect((await client.upsertObject(sample())).retryAfterSeconds).toBe(seconds);
  });

  test('too many calls do not turn a notification into a silent text', async () => {
    google.answer(429);
    const message = { id: 'm1', header: 'Example', body: 'Gate change' };
    expect(await client.addMessage('generic', `${ISSUER_ID}.p`, message)).toMatchObject({ outcome: 'rate_limited' });
    expect(google.calls).toHaveLength(1);
  });

  test('the message is Google’s, shortened', async () => {
    google.answer(400, { error: { message: 'x'.repeat(2_000) } });
    expect((await client.upsertObject(sample())).message).toBe('x'.repeat(500));
  });

  test('an answer that is not JSON, a lost connection and a time-out are unavailable', async () => {
    google.answers.push(() => new Response('<html>Bad gateway</html>', { status: 502 }));
    google.answers.push(() => {
      throw new TypeError('fetch failed');
    });
    google.answers.push(() => {
      throw new DOMException('The operation timed out', 'TimeoutError');
    });
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'unavailable', status: 502 });
    expect(await client.upsertObject(sample())).toEqual({ outcome: 'unavailable', message: 'fetch failed' });
    expect(await client.upsertObject(sample())).toMatchObject({ outcome: 'unavailable' });
  });
});
