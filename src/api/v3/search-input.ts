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

/** A query as it is sent, and kept as it is: what it means is checked where it is used. */
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

/** What a search asks for, however it was sent. */
export interface Asked {
  query: Record<string, unknown>;
  /** The stored query that it comes from. */
  segmentId?: string;
  pageSize: number;
  /** Members of a row to show; absent: all. */
  fields?: string[];
  keys: 'id' | 'name';
  startUid?: string;
  /** As it was sent. */
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
 * What the body of a search asks for. Without `query` the members beside the others are the query; with one, those of a
 * query that stand beside it restrict it, too.
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

/** What the parameters of a list ask for; `stored` is the query of the segment that they name. */
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

/** Names of members; undefined, which means all, when none is named. */
function named(fields: string[]): string[] | undefined {
  const names = fields.filter((name) => name !== '');
  return names.length > 0 ? names : undefined;
}

/** Names between commas, or a JSON array of names. */
function readFields(text: string): string[] {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim());
  return checked(z.object({ fields: Fields }), { fields: parseJson(text, 'fields') }).fields;
}

/** `fields` as `readFields` takes it. */
export function writeFields(fields: string[]): string {
  return fields.some((name) => /^\[|,|^\s|\s$/.test(name)) ? JSON.stringify(fields) : fields.join(',');
}

function decodeQuery(text: string): Record<string, unknown> {
  let json: string;
  try {
    json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(fromBase64(text.replaceAll(' ', '+')));
  } catch {
    throw invalidField('query', 'must be JSON in base64url or base64, like eyJzZWFyY2hQaHJhc2UiOiJsb3ZlbGFjZSJ9');
  }
  return checked(z.object({ query: QueryInput }), { query: parseJson(json, 'query') }).query;
}

const JSON_EXAMPLES = { fields: '["identifier","createdOn"]', query: '{"searchPhrase":"lovelace"}' };

function parseJson(text: string, name: keyof typeof JSON_EXAMPLES): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(name, `is not valid JSON; write it like ${JSON_EXAMPLES[name]}`);
  }
}

/** A query as `decodeQuery` takes it: JSON in base64url. */
export function encodeQuery(query: Record<string, unknown>): string {
  return base64url(Buffer.from(JSON.stringify(query)));
}

const LAST_MS_OF_SECOND = 999;

/** The last instant of the second in which a page starts, in UTC milliseconds. */
export function startOfPage({ account }: AccountContext, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const millis = parseDateTime(text, account.timezone) ?? parseDate(text, account.timezone);
  if (millis === undefined)
    throw invalidField('startCreatedOnTimestamp', 'must be a date; write it like 2026-12-24 09:10:00');
  return millis + LAST_MS_OF_SECOND;
}
