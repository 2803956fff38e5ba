import * as z from 'zod';
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../domain/limits.ts';
import { envelopeSchema, envelopeV3Schema, NoData } from './envelope.ts';
import { toJsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';

const MIB = 1024 * 1024;
const REPEATED_KEY = 'The first request with this Idempotency-Key is still running';
const TEXTS: Record<number, string> = {
  400: 'A field is invalid or violates a rule; the message names it',
  401: 'Missing or invalid API key',
  403: 'The key lacks a scope, is restricted to other templates or addresses, or a quota of the account or a parent account is used up; the message says which',
  404: 'Not found, or belongs to another account',
  409: REPEATED_KEY,
  413: `The body is larger than ${BODY_BYTES_MAX / MIB} MiB, or ${BULK_BODY_BYTES_MAX / MIB} MiB for a bulk operation or a file`,
  415: 'Unsupported content type; send JSON, or a file if the operation takes one',
  422: 'This Idempotency-Key was used for a different request',
  429: 'Too many requests; wait for the time in `Retry-After`',
  500: 'Server error; the message holds only the request ID',
  503: 'The account is being moved to another database, which takes seconds, or the database is overloaded; wait for the time in `Retry-After`',
};

/** Meaning of 409 where a pass or template is changed: too many concurrent changes, so this one was abandoned. */
export const PASS_IS_BUSY = 'The pass is being changed by many requests at once; try again';
export const TEMPLATE_IS_BUSY = 'The template is being changed by many requests at once; try again';

const BODIES = {
  1: z.object({ ErrorMessage: z.string() }),
  2: envelopeSchema(NoData),
  3: envelopeV3Schema(NoData),
};
const VERSIONS = Object.keys(BODIES).map(Number) as (keyof typeof BODIES)[];

/** Returns the schemas of the error bodies by their names in the document. */
export function errorSchemas(): Json {
  return Object.fromEntries(VERSIONS.map((version) => [`ErrorV${version}`, toJsonSchema(BODIES[version], 'output')]));
}

/** Returns the failures that mean the same in every operation of a version, by their names in the document. */
export function sharedFailures(): Json {
  const named = VERSIONS.flatMap((version) =>
    Object.keys(TEXTS).map((status) => [
      `Failure${status}V${version}`,
      documentOf(version, Number(status), TEXTS[Number(status)]!),
    ]),
  );
  return Object.fromEntries(named);
}

/** Returns the failures of an operation by status: those of its method, and those that it declares. */
export function failuresOf(method: string, path: string, { failures, conflict }: Operation): Json {
  const version = Number(/^\/api\/v([23])\//.exec(path)?.[1] ?? 1);
  const ofBody = method === 'GET' ? [] : [413, 415];
  const ofRepeating = method === 'POST' ? [409, 422] : [];
  const ofConflict = conflict ? [409] : [];
  const ofPath = path.includes(':') ? [404] : [];
  const ofAll = [400, 401, 403, 429, 500, 503];
  const statuses = new Set([...ofAll, ...ofBody, ...ofRepeating, ...ofConflict, ...(failures ?? ofPath)]);
  const documents = [...statuses].sort().map((status) => {
    if (status !== 409 || !conflict) return [status, { $ref: `#/components/responses/Failure${status}V${version}` }];
    return [status, documentOf(version, status, method === 'POST' ? `${conflict}. Or: ${REPEATED_KEY}` : conflict)];
  });
  return Object.fromEntries(documents);
}

function documentOf(version: number, status: number, description: string): Json {
  return {
    description,
    headers: headerRefs(status),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/ErrorV${version}` } } },
  };
}

export type Json = Record<string, unknown>;

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Headers of replies, by their names in the contract document. */
export const REPLY_HEADERS = {
  'X-Request-Id': text('Identifies the request in the service’s log'),
  'X-D1-Bookmark': text('Send it with your next request to read at least the state of this reply'),
  'RateLimit-Policy': text('Quota and window of the key'),
  RateLimit: text('Remaining quota, and seconds until it is reset'),
  'Retry-After': text('Seconds to wait'),
  'Idempotent-Replayed': text('`true`: repeats the reply of the first request with this Idempotency-Key'),
};

type HeaderName = keyof typeof REPLY_HEADERS;

/** Returns the headers of a reply with this status. `repeatable`: the operation takes an Idempotency-Key. */
export function headerRefs(status: number, repeatable = false): Json {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status !== 401) names.push('X-D1-Bookmark', 'RateLimit-Policy');
  if (status === 429) names.push('RateLimit', 'Retry-After');
  if (status === 503) names.push('Retry-After');
  if (repeatable) names.push('Idempotent-Replayed');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
