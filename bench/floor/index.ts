import { keepTokens } from '../../src/domain/passes/page/link-tokens.ts';
import { documentOf } from '../../src/domain/passes/search-index/pass-document.ts';
import type { Statements } from '../statements.ts';
import {
  type Account,
  type Definition,
  date,
  type Env,
  genuine,
  indexedPass,
  type Row,
  respond,
  tokensOf,
  uuid,
} from './common.ts';
import { scan } from './scan.ts';

/*
 * The floor: the least work that gives the product's replies. The same statements in the same round trips, the same
 * limiter and the same signature, but no router, no validation, no query builder and no log; it knows no more than what
 * the benchmark asks for.
 */

let blank: Record<string, unknown>;
let passColumns: string[];
let sql: Statements;
/** Template and version of the definition that was read last, as the product's statement takes it. */
let seenDefinition = '';

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    blank ??= JSON.parse(env.FLOOR_PASS) as Record<string, unknown>;
    passColumns ??= Object.keys(blank);
    sql ??= JSON.parse(env.FLOOR_STATEMENTS) as Statements;
    const session = env.DB.withSession('first-primary');
    if (request.url.endsWith('/api/appscan')) return scan(session, env, sql, request);
    const at = request.url.indexOf('/api/');
    const path = request.url.slice(at);
    const [, version, read] = /^\/api\/(v3\/)?pass\/([^/]+)$/.exec(path) ?? [];
    const key = request.headers.get('Authorization') ?? '';
    const [account, pass] = await authenticate(session, key, read, version !== undefined);
    if (!account) return new Response(null, { status: 401 });
    const { success } = await env.RATE_LIMITER.limit({ key: account.api_key_id });
    if (!success) return new Response(null, { status: 429 });
    let body: string;
    if (pass) body = version === undefined ? readV1(env, pass) : await readV3(env, pass);
    else if (path.startsWith('/api/v3/pass')) body = await create(session, env, account, request, path);
    else body = await list(session, env, account, path.slice(15));
    return respond(body, session, env);
  },
};

/** The account of a key, and in the same round trip the pass that a read names. */
async function authenticate(
  session: D1DatabaseSession,
  key: string,
  id: string | undefined,
  hasLinks: boolean,
): Promise<[Account | undefined, Row?]> {
  const lookup = key.slice(3, 19);
  const [caller, pass, issuers] = sql.read;
  const [callers, passes] = await session.batch([
    session.prepare(caller).bind(lookup),
    ...(id ? [session.prepare(pass).bind(seenDefinition, lookup, id, id, id, id)] : []),
    ...(id && hasLinks ? [session.prepare(issuers).bind(lookup)] : []),
  ]);
  const row = passes?.results[0] as Row | undefined;
  if (row?.definition) {
    const version = Math.max(row.template_version as number, row.published_version as number);
    seenDefinition = `${row.template_id}:${version}`;
  }
  return [genuine(callers!.results[0] as Account | undefined, key), row];
}

function readV1(env: Env, row: Row): string {
  return JSON.stringify({
    ...item(env, row, row.name as string),
    lastUsage: null,
    storedValue: row.stored_value,
    eligiblePlaces: [],
    placesUsedAt: [],
    downloadPin: row.download_pin,
    bundleId: row.bundle_id,
  });
}

/** One item of a list. The passes of the benchmark have no picture, no usage and no expiration of their own. */
function item(env: Env, row: Row, templateName: string) {
  const { BASE_URL } = env;
  const tokens = tokensOf(env, row);
  const properties = JSON.parse(row.properties) as Record<string, string>;
  const texts = [row.user_provided_id, row.barcode_value, row.generated_id, ...Object.values(properties)];
  const page = `${BASE_URL}/p/${tokens.page}`;
  return {
    identifier: row.id,
    uri: `${BASE_URL}/api/pass/${row.id}`,
    generatedId: row.generated_id,
    searchString: [...new Set(texts)].join('|'),
    passData: row.properties,
    voided: row.voided === 1,
    redeemed: row.redeemed === 1,
    createdOn: date(row.created_at),
    modifiedOn: date(row.modified_at),
    expirationDate: '',
    userProvidedId: row.user_provided_id,
    passTemplateGuid: row.template_id,
    passTemplateName: templateName,
    linkToPassPage: page,
    thumbnail: null,
    qrCodeImage: `${BASE_URL}/passes/${row.id}/${tokens.file}.png`,
    barcodeValue: row.barcode_value,
    numberOfActive: row.number_of_active,
    numberOfInactive: row.number_of_inactive,
    numberOfPrinted: row.number_of_printed,
    passFieldData: properties,
  };
}

async function readV3(env: Env, row: Row): Promise<string> {
  const properties = JSON.parse(row.properties) as Record<string, string>;
  const tokens = tokensOf(env, row);
  const page = `${env.BASE_URL}/p/${tokens.page}`;
  const data = {
    ...properties,
    identifier: row.id,
    userProvidedId: row.user_provided_id,
    barcodeValue: row.barcode_value,
    generatedId: row.generated_id,
    templateId: row.template_id,
    passTemplateName: row.name,
    downloadPage: page,
    linkToPassPage: page,
    ...(await links(env, row, tokens.file, Object.values(properties))),
    createdOn: date(row.created_at),
    modifiedOn: date(row.modified_at),
    expirationDate: row.expiration_at,
    voided: row.voided === 1,
    redeemed: row.redeemed === 1,
    storedValue: row.stored_value,
    bundleId: row.bundle_id,
    numberOfActive: row.number_of_active,
    numberOfInactive: row.number_of_inactive,
    // What the passes of the benchmark leave empty.
    backgroundColor: null,
    barcodeAlternativeText: null,
    downloadEnabledUntil: null,
    downloadPin: null,
    effectiveExpirationDate: null,
    eligibleValidationPlaces: [],
    emailRecipient: null,
    footerBackgroundColor: null,
    foregroundColor: null,
    groupingIdentifier: null,
    importErrors: [],
    labelColor: null,
    localizedBackgroundImages: null,
    locations: [],
    phoneRecipient: null,
    placesUsedAt: [],
    relevantDate: null,
    urlToBackground: null,
    urlToLogo: null,
    urlToThumbnail: null,
    validAsOfDate: null,
    firstDownloadedAt: row.first_downloaded_at,
  };
  return envelope('Pass', data);
}

function envelope(description: string, data: unknown): string {
  return JSON.stringify({
    success: true,
    description,
    errors: [],
    data,
    statusCode: 200,
    count: 1,
    responseMetaData: null,
  });
}

type Links = Pick<Row, 'id' | 'barcode_value' | 'user_provided_id'>;

let key: CryptoKey | undefined;
let claims: string[] | undefined;

const HEADER = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');

/** Both direct links. `properties` are in the template's order. */
async function links(env: Env, row: Links, fileToken: string, properties: string[]) {
  key ??= await importKey(env.FLOOR_KEY_PEM);
  claims ??= env.FLOOR_CLAIMS.split(/\{\{(\w+)\}\}/);
  const values: Record<string, string | null | undefined> = {
    id: row.id,
    barcodeValue: row.barcode_value,
    userProvidedId: row.user_provided_id,
    iat: String(Math.floor(Date.now() / 1000)),
    firstName: properties[0],
    lastName: properties[1],
    level: properties[2],
    hall: properties[3],
  };
  let payload = '';
  for (const [i, part] of claims.entries()) payload += i % 2 === 0 ? part : JSON.stringify(values[part]).slice(1, -1);
  const signed = `${HEADER}.${Buffer.from(payload).toString('base64url')}`;
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, Buffer.from(signed));
  return {
    passFileUri: `${env.BASE_URL}/passes/${row.id}/${fileToken}.pkpass`,
    walletSaveUri: `https://pay.google.com/gp/v/save/${signed}.${Buffer.from(signature).toString('base64url')}`,
  };
}

function importKey(pem: string): Promise<CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  return crypto.subtle.importKey('pkcs8', bytes, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
}

async function list(session: D1DatabaseSession, env: Env, { id }: Account, rest: string): Promise<string> {
  const [templateId = '', query = ''] = rest.split('?');
  const sent = new URLSearchParams(query);
  const start = Number(sent.get('start') ?? 0);
  const pageSize = Number(sent.get('pageSize') ?? 100);
  const after = sent.get('lastIdOfPriorPage');
  const page = after
    ? session.prepare(sql.pageAfter[1]).bind(templateId, id, after, pageSize + 1)
    : session.prepare(sql.page[1]).bind(templateId, id, pageSize + 1);
  const [templates, passes] = await session.batch<Row>([session.prepare(sql.page[0]).bind(templateId, id), page]);
  const { total } = templates!.results[0]!;
  const rows = passes!.results;
  const more = rows.length > pageSize;
  if (more) rows.pop();
  const last = rows.at(-1);
  const path = `${env.BASE_URL}/api/pass/list/${templateId}?`;
  const self = new URLSearchParams({ start: String(start), pageSize: String(pageSize) });
  for (const [key, value] of sent) self.set(key, value);
  const next = last && {
    start: String(start + pageSize),
    pageSize: String(pageSize),
    lastIdOfPriorPage: last.id,
    lastCreatedOnOfPriorPage: date(last.created_at),
  };
  return JSON.stringify({
    query: {
      start,
      pageSize,
      self: path + self,
      next: more && next ? path + new URLSearchParams(next) : undefined,
    },
    total,
    // Warm isolates know the definition that a pass shows.
    results: rows.map((row) => item(env, row, env.FLOOR_TEMPLATE_NAME)),
  });
}

const definitions = new Map<string, Definition>();
/** Versions that the definitions are of. */
const versions = new Map<string, number>();

async function create(
  session: D1DatabaseSession,
  env: Env,
  { id: accountId }: Account,
  request: Request,
  path: string,
): Promise<string> {
  const { data: sent } = (await request.json()) as { data: Record<string, string> };
  const templateId = sent.templateId!;
  const [templates] = await session.batch<Row>([
    session
      .prepare(sql.create[0])
      .bind(templateId, versions.get(templateId) ?? -1, accountId, templateId, accountId, templateId, templateId),
    session.prepare(sql.create[1]).bind(accountId),
  ]);
  const template = templates!.results[0]!;
  if (template.definition) {
    definitions.set(templateId, JSON.parse(template.definition as string) as Definition);
    versions.set(templateId, template.version as number);
  }
  const { name, additionalProperties } = definitions.get(templateId)!;
  const properties: Record<string, string> = {};
  const named: Record<string, string> = {};
  for (const property of additionalProperties) {
    const value = sent[property.name] ?? property.default;
    if (value === undefined) continue;
    properties[property.id] = value;
    named[property.name] = value;
  }

  const now = Date.now();
  const id = uuid(now);
  const tokens = { page: token(), file: token(), authentication: token() };
  const { pageToken, fileToken, authenticationToken, secrets } = keepTokens(env, id, tokens);
  const generatedId = readableId();
  const page = `${env.BASE_URL}/p/${tokens.page}`;
  const row: Links & Record<string, unknown> = {
    ...blank,
    key: null,
    id,
    account_id: accountId,
    template_id: templateId,
    template_version: template.version,
    user_provided_id: sent.userProvidedId!,
    generated_id: generatedId,
    barcode_value: generatedId,
    properties: JSON.stringify(properties),
    page_token: pageToken,
    file_token: fileToken,
    authentication_token: authenticationToken,
    secrets,
    created_at: now,
    modified_at: now,
  };
  const values = passColumns.map((column) => row[column]);
  const event = {
    identifier: id,
    passId: id,
    uniqueIdentifier: generatedId,
    createdOn: date(now),
    passTemplate: name,
    userProvidedId: sent.userProvidedId,
    linkToPassPage: `${env.BASE_URL}/p/`,
    passTemplateGuid: templateId,
    genericProperties: named,
  };
  const [, , insertPass, updateCount, updateQuota, insertUniqueValues, insertDocument, insertTerms, insertEvent] =
    sql.create;
  const { terms, content, fields } = documentOf(indexedPass(row, properties));
  const sentValues = JSON.stringify(Object.entries(properties));
  await session.batch([
    session.prepare(insertPass).bind(...values, templateId, accountId, accountId),
    session.prepare(updateCount).bind(1, templateId, accountId, id, pageToken),
    session.prepare(updateQuota).bind(now, id, pageToken, accountId),
    session.prepare(insertUniqueValues).bind(templateId, id, templateId, accountId, sentValues, id, pageToken),
    session.prepare(insertDocument).bind(content, JSON.stringify(fields), id, accountId, 1, pageToken),
    session.prepare(insertTerms).bind(terms.join(' '), id, accountId, 1, pageToken),
    session
      .prepare(insertEvent)
      .bind(
        ...[uuid(now), accountId, 'pass_created', templateId, id, JSON.stringify(event), now],
        ...[accountId, 'pass_created', templateId, id, pageToken],
      ),
  ]);

  return envelope('Pass created', {
    identifier: id,
    bundleId: null,
    downloadPage: page,
    barcodeValue: path.endsWith('?async=false') ? generatedId : null,
    ...(await links(env, row, tokens.file, Object.values(properties))),
    genericProperties: named,
  });
}

const READABLE = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function token(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
}

function readableId(): string {
  let text = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += READABLE[byte & 31];
  return text;
}
