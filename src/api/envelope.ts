import type { Context, ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as z from 'zod';
import type { ApiEnv } from './api-env.ts';
import { toFailure } from './status.ts';
import { Count, like } from './view-fields.ts';

/** Parts of the v2/v3 envelope that an operation sets. */
interface Envelope {
  description: string;
  data?: unknown;
  statusCode?: ContentfulStatusCode;
  /** v3: number of items in `data`. */
  count?: number;
  responseMetaData?: Record<string, number> | null;
  page?: { next: string | null };
}

/** Replies with the envelope of v2. */
export function envelopeV2(c: Context, { description, data = [], statusCode = 200 }: Envelope): Response {
  return c.json({ success: true, description, errors: [], data, statusCode }, statusCode);
}

/** Replies with the envelope of v3, which adds `count` and `responseMetaData`. */
export function envelopeV3(c: Context, reply: Envelope): Response {
  const { description, data = [], statusCode = 200, count, responseMetaData = null, page } = reply;
  const body = { success: true, description, errors: [], data, statusCode, count, responseMetaData, page };
  return c.json(body, statusCode);
}

/** Renders every error of v2. */
export const onErrorV2: ErrorHandler<ApiEnv> = (error, c) => {
  const { status, messages } = toFailure(error, c);
  return c.json(failed(status, messages), status);
};

/** Renders every error of v3. */
export const onErrorV3: ErrorHandler<ApiEnv> = (error, c) => {
  const { status, messages } = toFailure(error, c);
  return c.json({ ...failed(status, messages), count: 0, responseMetaData: null }, status);
};

function failed(statusCode: number, errors: string[]) {
  return { success: false, description: errors.join('; '), errors, data: [], statusCode };
}

/** Schema of a v2 envelope around `data`, for the contract document. */
export function envelopeSchema<S extends z.ZodType>(data: S) {
  return z.object({
    success: like(z.boolean(), true),
    description: z.string(),
    errors: like(z.array(z.string()), []),
    data,
    statusCode: z.int(),
  });
}

/** Schema of a v3 envelope around `data`, for the contract document. */
export function envelopeV3Schema<S extends z.ZodType>(data: S) {
  return envelopeSchema(data).extend({
    count: Count.optional(),
    responseMetaData: z.record(z.string(), z.int()).nullable(),
  });
}

/** `responseMetaData` of a page of a list. */
export const PageCounts = z.object({ resultsTotal: Count, resultsThisPage: Count });

/** `data` of an operation that returns none. */
export const NoData = z.array(z.never()).max(0);
