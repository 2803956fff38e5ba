import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../settings.ts';
import type { ListenOptions } from './options.ts';

/** A stored payload, as the API returns it. */
export interface Payload {
  id: string;
  webhookId: string;
  type: string;
  triggeredOn: string;
  payload: Record<string, unknown>;
}

export interface Subscription {
  identifier: string;
  subscription_url: string | null;
}

interface Page {
  data: Payload[];
  responseMetaData: { resultsTotal: number };
}

interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

const PAGE_MAX = 500;
const REQUEST_MS_MAX = 15_000;
const RETRY_MS = 1_000;
/** Events and replies may be stamped by different clocks. */
const CLOCKS_APART_MS = 10_000;

/** The endpoints a listener uses. Waits out an outage until `stopped` aborts. */
export class Service {
  #options: Pick<ListenOptions, 'baseUrl' | 'apiKey'>;
  #stopped: AbortSignal;
  #onAway: (why: string) => void;
  /** When the first subscription was created, by the service's clock. */
  #startedAt?: number;

  constructor(options: Pick<ListenOptions, 'baseUrl' | 'apiKey'>, stopped: AbortSignal, onAway: (why: string) => void) {
    this.#options = options;
    this.#stopped = stopped;
    this.#onAway = onAway;
  }

  /** Creates a pull subscription and returns its identifier. */
  async subscribe(event: string, template: string | undefined, name: string): Promise<string> {
    const path = template === undefined ? '' : `/${encodeURIComponent(template)}`;
    const body = { event, pullMode: true, subscription_url: name };
    const reply = await this.#once('POST', `/api/hook/subscribe${path}`, body, { Prefer: 'return=representation' });
    if (reply.status === 404 && template !== undefined) throw new Problem(`There is no template ${template}.`);
    this.#startedAt ??= Date.parse(reply.headers.get('Date') ?? '') || Date.now();
    return (JSON.parse(expect(reply, 201)) as Subscription).identifier;
  }

  async subscriptions(): Promise<Subscription[]> {
    return JSON.parse(expect(await this.#once('GET', '/api/hook/list'), 200));
  }

  /** Removes a subscription and its pending payloads, even after `stopped`. */
  async unsubscribe(identifier: string): Promise<void> {
    const reply = await this.#send('DELETE', `/api/hook/${identifier}`);
    if (reply.status !== 404) expect(reply, 200);
  }

  /** Returns the unacknowledged payloads of these subscriptions, oldest first. */
  async fetch(identifiers: string[]): Promise<Payload[]> {
    const since = new Date((this.#startedAt ?? Date.now()) - CLOCKS_APART_MS).toISOString();
    const all = await this.#page({ since });
    if (all.responseMetaData.resultsTotal <= all.data.length) {
      return all.data.filter(({ webhookId }) => identifiers.includes(webhookId));
    }
    // Other subscriptions' payloads fill the page, so fetch each subscription separately. Identifiers are in order of
    // time.
    const pages: Page[] = [];
    for (const webhookId of identifiers) pages.push(await this.#page({ webhookId }));
    return pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Acknowledges a subscription's payloads up to this one. */
  async acknowledge({ id, webhookId }: Payload): Promise<void> {
    expect(await this.#steady('POST', '/api/v3/webhook-payload/acknowledge', { upTo: id, webhookId }), 200);
  }

  async #page(query: Record<string, string>): Promise<Page> {
    const parameters = new URLSearchParams({ limit: String(PAGE_MAX), ...query });
    return JSON.parse(expect(await this.#steady('GET', `/api/v3/webhook-payload?${parameters}`), 200));
  }

  /** Repeats a request until the answer isn't a failure of the service. */
  async #steady(method: string, path: string, body?: object): Promise<Reply> {
    for (;;) {
      let why: string;
      try {
        const reply = await this.#once(method, path, body);
        if (reply.status !== 429 && reply.status < 500) return reply;
        why = `status ${reply.status}`;
        const seconds = Number(reply.headers.get('Retry-After') ?? 0);
        if (seconds > 0) await delay(seconds * 1_000, undefined, { signal: this.#stopped });
      } catch (error) {
        if (this.#stopped.aborted || !(error instanceof Problem)) throw error;
        why = error.message;
      }
      this.#onAway(why);
      await delay(RETRY_MS, undefined, { signal: this.#stopped });
    }
  }

  #once(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply> {
    return this.#send(method, path, body, headers, this.#stopped);
  }

  async #send(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
    stopped?: AbortSignal,
  ): Promise<Reply> {
    const timeout = AbortSignal.timeout(REQUEST_MS_MAX);
    const { baseUrl, apiKey } = this.#options;
    try {
      const reply = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          Authorization: apiKey,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: stopped ? AbortSignal.any([timeout, stopped]) : timeout,
      });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    } catch {
      throw new Problem(`The service does not answer at ${baseUrl}.`);
    }
  }
}

/** Returns the body of a reply with this status. Throws a `Problem` with the service's own message otherwise. */
function expect({ status, text }: Reply, wanted: number): string {
  if (status === wanted) return text;
  if (status === 401) throw new Problem('The service does not accept the API key.');
  throw new Problem(`The service answered ${status}: ${messageOf(text)}`);
}

function messageOf(text: string): string {
  try {
    const { ErrorMessage, errors } = JSON.parse(text) as { ErrorMessage?: string; errors?: string[] };
    return ErrorMessage ?? errors?.join('; ') ?? text;
  } catch {
    return text;
  }
}
