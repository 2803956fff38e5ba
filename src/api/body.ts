import type { Context, MiddlewareHandler } from 'hono';
import { DomainError, fieldIssue, invalid } from '../domain/errors.ts';
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../domain/limits.ts';
import type { ApiEnv } from './api-env.ts';

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

/** Reads a request's body once: refuses what is not JSON by type (415) or is too large (413). */
export const readBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await (c.var.bodyReading ?? startReading(c));
  await next();
};

/** The reading of a request's body; for a route that needs it before `readBody` says what is wrong with it. */
export async function startReading(c: Context<ApiEnv>): Promise<void> {
  c.set('rawBody', '');
  if (c.req.raw.body && c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    const bytesMax = c.req.path.startsWith('/api/v3/pass/bulk') ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX;
    const raw = await readText(c.req.raw, bytesMax);
    const type = c.req.header('Content-Type');
    if (raw !== '' && type !== undefined && !JSON_TYPE.test(type)) {
      throw new DomainError(
        'unsupported_media_type',
        fieldIssue('Content-Type', `expected application/json, got ${type}`),
      );
    }
    c.set('rawBody', raw);
  }
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  const tooLarge = () => new DomainError('too_large', `The request body is larger than ${bytesMax} bytes`);
  const announced = Number(request.headers.get('Content-Length') ?? Number.NaN);
  if (announced > bytesMax) throw tooLarge();
  if (announced >= 0) return request.text();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Escaped, a half of a surrogate pair can stand alone; it is no character, and no storage gives it back. */
const SURROGATE_ESCAPE = /\\ud[89a-f]/i;

function parseJson(raw: string): unknown {
  if (!SURROGATE_ESCAPE.test(raw)) return JSON.parse(raw);
  return JSON.parse(raw, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part));
}

/**
 * Levels of objects and arrays in a body. What walks a value, `JSON.stringify` first, overflows its stack at some
 * thousands.
 */
const BODY_LEVELS_MAX = 100;

function isTooDeep(body: object): boolean {
  let level = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > BODY_LEVELS_MAX) return true;
    level = level.flatMap((part) => Object.values(part).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return false;
}

/** Parses a body that must be a JSON object; an absent one counts as `{}`. */
export function parseObject(raw: string): Record<string, unknown> {
  if (raw.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(raw);
  } catch {
    throw invalid('The request body is not valid JSON');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object');
  }
  // A level takes two characters at least, so most bodies need no look.
  if (raw.length > 2 * BODY_LEVELS_MAX && isTooDeep(value)) {
    throw invalid(`The request body has more than ${BODY_LEVELS_MAX} levels`);
  }
  return value as Record<string, unknown>;
}
