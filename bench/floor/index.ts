import { newTokens, openTokens } from '../../src/domain/passes/page/links.ts';
import type { TextTemplate, Values } from '../operands.ts';
import type { RequestName, RequestTemplates } from '../record-requests.ts';
import { type Account, type Env, genuine, type Row, respond } from './common.ts';
import { bound, filled } from './fill.ts';
import { listBody } from './list-body.ts';
import { readV1, readV3 } from './read-body.ts';
import { saveLink } from './save-link.ts';
import { searchTerms } from './search-terms.ts';

/*
 * The floor: the least work that gives the product's replies. It has the same statements in the same round trips, the
 * same rate limiter and signature, but no router, validation, query builder or log. It supports only the benchmark's
 * requests.
 */

let templates: RequestTemplates;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    templates ??= JSON.parse(env.FLOOR_REQUESTS) as RequestTemplates;
    const sent = request.method === 'POST' ? ((await request.json()) as Sent) : {};
    const name = nameOf(request.url.slice(request.url.indexOf('/api/')), sent, env);
    const { roundTrips, reply, status } = templates[name];
    const session = env.DB.withSession('first-primary');
    const values = valuesOf(request.url, sent);
    const key = request.headers.get('Authorization') ?? '';
    const found: Row[][] = [];
    for (const [i, roundTrip] of roundTrips.entries()) {
      // The last round trip contains the writes.
      if (i === roundTrips.length - 1) prepareWrite(name, env, values, found);
      const results = await session.batch<Row>(roundTrip.map((statement) => bound(session, statement, values)));
      found.push(...results.map(({ results: rows }) => rows));
      if (i > 0) continue;
      // The row from the statement that checks the key.
      const account = genuine(rowsWith(found, 'secret_digest')[0] as unknown as Account | undefined, key);
      if (!account) return new Response(null, { status: 401 });
      const { success } = await env.RATE_LIMITER.limit({ key: account.api_key_id });
      if (!success) return new Response(null, { status: 429 });
    }
    return respond(await bodyOf(name, env, request.url, values, found, reply), session, env, status);
  },
};

/** A request body in the benchmark. */
interface Sent {
  data?: { userProvidedId: string };
  appConfigurationId?: string;
  scannedBarcodeValue?: string;
}

function nameOf(path: string, { data, appConfigurationId }: Sent, env: Env): RequestName {
  if (data) return path.endsWith('?async=false') ? 'create_sync' : 'create_async';
  if (appConfigurationId) return appConfigurationId === env.FLOOR_VOIDING ? 'scan_void' : 'scan_attendance';
  if (path.startsWith('/api/pass/list/')) return path.includes('?') ? 'list_page_10000' : 'list_page_1';
  return path.startsWith('/api/v3/') ? 'read_v3' : 'read_v1';
}

/** Returns the values that the first round trip's statements use. */
function valuesOf(url: string, { data, scannedBarcodeValue }: Sent): Values {
  if (data) return { userProvidedId: data.userProvidedId };
  if (scannedBarcodeValue) return { generatedId: scannedBarcodeValue };
  const after = url.indexOf('lastIdOfPriorPage=');
  return { id: after < 0 ? url.slice(url.lastIndexOf('/') + 1) : url.slice(after + 18, after + 54) };
}

/** Returns the rows of the statement with this column. */
function rowsWith(found: Row[][], column: string): Row[] {
  return found.find(([row]) => row && column in row) ?? [];
}

/** Prepares what the writes need besides the time and new identifiers. */
function prepareWrite(name: RequestName, env: Env, values: Values, found: Row[][]): void {
  if (name === 'create_async' || name === 'create_sync') makePass(env, values);
  if (name !== 'scan_void' && name !== 'scan_attendance') return;
  const [pass] = rowsWith(found, 'barcode_value');
  values.id = pass!.id;
  values.userProvidedId = pass!.user_provided_id;
  values.foldedId = pass!.generated_id.toLowerCase();
  if (name === 'scan_void') values.terms = searchTerms(env, { ...pass!, voided: true, redeemed: true });
}

function makePass(env: Env, values: Values): void {
  const [id, generatedId] = [String(filled(['', 'uuid', ''], values)), readableId()];
  const kept = newTokens(env, id, false);
  const { page: rawPage, file: rawFile } = openTokens(env, { id, ...kept });
  Object.assign(values, { id, generatedId, rawPage, rawFile, ...kept });
  values.foldedId = generatedId.toLowerCase();
  const pass = { id, user_provided_id: values.userProvidedId, generated_id: generatedId, barcode_value: generatedId };
  values.terms = searchTerms(env, { ...pass, created_at: Date.now() });
}

const READABLE = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function readableId(): string {
  let text = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += READABLE[byte & 31];
  return text;
}

async function bodyOf(
  name: RequestName,
  env: Env,
  url: string,
  values: Values,
  found: Row[][],
  reply: TextTemplate,
): Promise<string> {
  const passes = () => rowsWith(found, 'barcode_value');
  switch (name) {
    case 'read_v1':
      return readV1(env, passes()[0]!);
    case 'read_v3':
      return readV3(env, passes()[0]!);
    case 'list_page_1':
    case 'list_page_10000':
      return listBody(env, url, Number(rowsWith(found, 'total')[0]!.total), passes());
    default:
      if (reply.includes('saveLink')) values.saveLink = await saveLink(env, values);
      return filled(reply, values);
  }
}
