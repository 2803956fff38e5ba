import * as z from 'zod';
import { checked } from '../../domain/check.ts';
import type { AccountContext } from '../../domain/context.ts';
import { invalidField } from '../../domain/errors.ts';
import { AnyText, OwnId } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { Query } from '../../domain/search/query.ts';
import { fromBase64 } from '../../platform/crypto.ts';
import { parseDate, parseDateTime } from '../../platform/dates.ts';
import { base64url } from '../../platform/ids.ts';

/** A query as sent and stored. Its meaning is checked where it is used. */
export const QueryInput = z.record(z.string(), z.unknown(), { error: 'is required and must be an object' });

export const QUERY_EXAMPLE = {
  searchPhrase: 'lovelace',
  groups: [
    [
      { field: 'voided', operator: 'isFalse' },
      { field: 'createdOn', operator: 'greaterThanOrEquals', value: '2026-01-01' },
      { field: 'userProvidedId', operator: 'beginsWith', value: ['booking-', 'order-'] },
    ],
  ],
};

const PageSize = z.int().min(1, 'must be at least 1').max(PAGE_SIZE_MAX, `must be at most ${PAGE_SIZE_MAX}`);
const Fields = z.array(AnyText).max(1_000);
const StartUid = OwnId.pipe(z.uuid());
const KeyFormat = z.enum(['id', 'name']);

/** Body of a search, or a bare query. */
export const SearchInput = z.looseObject({
  query: QueryInput.nullish(),
  pageSize: PageSize.nullish(),
  fields: Fields.nullish(),
  formatKeyAdditionalProperties: KeyFormat.nullish(),
  startUid: StartUid.nullish(),
  startCreatedOnTimestamp: z.string().nullish(),
  ...Query.shape,
});

/** Parameters of the pass list. */
export const ListInput = z.object({
  query: z.string().optional(),
  segmentId: OwnId.optional(),
  pageSize: z
    .string()
    .regex(/^\d{1,9}$/, `must be an integer from 1 to ${PAGE_SIZE_MAX}`)
    .transform(Number)
    .pipe(PageSize)
    .optional(),
  fields: z.string().optional(),
  formatKeyAdditionalProperties: KeyFormat.optional(),
  startUid: StartUid.optional(),
  startCreatedOnTimestamp: z.string().optional(),
});

/** A search, whether it was sent as a body or as parameters. */
export interface Asked {
  query: Record<string, unknown>;
  /** The stored query that it comes from, if any. */
  segmentId?: string;
  pageSize: number;
  /** Members to show in a row. Absent: all. */
  fields?: string[];
  keys: 'id' | 'name';
  startUid?: string;
  /** The text as sent. */
  startCreatedOn?: string;
}

const SEARCH_NAMES = [
  'query',
  'pageSize',
  'fields',
  'formatKeyAdditionalProperties',
  'startUid',
  'startCreatedOnTimestamp',
];

/**
 * Reads the body of a search. Without `query`, all members that aren't options form the query. With `query`, known
 * query members next to it restrict it further.
 */
export function askedByBody(body: z.output<typeof SearchInput>): Asked {
  const bare = Object.entries(body).filter(([name]) => !SEARCH_NAMES.includes(name));
  const beside = body.query ? bare.filter(([name]) => name in Query.shape) : bare;
  return {
    query: { ...Object.fromEntries(beside), ...body.query },
    pageSize: body.pageSize ?? PAGE_SIZE_MAX,
    fields: named(body.fields ?? []),
    keys: body.formatKeyAdditionalProperties ?? 'id',
    startUid: body.startUid ?? undefined,
    startCreatedOn: body.startCreatedOnTimestamp ?? undefined,
  };
}

/** Reads the parameters of a list. `stored` is the query of the segment that they name. */
export function askedByParameters(parameters: z.output<typeof ListInput>, stored?: Record<string, unknown>): Asked {
  const { query, segmentId, pageSize, fields, startUid } = parameters;
  return {
    query: stored ?? (query ? decodeQuery(query) : {}),
    segmentId,
    pageSize: pageSize ?? PAGE_SIZE_MAX,
    fields: named(readFields(fields ?? '')),
    keys: parameters.formatKeyAdditionalProperties ?? 'id',
    startUid,
    startCreatedOn: parameters.startCreatedOnTimestamp,
  };
}

/** Returns the names that aren't empty. `undefined` means all members. */
function named(fields: string[]): string[] | undefined {
  const names = fields.filter((name) => name !== '');
  return names.length > 0 ? names : undefined;
}

/** Reads comma-separated names, or a JSON array of names. */
function readFields(text: string): string[] {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim());
  return checked(z.object({ fields: Fields }), { fields: parseJson(text, 'fields') }).fields;
}

/** Writes `fields` in the form that `readFields` reads. */
export function writeFields(fields: string[]): string {
  return fields.some((name) => /^\[|,|^\s|\s$/.test(name)) ? JSON.stringify(fields) : fields.join(',');
}

function decodeQuery(text: string): Record<string, unknown> {
  let json: string;
  try {
    json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(fromBase64(text.replaceAll(' ', '+')));
  } catch {
    throw invalidField('query', 'must be JSON in base64url or base64, such as eyJzZWFyY2hQaHJhc2UiOiJsb3ZlbGFjZSJ9');
  }
  return checked(z.object({ query: QueryInput }), { query: parseJson(json, 'query') }).query;
}

const JSON_EXAMPLES = { fields: '["identifier","createdOn"]', query: '{"searchPhrase":"lovelace"}' };

function parseJson(text: string, name: keyof typeof JSON_EXAMPLES): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(name, `is not valid JSON; send it like ${JSON_EXAMPLES[name]}`);
  }
}

/** Writes a query in the form that `decodeQuery` reads: JSON in base64url. */
export function encodeQuery(query: Record<string, unknown>): string {
  return base64url(Buffer.from(JSON.stringify(query)));
}

const LAST_MS_OF_SECOND = 999;

/** Returns the last millisecond of the second in which a page starts, in UTC milliseconds. */
export function startOfPage({ account }: AccountContext, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const millis = parseDateTime(text, account.timezone) ?? parseDate(text, account.timezone);
  if (millis === undefined) throw invalidField('startCreatedOnTimestamp', 'must look like 2026-12-24 09:10:00');
  return millis + LAST_MS_OF_SECOND;
}
