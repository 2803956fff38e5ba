import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpCall } from '../../../src/wallets/google/call-google.ts';
import { SharedCalls } from '../../../src/wallets/google/shared-calls.ts';

const API = 'https://walletobjects.googleapis.com/walletobjects/v1';
const BATCH = 'https://walletobjects.googleapis.com/batch';

interface Sent {
  url: string;
  authorization: string;
  /** Method, path and body of each call in it. */
  calls: string[];
}

let sent: Sent[];
let open: { now: number; most: number };
let answerBatch: (paths: string[]) => Response | Promise<Response>;
let calls: SharedCalls;

beforeEach(() => {
  sent = [];
  open = { now: 0, most: 0 };
  answerBatch = (paths) => multipart(paths.map((path, at) => part(at, 200, `{"path":"${path}"}`)));
  calls = new SharedCalls(answer as typeof fetch);
});

async function answer(url: string, init: RequestInit): Promise<Response> {
  open.now += 1;
  open.most = Math.max(open.most, open.now);
  await new Promise((resolve) => setTimeout(resolve, 1));
  open.now -= 1;
  expect(init).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) });
  const { authorization = '' } = init.headers as Record<string, string>;
  if (url !== BATCH) {
    const { pathname } = new URL(url);
    sent.push({ url, authorization, calls: [`${init.method} ${pathname} ${init.body ?? ''}`] });
    return Response.json({ path: pathname });
  }
  const lines = String(init.body).split('\r\n');
  const starts = lines.flatMap((line, i) => (/^(GET|PUT|POST) /.test(line) ? i : []));
  sent.push({ url, authorization, calls: starts.map((i) => `${lines[i]} ${lines[i + 3]}`) });
  return answerBatch(starts.map((i) => lines[i]!.split(' ')[1]!));
}

const part = (at: number, status: number, body: string, headers = '') =>
  `Content-Type: application/http\r\nContent-ID: <response-call-${at}>\r\n\r\nHTTP/1.1 ${status} Some Reason\r\nContent-Type: application/json\r\n${headers}\r\n${body}\r\n`;
const multipart = (parts: string[]) =>
  new Response(`${parts.map((one) => `--b\r\n${one}`).join('')}--b--`, {
    headers: { 'content-type': 'multipart/mixed; boundary="b"' },
  });

const put = (name: string | number, token = 'a'): HttpCall => ({
  url: `${API}/genericObject/${name}`,
  method: 'PUT',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: `{"id":"${name}"}`,
});
const pathOf = (name: string | number) => `/walletobjects/v1/genericObject/${name}`;
const callIn = async (one: HttpCall) => (await calls.call(one)).json();
const jobs = (count: number, job: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => calls.run(() => job(at))));

describe('calls of jobs that run at the same time', () => {
  test('are sent as they are if there is one', async () => {
    await calls.run(() => callIn(put('one')));
    expect(sent).toEqual([
      { url: put('one').url, authorization: 'Bearer a', calls: [`PUT ${pathOf('one')} {"id":"one"}`] },
    ]);
  });

  test('do not wait for a job that does something else for long', async () => {
    calls = new SharedCalls(answer as typeof fetch, 20);
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = calls.run(() => promise);
    await jobs(2, async (at) => [await callIn(put(at)), await callIn(put(`${at}-again`))]);
    expect(sent.map((one) => one.calls.length)).toEqual([2, 2]);
    resolve();
    await busy;
  });

  test('are one batch request for each round, and each job gets its own reply', async () => {
    answerBatch = (paths) => multipart(paths.map((path, at) => part(at, 200, `{"path":"${path}"}`)).reverse());
    const results = await jobs(3, async (at) => [await callIn(put(at)), await callIn(put(`${at}-again`))]);
    expect(results).toEqual([0, 1, 2].map((at) => [{ path: pathOf(at) }, { path: pathOf(`${at}-again`) }]));
    expect(sent.map((one) => one.calls)).toEqual([
      [0, 1, 2].map((at) => `PUT ${pathOf(at)} HTTP/1.1 {"id":"${at}"}`),
      [0, 1, 2].map((at) => `PUT ${pathOf(`${at}-again`)} HTTP/1.1 {"id":"${at}-again"}`),
    ]);
  });

  test('are batches of at most 20, of one account each, over at most two connections', async () => {
    await jobs(50, (at) => callIn(put(at, at % 5 === 0 ? 'b' : 'a')));
    expect(sent.map(({ authorization, calls }) => [authorization, calls.length])).toEqual([
      ['Bearer b', 10],
      ['Bearer a', 20],
      ['Bearer a', 20],
    ]);
    expect(open.most).toBe(2);
  });

  test('do not wait for a job that has ended, failed, or makes no call', async () => {
    const outcomes = await Promise.allSettled([
      calls.run(async () => {}),
      calls.run(() => Promise.reject(new Error('broken'))),
      calls.run(() => callIn(put(1))),
      calls.run(() => callIn(put(2))),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(sent.map((one) => one.calls.length)).toEqual([2]);
  });

  test('wait for work of another job without holding up its call', async () => {
    let times = 0;
    const shared = async () => {
      times += 1;
      return callIn(put('class'));
    };
    const results = await jobs(20, async (at) => [await calls.once('class', shared), await callIn(put(at))]);
    expect(results[7]).toEqual([{ path: pathOf('class') }, { path: pathOf(7) }]);
    expect([times, sent.map((one) => one.calls.length)]).toEqual([1, [1, 20]]);
    await calls.run(() => calls.once('class', shared));
    expect(times).toBe(2);
  });
});

describe('a batch request', () => {
  const outcomes = (count: number) =>
    jobs(count, (at) =>
      calls.call(put(at)).then(
        async (reply) => [reply.status, reply.headers.get('retry-after'), await reply.text()],
        (error: Error) => error.message,
      ),
    );

  test('with different replies gives each call its status, headers and body', async () => {
    answerBatch = () =>
      multipart([
        part(0, 503, 'Unavailable', 'Retry-After: 40\r\n'),
        'Content-ID: response-call-1\r\n\r\nHTTP/1.1 204 No Content\r\n',
        part(2, 404, '{"error":{"message":"a: b\\n--b"}}'),
      ]);
    expect(await outcomes(3)).toEqual([
      [503, '40', 'Unavailable'],
      [204, null, ''],
      [404, null, '{"error":{"message":"a: b\\n--b"}}'],
    ]);
  });

  test('with replies without names takes them in the order of the calls', async () => {
    answerBatch = () =>
      multipart([part(0, 200, 'first'), part(1, 200, 'second')].map((one) => one.replace(/Content-ID.*\r\n/, '')));
    expect(await outcomes(2)).toEqual([
      [200, null, 'first'],
      [200, null, 'second'],
    ]);
  });

  test.each([401, 429, 503])('that is refused with %d gives each call this reply', async (status) => {
    answerBatch = () => new Response('later', { status, headers: { 'Retry-After': '7' } });
    expect(await outcomes(2)).toEqual(Array(2).fill([status, '7', 'later']));
    expect(sent).toHaveLength(1);
  });

  test('that Google does not accept as such is sent as single calls', async () => {
    answerBatch = () => new Response('no such page', { status: 404 });
    expect(await outcomes(3)).toEqual([0, 1, 2].map((at) => [200, null, `{"path":"${pathOf(at)}"}`]));
    expect(sent.map((one) => one.calls.length)).toEqual([3, 1, 1, 1]);
    expect(open.most).toBe(2);
  });

  test.each([
    ['a reply is missing', () => multipart([part(0, 200, 'here')])],
    ['a reply is unreadable', () => multipart([part(0, 200, 'here'), part(1, 999, '')])],
  ])('of which %s fails only that call', async (_, reply) => {
    answerBatch = reply;
    expect(await outcomes(2)).toEqual([[200, null, 'here'], 'the batch was answered without this call']);
  });

  test.each([
    ['without a boundary', () => new Response('{}')],
    ['with no part', () => multipart([])],
  ])('that is answered %s fails all calls', async (_, reply) => {
    answerBatch = reply;
    expect(await outcomes(2)).toEqual(Array(2).fill('the batch was answered without this call'));
  });

  test('that breaks fails all calls', async () => {
    answerBatch = () => Promise.reject(new Error('connection lost'));
    expect(await outcomes(2)).toEqual(Array(2).fill('connection lost'));
  });
});
