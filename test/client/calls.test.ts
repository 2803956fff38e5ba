import { describe, expect, test } from 'vitest';
import { contentOf } from '../../client/src/call.ts';
import { PassWallet, PassWalletError, type PassWalletOptions } from '../../client/src/index.ts';

/* How the client sends calls, with a `fetch` stub that answers as the test specifies. */

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

type Answer = Response | Error | ((sent: Sent) => Response | Promise<Response>);

/** Creates a client whose requests get these answers in order; the last one repeats. */
function answeredWith(answers: Answer[], options: Partial<PassWalletOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, { method = '', headers, body, signal }: RequestInit) => {
    const request = { method, url, headers: new Headers(headers), body: body ? JSON.parse(String(body)) : undefined };
    const answer = answers[Math.min(sent.length, answers.length - 1)]!;
    sent.push(request);
    signal?.throwIfAborted();
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(request) : answer.clone();
  };
  const wallet = new PassWallet({
    baseUrl: 'https://service.example/',
    apiKey: 'pk_1',
    fetch,
    backOffMs: 1,
    ...options,
  });
  return { wallet, sent };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
const pass = json(200, { success: true, data: { identifier: 'p1' } });
const body = { data: { templateId: 't' } };

describe('a call', () => {
  test('sends path, query and body as the contract says', async () => {
    const { wallet, sent } = answeredWith([pass]);
    const reply = await wallet.updatePassV3({
      path: { id: 'ticket 1/2' },
      query: { async: false },
      body: { data: {} },
    });
    expect(reply.data.identifier).toBe('p1');
    const [{ method, url, headers, body: received }] = sent as [Sent];
    expect([method, url, received]).toEqual([
      'PATCH',
      'https://service.example/api/v3/pass/ticket%201%2F2?async=false',
      { data: {} },
    ]);
    expect(headers.get('Authorization')).toBe('pk_1');
    expect(headers.get('Content-Type')).toBe('application/json');
  });

  test('sends the headers in the contract, and no body if there is none', async () => {
    const { wallet, sent } = answeredWith([json(201, {})]);
    const event = { event: 'pass_created', target_url: 'https://shop.example/hook' } as const;
    await wallet.subscribe({ body: event, headers: { Prefer: 'return=representation' } });
    await wallet.readHealth();
    expect(sent[0]!.headers.get('Prefer')).toBe('return=representation');
    expect([sent[1]!.body, sent[1]!.headers.get('Content-Type')]).toEqual([undefined, null]);
  });

  test.each(['', '.', '..', undefined])('rejects %j in a path, where it would name something else', async (id) => {
    const { wallet, sent } = answeredWith([pass]);
    await expect(wallet.readPassV3({ path: { id: id as string } })).rejects.toThrow('readPassV3 needs path.id');
    expect(sent).toEqual([]);
  });

  test('resolves to undefined if the reply has no body', async () => {
    const { wallet } = answeredWith([json(204, undefined)]);
    expect(await wallet.voidPass({ path: { id: 'p1' }, body: { voided: true } })).toBeUndefined();
  });

  test('returns status and headers with request()', async () => {
    const { wallet } = answeredWith([new Response(null, { status: 304, headers: { 'X-Request-Id': 'r1' } })]);
    const input = { path: { id: 'p1' }, body: { pushNotificationText: 'Boarding' } };
    const { status, headers, body: none } = await wallet.request('sendPushNotification', input);
    expect([status, headers.get('X-Request-Id'), none]).toEqual([304, 'r1', undefined]);
  });

  test('sends a file unchanged, with its operation’s type', () => {
    const file = new Uint8Array([1, 2]);
    expect(contentOf(file, 'application/zip')).toEqual({ body: file, type: 'application/zip' });
    expect(contentOf({ a: 1 })).toEqual({ body: '{"a":1}', type: 'application/json' });
    expect(contentOf(undefined, 'application/zip')).toEqual({});
  });

  test('needs an address and a key', () => {
    expect(() => new PassWallet({ baseUrl: '', apiKey: 'pk_1' })).toThrow('needs a baseUrl and an apiKey');
    expect(() => new PassWallet({ baseUrl: 'https://service.example', apiKey: '' })).toThrow('needs');
  });

  test('shows neither the key nor a password in an error', async () => {
    const messages = ['secret\nkey', 'secret\0', 'secret—key'].map((apiKey) => {
      try {
        new PassWallet({ baseUrl: 'https://service.example', apiKey });
      } catch (error) {
        return (error as Error).message;
      }
      return 'accepted';
    });
    expect(messages).toEqual(Array(3).fill('apiKey has characters that no API key has'));
    expect(() => new PassWallet({ baseUrl: 'https://ada:secret@service.example', apiKey: 'pk_1' })).toThrow(
      /^baseUrl must not contain a name or a password$/,
    );
    const { wallet, sent } = answeredWith([pass], { apiKey: 'pk_1\n' });
    await wallet.createPassV3({ body });
    expect(sent[0]!.headers.get('Authorization')).toBe('pk_1');
  });

  test('follows no redirect, which would reveal the key to another server', async () => {
    const { wallet, sent } = answeredWith([
      new Response(null, { status: 302, headers: { Location: 'https://other.example' } }),
    ]);
    await expect(wallet.readPassV3({ path: { id: 'p1' } })).rejects.toMatchObject({ status: 302 });
    expect(sent).toHaveLength(1);
  });
});

describe('a failure', () => {
  const failing = async (answer: Response) => {
    const { wallet } = answeredWith([answer]);
    const error = await wallet.createPassV3({ body }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PassWalletError);
    return error as PassWalletError;
  };

  test.each([
    ['version 1', { ErrorMessage: 'data.expirationDate: must look like 2026-12-24; name: is required' }],
    ['version 2', { success: false, errors: ['data.expirationDate: must look like 2026-12-24', 'name: is required'] }],
    ['version 3', { success: false, errors: ['data.expirationDate: must look like 2026-12-24', 'name: is required'] }],
  ])('has the same issues in %s', async (_, errorBody) => {
    const error = await failing(json(400, errorBody, { 'X-Request-Id': 'r1' }));
    expect(error.issues).toEqual([
      { path: 'data.expirationDate', message: 'must look like 2026-12-24' },
      { path: 'name', message: 'is required' },
    ]);
    expect(error).toMatchObject({ status: 400, operation: 'createPassV3', requestId: 'r1', attempts: 1 });
    expect(error.message).toBe('createPassV3: data.expirationDate: must look like 2026-12-24; name: is required');
  });

  test.each([
    ['data.Full name: is too long', { path: 'data.Full name', message: 'is too long' }],
    ['data[3].templateId: is required', { path: 'data[3].templateId', message: 'is required' }],
    ['missing required parameter: upTo', { path: '', message: 'missing required parameter: upTo' }],
    ['Object not found', { path: '', message: 'Object not found' }],
  ])('reads "%s"', async (text, issue) => {
    expect((await failing(json(404, { success: false, errors: [text] }))).issues).toEqual([issue]);
  });

  test('of a proxy without JSON has the status', async () => {
    const error = await failing(new Response('<h1>Forbidden</h1>', { status: 403 }));
    expect(error.issues).toEqual([{ path: '', message: 'The service answered with status 403' }]);
    expect(error.body).toBe('<h1>Forbidden</h1>');
  });
});

describe('a retry', () => {
  const broken = new TypeError('fetch failed');

  test.each([
    ['no answer', broken],
    ['429', json(429, { success: false, errors: ['Too many'] }, { 'Retry-After': '0' })],
    ['500', json(500, {})],
    ['503', json(503, {}, { 'Retry-After': '0' })],
    ['a reply that breaks off', new Response('{"succ', { headers: { 'Content-Type': 'application/json' } })],
  ])('follows %s, and has the same key', async (_, failure) => {
    const { wallet, sent } = answeredWith([failure, failure, pass]);
    expect((await wallet.createPassV3({ body })).data.identifier).toBe('p1');
    const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('of work without a key follows a rejection, but no lost reply', async () => {
    const change = { body: { filter: { identifiers: ['p1'] }, data: { pushNotificationText: 'Boarding' } } };
    const refused = answeredWith([json(503, {}, { 'Retry-After': '0' }), json(429, {}), json(202, {})]);
    await refused.wallet.updatePassesV3(change);
    expect(refused.sent).toHaveLength(3);
    for (const failure of [broken, json(500, {}), json(503, {})]) {
      const { wallet, sent } = answeredWith([failure, json(202, {})]);
      await expect(wallet.updatePassesV3(change)).rejects.toMatchObject({ attempts: 1 });
      expect(sent).toHaveLength(1);
    }
  });

  test('ends after the configured number, with the last failure', async () => {
    const { wallet, sent } = answeredWith([broken]);
    await expect(wallet.createPassV3({ body })).rejects.toMatchObject({ status: 0, attempts: 4, cause: broken });
    await expect(wallet.createPassV3({ body }, { retries: 0 })).rejects.toMatchObject({ attempts: 1 });
    expect(sent).toHaveLength(5);
  });

  test.each([400, 401, 403, 404, 409, 422])('does not follow %i', async (status) => {
    const { wallet, sent } = answeredWith([json(status, {})]);
    await expect(wallet.createPassV3({ body })).rejects.toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  test('follows a 409 to a repeat, whose first attempt may still run', async () => {
    const { wallet, sent } = answeredWith([broken, json(409, {}), pass]);
    await wallet.createPassV3({ body });
    expect(sent).toHaveLength(3);
  });

  test('follows a 409 to a key of the caller, with which another call may still run', async () => {
    const { wallet, sent } = answeredWith([json(409, {}), json(409, {}), pass]);
    await wallet.createPassV3({ body }, { idempotencyKey: 'order-1' });
    expect(sent).toHaveLength(3);
  });

  test('gives each call that writes its own key, or the caller’s', async () => {
    const { wallet, sent } = answeredWith([pass]);
    await wallet.createPassV3({ body });
    await wallet.createPassV3({ body });
    await wallet.createPassV3({ body }, { idempotencyKey: 'order-1' });
    await wallet.updatePassV3({ path: { id: 'p1' }, body: { data: {} } });
    await wallet.readPassV3({ path: { id: 'p1' } });
    await wallet.searchPasses({ body: {} }).next();
    const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys.slice(2)).toEqual(['order-1', null, null, null]);
  });

  test('waits as long as Retry-After says, in seconds or as a date', async () => {
    const read = async (header: string) => {
      const { wallet } = answeredWith([json(503, {}, { 'Retry-After': header }), pass]);
      await wallet.readPassV3({ path: { id: 'p1' } });
    };
    const start = performance.now();
    await read('1');
    expect(performance.now() - start).toBeGreaterThan(900);
    const soon = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    await read(new Date(soon).toUTCString());
    // A timer may fire a little early.
    expect(Date.now()).toBeGreaterThan(soon - 10);
  });

  test('leaves a long Retry-After to the caller', async () => {
    const { wallet, sent } = answeredWith([json(429, {}, { 'Retry-After': '3600' })]);
    await expect(wallet.readPassV3({ path: { id: 'p1' } })).rejects.toMatchObject({ status: 429, retryAfter: 3600 });
    expect(sent).toHaveLength(1);
  });

  test('does not follow a call that the caller has aborted', async () => {
    const reason = new Error('closed');
    const controller = new AbortController();
    const { wallet, sent } = answeredWith([
      () => {
        controller.abort(reason);
        return json(503, {}, { 'Retry-After': '60' });
      },
    ]);
    await expect(wallet.readPassV3({ path: { id: 'p1' } }, { signal: controller.signal })).rejects.toBe(reason);
    await expect(wallet.readPassV3({ path: { id: 'p1' } }, { signal: controller.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });

  test('ends a wait with the caller’s signal', async () => {
    const controller = new AbortController();
    const { wallet } = answeredWith([json(503, {}, { 'Retry-After': '60' })]);
    const call = wallet.readPassV3({ path: { id: 'p1' } }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('closed')), 10);
    await expect(call).rejects.toThrow('closed');
  });

  test('follows an attempt that takes too long', async () => {
    const hanging = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    const { wallet } = answeredWith([pass], { fetch: hanging, timeoutMs: 5, retries: 1 });
    await expect(wallet.readPassV3({ path: { id: 'p1' } })).rejects.toMatchObject({
      status: 0,
      attempts: 2,
      issues: [{ path: '', message: 'No reply within 5 ms' }],
    });
  });
});

describe('the bookmark', () => {
  const marked = (bookmark: string) => json(200, { data: {} }, { 'X-D1-Bookmark': bookmark });
  const read = (wallet: PassWallet) => wallet.readPassV3({ path: { id: 'p1' } });
  const marks = (sent: Sent[]) => sent.map(({ headers }) => headers.get('X-D1-Bookmark'));

  test('of a reply is sent with the next request of this client, and of no other', async () => {
    const { wallet, sent } = answeredWith([marked('0001'), marked('0002')]);
    for (let i = 0; i < 3; i++) await read(wallet);
    expect(marks(sent)).toEqual([null, '0001', '0002']);
    const other = answeredWith([marked('0003')]);
    await read(other.wallet);
    expect(marks(other.sent)).toEqual([null]);
  });

  test('of a reply that was overtaken is ignored', async () => {
    const late = Promise.withResolvers<Response>();
    const { wallet, sent } = answeredWith([() => late.promise, marked('0005'), marked('0006')]);
    const slow = read(wallet);
    await read(wallet);
    late.resolve(marked('0001'));
    await slow;
    await read(wallet);
    expect(marks(sent)).toEqual([null, null, '0005']);
  });

  test('of another database is used, although it looks older', async () => {
    const { wallet, sent } = answeredWith([marked('0009'), marked('0001'), marked('0002')]);
    for (let i = 0; i < 3; i++) await read(wallet);
    expect(marks(sent)).toEqual([null, '0009', '0001']);
  });
});
