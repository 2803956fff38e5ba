import { parseObject } from '../api/body.ts';

/*
 * The wire format: JSON-RPC 2.0 in two generations of the Model Context Protocol. Up to 2025-11-25, a client starts
 * with `initialize`. Since 2026-07-28, each request states its version in `_meta` and repeats it in headers.
 */

/** From this revision on, each request is independent. */
export const MODERN = '2026-07-28';
/** Revisions with a handshake, newest first. Earlier ones have no structured results. */
export const LEGACY = ['2025-11-25', '2025-06-18'] as const;
export const SUPPORTED: readonly string[] = [MODERN, ...LEGACY];

const META = 'io.modelcontextprotocol/';
export const SERVER_INFO_KEY = `${META}serverInfo`;
const VERSION_KEY = `${META}protocolVersion`;
const CAPABILITIES_KEY = `${META}clientCapabilities`;

export const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export type MessageId = string | number;
type Params = Record<string, unknown>;

/** A message from a client: a request, or a notification, which has no `id` and gets no answer. */
export interface Message {
  id?: MessageId;
  method: string;
  params: Params;
  isModern: boolean;
}

/** An error of the protocol, with the HTTP status to send. */
export class ProtocolError extends Error {
  code: number;
  status: 200 | 400 | 404;
  id?: MessageId;
  data?: unknown;

  constructor(code: number, message: string, { status = 400, id, data }: Partial<ProtocolError> = {}) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
    this.status = status;
    this.id = id;
    this.data = data;
  }
}

/** Returns whether a JSON value is an object. */
export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a message and checks it against the rules of its revision. Throws `ProtocolError`. */
export function readMessage(raw: string, headers: Headers): Message {
  const body = parsed(raw);
  if (body.jsonrpc !== '2.0') throw refused('The body must be a JSON-RPC 2.0 message');
  const { method, params = {} } = body;
  const id = idOf(body);
  if (typeof method !== 'string') throw refused('The message has no method; this server sends no requests', id);
  if (!isObject(params)) throw refused('params must be an object', id);
  const isModern = checkVersion(params, headers, { id, method });
  const message = { id, method, params, isModern };
  if (isModern && id !== undefined) checkHeaders(message, headers);
  return message;
}

function parsed(raw: string): Params {
  if (raw.trimStart().startsWith('[')) throw refused('Batches are not supported; send one message per request');
  try {
    return parseObject(raw);
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    throw new ProtocolError(text.includes('not valid JSON') ? CODES.parseError : CODES.invalidRequest, text);
  }
}

const refused = (text: string, id?: MessageId): ProtocolError => new ProtocolError(CODES.invalidRequest, text, { id });

function idOf(body: Params): MessageId | undefined {
  if (!Object.hasOwn(body, 'id')) return undefined;
  const { id } = body;
  if (typeof id === 'string' || Number.isInteger(id)) return id as MessageId;
  throw refused('id must be a string or an integer');
}

type About = Pick<Message, 'id' | 'method'>;

/** Returns whether the message is of the newer generation. Throws if it names an unknown revision. */
function checkVersion(params: Params, headers: Headers, { id, method }: About): boolean {
  const header = headers.get('MCP-Protocol-Version')?.trim();
  const meta = isObject(params._meta) ? params._meta : {};
  const claimed = meta[VERSION_KEY];
  if (claimed !== undefined && typeof claimed !== 'string') throw invalidMeta(VERSION_KEY, id);
  // The handshake negotiates the revision.
  if (claimed === undefined && method === 'initialize' && header !== MODERN) return false;
  const version = claimed ?? header;
  if (version !== undefined && !SUPPORTED.includes(version)) throw unsupported(version, id);
  if (version !== MODERN) return false;
  if (claimed === undefined && id !== undefined) throw invalidMeta(VERSION_KEY, id);
  if (id !== undefined && !isObject(meta[CAPABILITIES_KEY])) throw invalidMeta(CAPABILITIES_KEY, id);
  return true;
}

function invalidMeta(key: string, id: MessageId | undefined): ProtocolError {
  return new ProtocolError(CODES.invalidParams, `params._meta needs ${key}`, { id });
}

function unsupported(requested: string, id: MessageId | undefined): ProtocolError {
  const data = { supported: SUPPORTED, requested };
  return new ProtocolError(CODES.unsupportedVersion, 'Unsupported protocol version', { id, data });
}

/** Checks that the headers match the body, because intermediaries rely on the headers. */
function checkHeaders({ id, method, params }: Message, headers: Headers): void {
  const expected: [name: string, value: unknown][] = [
    ['MCP-Protocol-Version', MODERN],
    ['Mcp-Method', method],
    ...(method === 'tools/call' ? ([['Mcp-Name', params.name]] as [string, unknown][]) : []),
  ];
  for (const [name, value] of expected) {
    const sent = headers.get(name)?.trim();
    if (typeof value !== 'string' || (sent !== undefined && decoded(sent) === value)) continue;
    const problem = sent === undefined ? 'is missing' : `does not match the body, which has ${value}`;
    throw new ProtocolError(CODES.headerMismatch, `Header mismatch: ${name} ${problem}`, { id });
  }
}

const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Decodes a header value, which is in Base64 unless it is plain ASCII. */
function decoded(value: string): string {
  const [, base64] = BASE64.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
}
