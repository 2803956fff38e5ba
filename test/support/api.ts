import { inject } from 'vitest';
import { control, homeOfFile } from './control.ts';
import { undocumented } from './documented.ts';
import { fetchWorker } from './fetch-worker.ts';
import { sampleTemplate, type TemplateInput } from './samples.ts';

/** A reply of the Worker. */
export interface Reply {
  status: number;
  headers: Headers;
  /** Parsed JSON, a text, or the bytes of anything else; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what stands in a reply is what the tests are there to find out
  body: any;
}

type Path = `/${string}` | `${'http' | 'https'}://${string}`;
type SentHeaders = Record<string, string>;
/** An object goes out as JSON; a text or bytes go out as they are, for what is not JSON. */
type Body = object | string | Uint8Array<ArrayBuffer>;

/** What a created pass answers in v1. */
export interface CreatedPass {
  identifier: string;
  uri: string;
  linkToPassFile: string;
  linkToPassPage: string;
  barcodeValue: string;
  genericProperties: Record<string, unknown>;
}

/**
 * A caller with an account of its own. Paths are relative to the Worker's origin; links from replies can be given
 * whole.
 */
export interface Client {
  accountId: string;
  apiKey: string;
  get(path: Path, headers?: SentHeaders): Promise<Reply>;
  post(path: Path, body?: Body, headers?: SentHeaders): Promise<Reply>;
  put(path: Path, body?: Body, headers?: SentHeaders): Promise<Reply>;
  patch(path: Path, body?: Body, headers?: SentHeaders): Promise<Reply>;
  delete(path: Path, body?: Body, headers?: SentHeaders): Promise<Reply>;
  /** Creates the sample template with some members replaced, and returns its identifier. */
  createTemplate(overrides?: Partial<TemplateInput>): Promise<string>;
  /** Creates a pass of a template by v1, which does all of it before it replies. */
  createPass(templateId: string, fields?: Record<string, unknown>): Promise<CreatedPass>;
}

/** A new account with a key, in the database of the test file or a named one: what isolates a file from all others. */
export async function freshAccount(options: { timezone?: string; database?: string } = {}): Promise<Client> {
  const { accountId, apiKey } = await admin<{ accountId: string; apiKey: string }>('account create', {
    name: 'Test',
    database: homeOfFile(),
    ...options,
  });
  return clientOf(accountId, apiKey);
}

/** A caller that uses this key. */
export function clientOf(accountId: string, apiKey: string): Client {
  const as = (method: string) => (path: Path, body?: Body, headers?: SentHeaders) =>
    send(method, path, body, { Authorization: apiKey, ...headers });
  const post = as('POST');
  return {
    accountId,
    apiKey,
    get: (path, headers) => as('GET')(path, undefined, headers),
    post,
    put: as('PUT'),
    patch: as('PATCH'),
    delete: as('DELETE'),
    async createTemplate(overrides) {
      const reply = await post('/api/v2/pass-template', sampleTemplate(overrides));
      return expectStatus(reply, 201).body.data.identifier;
    },
    async createPass(templateId, fields = {}) {
      const reply = await post(`/api/pass?passtemplate=${templateId}&integrationStyle=true`, fields);
      return expectStatus(reply, 201).body;
    },
  };
}

/** Runs an administration command as an operator does, and returns its result. Throws with the command's own words. */
export async function admin<Result>(command: string, options: Record<string, unknown> = {}): Promise<Result> {
  const headers = { Authorization: `Bearer ${inject('worker').adminToken}` };
  const reply = await send('POST', '/admin/commands', { command, options }, headers);
  return expectStatus(reply, 200).body as Result;
}

/**
 * Sends a request as it stands, without a key of its own. A redirect is not followed. A 500 throws with what the
 * Worker's log says, because no test can want one, and so does a reply that the contract document does not tell of.
 */
export async function send(method: string, path: Path, body?: Body, headers: SentHeaders = {}): Promise<Reply> {
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
  const url = new URL(path, inject('worker').origin);
  const response = await fetchWorker(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: isJson ? JSON.stringify(body) : body,
    redirect: 'manual',
  });
  const reply = { status: response.status, headers: response.headers, body: await readBody(response) };
  if (reply.status === 500) throw new Error(`${method} ${path} failed inside the Worker: ${await causeOf(reply)}`);
  const strange = undocumented({ method, path: url.pathname }, reply);
  if (strange) throw new Error(`${method} ${path}: ${strange}`);
  return reply;
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  if (/\bjson\b/.test(type)) {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }
  if (type.startsWith('text/')) return response.text();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}

const ERROR_LINE_DEADLINE_MILLIS = 2_000;

async function causeOf({ headers, body }: Reply): Promise<string> {
  const requestId = headers.get('X-Request-Id');
  const known = requestId ? { requestId } : {};
  const fields = { event: 'error', ...known };
  const line = await control('findLog', { fields, deadlineMillis: ERROR_LINE_DEADLINE_MILLIS });
  return String(line?.error ?? JSON.stringify(body));
}

function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status) {
    throw new Error(`expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body)}`);
  }
  return reply;
}
