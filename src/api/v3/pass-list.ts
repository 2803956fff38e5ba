import { Hono } from 'hono';
import * as z from 'zod';
import { type KeyInCheck, ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../domain/certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { AccountContext, Owner } from '../../domain/context.ts';
import { filePath } from '../../domain/passes/page/links.ts';
import {
  type FoundPass,
  type SearchPage,
  type SearchRead,
  searchPart,
  searchPasses,
} from '../../domain/search/search-passes.ts';
import { getSegment, keepQuery } from '../../domain/search/segments.ts';
import { type BatchPart, bothOf, EMPTY_PART, readPart, rowsOf } from '../../platform/batch-part.ts';
import { formatDateTime } from '../../platform/dates.ts';
import { walletLinks } from '../../wallets/links.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3Schema, PageCounts } from '../envelope.ts';
import { operation } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { PassRowView, passRowView } from './pass-view.ts';
import { type Asked, askedByParameters, encodeQuery, ListInput, startOfPage, writeFields } from './search-input.ts';

/** The reply to a search and to a list. */
export const SearchReply = envelopeV3Schema(z.array(PassRowView.partial())).extend({
  responseMetaData: PageCounts,
  page: z.object({ next: z.string().nullable() }),
});

export const passListRoute = new Hono<ApiEnv>().get(
  '/',
  operation({
    id: 'listPassesV3',
    summary: 'List passes',
    description:
      '`query` is a Query as JSON in base64url or base64; `segmentId` names a stored one. Newest first; follow ' +
      '`page.next`, which costs the same at any depth. `fields` limits the members of a row: names, separated ' +
      'by commas. An unknown name returns 400.',
    tag: 'Search',
    scope: 'passes:read',
    replies: { 200: { description: 'One page', schema: SearchReply } },
    failures: [404],
  }),
  readAhead('query', ListInput, (key, parameters) => {
    return parameters.segmentId ? EMPTY_PART : searchAhead(key, askedByParameters(parameters));
  }),
  async (c) => {
    const { ctx, ahead } = c.var;
    const parameters = c.req.valid('query');
    const stored = parameters.segmentId ? (await getSegment(ctx, parameters.segmentId)).query : undefined;
    return c.json(await searchReply(ctx, askedByParameters(parameters, stored), ahead));
  },
);

/** Members that every row can have. All others are additional properties. */
const ROW_MEMBERS = new Set(Object.keys(PassRowView.shape));

/** Rows that a search reads while its key is checked; `undefined` for a search that is refused. */
type ReadSearch = [search: SearchRead | undefined, issuers: GoogleIssuer[]];

/** Reads what a search needs before its page; for `readAhead`. */
export function searchAhead(key: KeyInCheck, asked: Asked): BatchPart<ReadSearch | undefined> {
  const owner = ownerOfKey(key);
  const { query, pageSize, startUid, startCreatedOn } = asked;
  const search = searchPart(owner, { query, pageSize, startId: startUid, startsAtDate: startCreatedOn !== undefined });
  return bothOf(search, selectMembers(asked)('walletSaveUri') ? issuersPart(owner) : NO_ISSUERS);
}

const issuersPart = ({ db, account }: Owner) => rowsOf(googleIssuerQuery(db, account.id));
const NO_ISSUERS: BatchPart<GoogleIssuer[]> = { queries: [], read: () => [] };

/** Returns a page of a search in its envelope. Rows have the requested members. */
export async function searchReply(ctx: AccountContext, asked: Asked, read?: ReadSearch) {
  const { query, pageSize, startUid } = asked;
  const startCreatedAt = startOfPage(ctx, asked.startCreatedOn);
  const members = asked.fields && { names: asked.fields, builtIn: ROW_MEMBERS };
  const search = { query, pageSize, startId: startUid, startCreatedAt, members };
  const page = await searchPasses(ctx, search, read?.[0]);
  const issuers = read?.[1] ?? (page.rows.length > 0 ? await readPart(ctx.db, issuersPart(ctx)) : []);
  const data = await listRows(ctx, page.rows, asked, chooseGoogleIssuer(issuers));
  return {
    success: true,
    description: 'Passes',
    errors: [],
    data,
    statusCode: 200,
    count: data.length,
    responseMetaData: { resultsTotal: page.total, resultsThisPage: data.length },
    page: { next: await nextAddress(ctx, asked, page) },
  };
}

function selectMembers({ fields }: Asked): (name: string) => boolean {
  const asked = new Set(fields);
  return (name) => !fields || asked.has(name);
}

/** Save links are created only if the rows show them, because each needs a signature (about half a millisecond). */
async function listRows(ctx: AccountContext, rows: FoundPass[], asked: Asked, issuer: GoogleIssuer | undefined) {
  const { keys } = asked;
  const shows = selectMembers(asked);
  const shown = rows.map(async ({ pass, version, definition }) => {
    const links = shows('walletSaveUri')
      ? await walletLinks(ctx, pass, version, issuer)
      : { passFileUri: ctx.baseUrl + filePath(ctx.env, pass), walletSaveUri: null };
    const row = passRowView(ctx, pass, definition, links, keys);
    const shown = definition.additionalProperties
      .filter(({ id, name }) => shows(id) || shows(name))
      .map((property) => (property.id in row ? property.id : property[keys]));
    return Object.fromEntries(Object.entries(row).filter(([name]) => shows(name) || shown.includes(name)));
  });
  return Promise.all(shown);
}

/** Cloudflare accepts URLs of up to 16 KB. A longer query is stored, and the URL names the stored one. */
const QUERY_CHARS_MAX = 8_000;

/** Returns the URL of the page after the last row, or null. */
async function nextAddress(ctx: AccountContext, asked: Asked, { rows, hasMore }: SearchPage): Promise<string | null> {
  const last = rows.at(-1)?.pass;
  if (!hasMore || !last) return null;
  const query = encodeQuery(asked.query);
  const isLong = query.length > QUERY_CHARS_MAX;
  const segmentId = asked.segmentId ?? (isLong ? await keepQuery(ctx, asked.query) : undefined);
  const parameters = new URLSearchParams({
    ...(segmentId ? { segmentId } : { query }),
    pageSize: String(asked.pageSize),
    ...(asked.fields ? { fields: writeFields(asked.fields) } : {}),
    formatKeyAdditionalProperties: asked.keys,
    startUid: last.id,
    startCreatedOnTimestamp: formatDateTime(last.createdAt, ctx.account.timezone),
  });
  return `${ctx.baseUrl}/api/v3/pass?${parameters}`;
}
