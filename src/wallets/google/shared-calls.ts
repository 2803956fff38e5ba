import type { Context } from '../../domain/context.ts';
import { CALLS_PER_SECOND } from '../../domain/google-rate-limit/rate.ts';
import { Slots } from '../../platform/concurrency.ts';
import type { Meter } from '../../platform/db.ts';
import { logLine } from '../../platform/log.ts';
import { callGoogle, type GoogleCalls, type HttpCall } from './call-google.ts';

/** Connections of all jobs that share their calls. */
export const SHARED_CONNECTIONS = 2;
/** Calls of a batch count one by one against the rate limit. */
const BATCH_CALLS_MAX = CALLS_PER_SECOND;
/** Google doesn't say whether it handles the calls of a batch one after the other. */
const BATCH_TIMEOUT_MS = 30_000;
/** Longest wait of a call for other jobs. A job waits less for the rate limit, but longer while its account moves. */
const WAIT_MS_MAX = 3_000;

interface WaitingCall extends HttpCall {
  settle: (reply: Promise<Response>) => void;
}

/**
 * Calls to Google of jobs that run at the same time. Once every job waits for a reply, or a call has waited for
 * seconds, the waiting calls become batch requests, one for each service account: a single call is sent as it is. Only
 * code in `run` may use `call` and `once`.
 */
export class SharedCalls implements GoogleCalls {
  #fetch: typeof fetch;
  #connections = new Slots(SHARED_CONNECTIONS);
  /** Jobs that don't wait for a reply, so another call may come. */
  #busy = 0;
  #waiting: WaitingCall[] = [];
  /** Ends the wait of the call that has waited longest. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMsMax: number;
  #begun = new Map<string, Promise<unknown>>();

  constructor(send: typeof fetch = (input, init) => globalThis.fetch(input, init), waitMsMax = WAIT_MS_MAX) {
    this.#fetch = send;
    this.#waitMsMax = waitMsMax;
  }

  /** Runs a job that may call Google, one call at a time. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await job();
    } finally {
      this.#busy -= 1;
      this.#flushSoon();
    }
  }

  /** Makes a call to the API with those of other jobs. Rejects with network errors and timeouts. */
  call = (call: HttpCall): Promise<Response> => {
    this.#timer ??= setTimeout(() => this.#sendAll(), this.#waitMsMax);
    return this.#aside(new Promise((resolve) => this.#waiting.push({ ...call, settle: resolve })));
  };

  /** Makes a call on its own, for example to another host. Rejects with network errors and timeouts. */
  callAlone = (call: HttpCall): Promise<Response> => this.#connections.run(1, () => callGoogle(call, this.#fetch));

  /** Does `work`, or waits for another job that is doing the work with this name. */
  once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = this.#begun.get(name) as Promise<T> | undefined;
    if (begun) return this.#aside(begun);
    const own = work().finally(() => this.#begun.delete(name));
    this.#begun.set(name, own);
    return own;
  }

  /** Waits for something that needs no further call of this job. */
  async #aside<T>(wait: Promise<T>): Promise<T> {
    this.#busy -= 1;
    this.#flushSoon();
    try {
      return await wait;
    } finally {
      this.#busy += 1;
    }
  }

  /** Sends the waiting calls, unless a job that has just begun or got its reply makes another one. */
  #flushSoon(): void {
    if (this.#busy === 0) setTimeout(() => this.#busy === 0 && this.#sendAll(), 0);
  }

  #sendAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ofAccounts = Map.groupBy(this.#waiting.splice(0), ({ url, headers }) =>
      JSON.stringify([new URL(url).origin, headers.authorization]),
    );
    for (const calls of ofAccounts.values()) {
      for (let at = 0; at < calls.length; at += BATCH_CALLS_MAX) this.#send(calls.slice(at, at + BATCH_CALLS_MAX));
    }
  }

  #send(calls: WaitingCall[]): void {
    const [only, ...more] = calls as [WaitingCall, ...WaitingCall[]];
    if (more.length === 0) {
      only.settle(this.callAlone(only));
      return;
    }
    const replies = this.#batch(calls);
    for (const [i, { settle }] of calls.entries()) {
      settle(
        replies.then((all) => {
          if (all === undefined) return this.callAlone(calls[i]!);
          const reply = all[i];
          if (!reply) throw new Error('the batch was answered without this call');
          return reply;
        }),
      );
    }
  }

  /** Returns the replies in the order of the calls; undefined if Google refuses the batch as such. */
  async #batch(calls: HttpCall[]): Promise<(Response | undefined)[] | undefined> {
    const [{ url, headers }] = calls as [HttpCall];
    const { contentType, body } = batchBody(calls);
    const batch: HttpCall = {
      url: new URL('/batch', url).href,
      method: 'POST',
      headers: { authorization: headers.authorization!, 'content-type': contentType },
      body,
    };
    const { reply, text } = await this.#connections.run(1, async () => {
      const reply = await callGoogle(batch, this.#fetch, BATCH_TIMEOUT_MS);
      return { reply, text: await reply.text() };
    });
    const { status, headers: replied } = reply;
    if (status === 200) return repliesOf(calls.length, replied.get('content-type') ?? '', text);
    // About the token, the rate or the service: each call gets this reply, and deals with it.
    if (status === 401 || status === 429 || status >= 500) {
      return calls.map(() => new Response(text, { status, headers: replied }));
    }
    logLine('error', { event: 'google-batch', status, calls: calls.length });
    return undefined;
  }
}

/** Shared calls by the meter of a job, which all its contexts share. */
const shared = new WeakMap<Meter, SharedCalls>();

/** Lets a job share the calls of others, in whose `run` it must be. */
export function shareCalls(ctx: Context, calls: SharedCalls): void {
  shared.set(ctx.meter, calls);
}

/** Returns the calls that a job shares; undefined if it shares none. */
export function sharedCallsOf(ctx: Context): SharedCalls | undefined {
  return shared.get(ctx.meter);
}

/*
 * A batch request is a POST with a part for each call, of type `application/http`. Its reply has a part for each reply.
 * Source: Google, "Batching requests" (cloud.google.com/compute/docs/api/how-tos/batch), to which the Google Wallet
 * samples refer.
 */

const EOL = '\r\n';
const callId = (at: number) => `call-${at}`;
const CALL_OF_REPLY = /^<?response-call-(\d+)>?$/;

/** Builds the body of a batch request. Its parts get the authorization of the request. */
function batchBody(calls: HttpCall[]): { contentType: string; body: string } {
  const boundary = `batch_${crypto.randomUUID()}`;
  const parts = calls.map(({ url, method = 'GET', headers, body = '' }, at) => {
    const { pathname, search } = new URL(url);
    const { authorization: _, ...own } = headers;
    return [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      `Content-ID: <${callId(at)}>`,
      '',
      `${method} ${pathname}${search} HTTP/1.1`,
      ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join(EOL);
  });
  return { contentType: `multipart/mixed; boundary=${boundary}`, body: [...parts, `--${boundary}--`, ''].join(EOL) };
}

/**
 * Reads the reply to a batch of `count` calls: a reply for each call, in their order, or undefined if it has none. A
 * part without `Content-ID` belongs to the call at its place.
 */
function repliesOf(count: number, contentType: string, text: string): (Response | undefined)[] {
  const replies = new Array<Response | undefined>(count).fill(undefined);
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return replies;
  // Before the first boundary there may be a preamble. The last boundary ends with two hyphens.
  const parts = `\n${text}`.split(`\n--${boundary}`).slice(1);
  for (const [place, part] of parts.entries()) {
    if (part.startsWith('--')) break;
    const [headers, message] = headAndBody(part.slice(part.indexOf('\n') + 1));
    const named = CALL_OF_REPLY.exec(headers.get('content-id') ?? '')?.[1];
    const at = named === undefined ? place : Number(named);
    if (at < count) replies[at] = replyOf(message);
  }
  return replies;
}

/** Reads an HTTP reply; undefined if it isn't one. */
function replyOf(message: string): Response | undefined {
  const status = Number(/^HTTP\/[\d.]{1,3} (\d{3})\b/.exec(message)?.[1]);
  if (!(status >= 200 && status < 600)) return undefined;
  const [headers, body] = headAndBody(message.slice(message.indexOf('\n') + 1 || message.length));
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers });
}

/** Splits headers and body at the first empty line. */
function headAndBody(text: string): [Headers, string] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  const headers = new Headers();
  for (const line of lines.slice(0, end)) {
    const colon = line.indexOf(':');
    if (/^[\w-]{1,100}$/.test(line.slice(0, colon))) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return [
    headers,
    lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  ];
}
