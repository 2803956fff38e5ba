import type { Context, MiddlewareHandler } from 'hono';
import { DomainError, fieldIssue, invalid } from '../domain/errors.ts';
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX, IMPORT_BYTES_MAX } from '../domain/limits.ts';
import { sha256 } from '../platform/crypto.ts';
import {
  hasTooManyNames,
  hasTooManyParts,
  isTooDeep,
  LEVELS_MAX,
  NAMES_MAX,
  PARTS_MAX,
  parseWellFormed,
} from '../platform/json.ts';
import type { ApiEnv } from './api-env.ts';

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

/** The operation that takes a file instead of JSON, and the content types that it documents. */
const FILE_PATH = '/api/v2/pass-template/import';
export const FILE_TYPES = ['application/zip', 'application/vnd.apple.pkpass'];
/** The same types under other names: from old systems, and for files of an unknown type. */
const FILE_TYPE = /^application\/(zip|x-zip-compressed|x-zip|vnd\.apple\.pkpass|octet-stream)\s*(;|$)/i;

/** Reads a request's body once. Refuses a wrong content type (415) and a body that is too large (413). */
export const readBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await (c.var.bodyReading ?? startReading(c));
  await next();
};

/** Reads a request's body, for a route that needs it before `readBody` reports its errors. */
export async function startReading(c: Context<ApiEnv>): Promise<void> {
  c.set('rawBody', '');
  if (!c.req.raw.body || c.req.method === 'GET' || c.req.method === 'HEAD') return;
  if (c.req.path === FILE_PATH) return readFile(c);
  const bytesMax = c.req.path.startsWith('/api/v3/pass/bulk') ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX;
  const raw = await readText(c.req.raw, bytesMax);
  if (raw !== '') requireType(c, JSON_TYPE, 'application/json');
  if (raw == null) throw invalid('The request body must be UTF-8');
  c.set('rawBody', raw);
}

/** Throws if the content type is wrong. A body without one is taken as the expected type. */
function requireType(c: Context<ApiEnv>, pattern: RegExp, expected: string): void {
  const type = c.req.header('Content-Type');
  if (type === undefined || pattern.test(type)) return;
  throw new DomainError('unsupported_media_type', fieldIssue('Content-Type', `expected ${expected}, got ${type}`));
}

/** Keeps the bytes, and their digest instead of a text, by which repeats of a request are recognized. */
async function readFile(c: Context<ApiEnv>): Promise<void> {
  requireType(c, FILE_TYPE, FILE_TYPES.join(' or '));
  const bytes = new Uint8Array(await readBytes(c.req.raw, IMPORT_BYTES_MAX));
  c.set('rawBytes', bytes);
  c.set('rawBody', await sha256(bytes));
}

/** Returns undefined for a body that isn't UTF-8, because decoding it would lose characters. */
async function readText(request: Request, bytesMax: number): Promise<string | undefined> {
  const bytes = await readBytes(request, bytesMax);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Throws when the body is too large. */
async function readBytes(request: Request, bytesMax: number): Promise<ArrayBuffer> {
  const announced = Number(request.headers.get('Content-Length'));
  if (announced && announced <= bytesMax) return request.arrayBuffer();
  const tooLarge = () => new DomainError('too_large', `The request body is larger than ${bytesMax} bytes`);
  if (announced > bytesMax) throw tooLarge();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array<ArrayBuffer>>) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return new Blob(chunks).arrayBuffer();
}

/** Parses a body that must be a JSON object; an absent one counts as `{}`. */
export function parseObject(raw: string): Record<string, unknown> {
  if (raw.trim() === '') return {};
  if (hasTooManyParts(raw)) throw invalid(`The request body has more than ${PARTS_MAX} objects and arrays`);
  if (hasTooManyNames(raw)) throw invalid(`The request body has more than ${NAMES_MAX} different names of members`);
  let value: unknown;
  try {
    value = parseWellFormed(raw);
  } catch {
    throw invalid('The request body is not valid JSON');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object');
  }
  if (isTooDeep(value, raw)) throw invalid(`The request body has more than ${LEVELS_MAX} levels`);
  return value as Record<string, unknown>;
}
