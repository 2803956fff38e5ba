import { inject } from 'vitest';
import { control, homeOfFile } from './control.ts';
import { undocumented } from './documented.ts';
import { fetchWorker } from './fetch-worker.ts';
import { sampleTemplate, type TemplateInput } from './samples.ts';

/** A reply from the Worker. */
export interface Reply {
  status: number;
  headers: Headers;
  /** Parsed JSON, a text, or the bytes of anything else; undefined if there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: what stands in a reply is what the tests are there to find out
  body: any;
}

type Path = `/${string}` | `${'http' | 'https'}://${string}`;
type SentHeaders = Record<string, string>;
/** An object is sent as JSON; a text or bytes are sent unchanged. */
type Body = object | string | Uint8Array<ArrayBuffer>;

/** v1's reply for a created pass. */
export interface CreatedPass {
  identifier: string;
  uri: string;
  linkToPassFile: string;
  linkToPassPage: string;
  barcodeValue: string;
  genericProperties: Record<string, unknown>;
}

/** A caller with its own account. Paths are relative to the Worker's origin; links from replies also work. */
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
  /** Creates a pass of a template through v1, which does all of the work before it replies. */
  createPass(templateId: string, fields?: Record<string, unknown>): Promise<CreatedPass>;
}

/**
 * Creates an account with a key, in the test file's database or the named one. This isolates a file from all others.
 */
export async function freshAccount(options: { timezone?: string; database?: string } = {}): Promise<Client> {
  const { accountId, apiKey } = await admin<{ accountId: string; apiKey: string }>('account create', {
    name: 'Test',
    database: homeOfFile(),
    ...options,
  });
  return clientOf(accountId, apiKey);
}

/** Returns a caller that uses this key. */
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

/** Runs an administration command like an operator, and returns its result. Throws with the command's own message. */
export async function admin<Result>(command: string, options: Record<string, unknown> = {}): Promise<Result> {
  const headers = { Authorization: `Bearer ${inject('worker').adminToken}` };
  const reply = await send('POST', '/admin/commands', { command, options }, headers);
  return expectStatus(reply, 200).body as Result;
}

/**
 * Sends a request unchanged, without adding a key. Doesn't follow redirects. Throws for a 500, with the Worker's log,
 * because no test expects one, and for a reply that the contract document doesn't describe.
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
