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
  uuid,
} from './common.ts';

/*
 * A scan with the least work: the key, the configuration and the pass in one round trip, everything that is written in
 * another. It knows passes without places and scans without values.
 */

const definitions = new Map<string, Definition>();

export async function scan(session: D1DatabaseSession, env: Env, sql: Statements, request: Request): Promise<Response> {
  const key = request.headers.get('Authorization') ?? '';
  const { appConfigurationId, scannedBarcodeValue } = (await request.json()) as Record<string, string>;
  const lookup = key.slice(3, 19);
  const [seen] = definitions.keys();
  const [readCaller, readPass, readConfiguration] = sql.scanRead;
  const [callers, passes, configurations] = await session.batch([
    session.prepare(readCaller).bind(lookup),
    session.prepare(readPass).bind(seen ?? '', lookup, scannedBarcodeValue, scannedBarcodeValue),
    session.prepare(readConfiguration).bind(appConfigurationId, lookup),
  ]);
  const account = genuine(callers!.results[0] as Account | undefined, key);
  if (!account) return new Response(null, { status: 401 });
  const { success } = await env.RATE_LIMITER.limit({ key: account.api_key_id });
  if (!success) return new Response(null, { status: 429 });
  const pass = passes!.results[0] as Row;
  const mode = (configurations!.results[0] as Row).scan_mode as 0 | 1;
  const version = Math.max(pass.template_version as number, pass.published_version as number);
  if (pass.definition) definitions.set(`${pass.template_id}:${version}`, JSON.parse(pass.definition as string));
  const definition = definitions.get(`${pass.template_id}:${version}`)!;
  const id = uuid(Date.now());
  const texts = {
    env,
    account: account.id,
    id,
    scanner: appConfigurationId!,
    code: scannedBarcodeValue!,
    pass,
    definition,
  };
  const statements = mode === 0 ? voiding(session, sql.scanVoid, texts) : noting(session, sql.scanNote, texts);
  const [written] = await session.batch<{ scan_status: number; reason: string }>(statements);
  const { scan_status: scanStatus, reason } = written!.results[0]!;
  const validityReason = reason === 'accepted' ? null : reason;
  return respond(JSON.stringify({ appScanId: id, scanStatus, validityReason, passId: pass.id }), session, env, 201);
}

interface Texts {
  env: Env;
  account: string;
  id: string;
  scanner: string;
  code: string;
  pass: Row;
  definition: Definition;
}

function noting(session: D1DatabaseSession, [scan, event, count, usage]: Statements['scanNote'], of: Texts) {
  const now = Date.now();
  const { pass, scanner, id, account } = of;
  return [
    session.prepare(scan).bind(...scanValues(of, 2, 0, now), ...seen(of), scanner, account),
    ...told(session, event, count, of, now),
    session.prepare(usage).bind(now, id, pass.id, account, id, account),
  ];
}

function voiding(session: D1DatabaseSession, texts: Statements['scanVoid'], of: Texts) {
  const [scan, event, count, voidEvent, document, terms, push, facts, update, usage] = texts;
  const now = Date.now();
  const { pass, scanner, id, account } = of;
  const eventId = uuid(now);
  const properties = JSON.parse(pass.properties) as Record<string, string>;
  const after = { ...indexedPass({ ...pass }, properties), voided: true, redeemed: true };
  const found = documentOf(after);
  const stored = [pass.id, account, pass.version, eventId, account];
  const fact = JSON.stringify([now, 1, 's', (pass.version as number) + 1, 1, ' m\n n']);
  const modifiedAt = Math.max(now, pass.modified_at + 1000, (pass.published_at as number) + 1000);
  return [
    session
      .prepare(scan)
      .bind(...scanValues(of, 0, 1, now), pass.id, account, pass.version, ...seen(of), scanner, account),
    ...told(session, event, count, of, now),
    session
      .prepare(voidEvent)
      .bind(
        ...[eventId, account, 'pass_voided', pass.template_id, pass.id, JSON.stringify(passBody(of)), now],
        ...[account, 'pass_voided', pass.template_id, id, account],
      ),
    session.prepare(document).bind(found.content, JSON.stringify(found.fields), ...stored),
    session.prepare(terms).bind(found.terms.join(' '), ...stored),
    session.prepare(push).bind(null, now, now, fact, '["apple","google"]', pass.id, account, eventId, account, null, 0),
    session.prepare(facts).bind(2_000, 0, now, now, pass.id, fact, eventId, account, pass.id, account, account),
    session
      .prepare(update)
      .bind(
        ...[1, 1, (pass.version as number) + 1, randomRevision(), modifiedAt, pass.template_id, account, 1000],
        ...[pass.id, account, eventId, account],
      ),
    session.prepare(usage).bind(now, id, pass.id, account, id, account),
  ];
}

const randomRevision = () => crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1;

/** The definition that the pass shows. */
const seen = ({ account, pass }: Texts) => [pass.template_version, pass.published_version, pass.template_id, account];

/** What the statement that stores a scan binds to look at the pass, whose template gives it no end. */
function scanValues({ id, account, scanner, pass, code }: Texts, status: number, voids: number, now: number) {
  return [
    ...[id, account, scanner, null, null, pass.id, status, code, null, '{}', null, voids],
    ...[null, null, '', '', now, null],
    ...[now, null, null, null, now, pass.id, account, pass.template_id],
  ];
}

function told(session: D1DatabaseSession, event: string, count: string, of: Texts, now: number) {
  const { account, id, scanner, pass } = of;
  const members = ['$.scanStatus', '$.validityReason', '$.passVoided'];
  const body = JSON.stringify(scanBody(of, now));
  return [
    session
      .prepare(event)
      .bind(
        ...[uuid(now), account, 'app_scan_created', pass.template_id, pass.id, body, ...members, now],
        ...[account, 'app_scan_created', pass.template_id, id, account],
      ),
    session.prepare(count).bind(1, scanner, account, id, account),
  ];
}

function scanBody({ id, scanner, code, pass, definition }: Texts, now: number) {
  const values = Object.values(JSON.parse(pass.properties) as Record<string, string>);
  const texts = [pass.user_provided_id, pass.barcode_value, pass.generated_id, ...values];
  return {
    scanStatus: 3,
    validityReason: null,
    createdOn: date(now),
    createdOnUtc: date(now),
    passId: pass.id,
    passGeneratedId: pass.generated_id,
    passSearchString: [...new Set(texts)].join('|'),
    passVoided: false,
    passUserProvidedId: pass.user_provided_id,
    passTemplateGuid: pass.template_id,
    passTemplateName: pass.name,
    appConfigurationId: scanner,
    scannedBarcodeValue: code,
    appScanId: id,
    deviceName: null,
    additionalPropertiesScan: {},
    additionalPropertiesPass: named(pass, definition),
  };
}

function passBody({ env, pass, definition }: Texts) {
  return {
    identifier: pass.id,
    passId: pass.id,
    uniqueIdentifier: pass.generated_id,
    createdOn: date(pass.created_at),
    passTemplate: definition.name,
    userProvidedId: pass.user_provided_id,
    linkToPassPage: `${env.BASE_URL}/p/`,
    passTemplateGuid: pass.template_id,
    genericProperties: named(pass, definition),
  };
}

function named(pass: Row, { additionalProperties }: Definition): Record<string, string> {
  const values = JSON.parse(pass.properties) as Record<string, string>;
  const known = additionalProperties.filter(({ id }) => values[id] !== undefined);
  return Object.fromEntries(known.map(({ id, name }) => [name, values[id]!]));
}
