import { deepStrictEqual } from 'node:assert/strict';
import { Problem } from '../scripts/settings.ts';
import type { Call } from './load.ts';

interface Reply {
  status: number;
  headers: string[];
  // biome-ignore lint/suspicious/noExplicitAny: any reply of the API
  body: any;
}

function claimsOf(walletSaveUri: string): Record<string, unknown> {
  const [, claims = ''] = walletSaveUri.split('.').slice(-3);
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}

/** Sends a call and reads the whole reply. */
export async function exchange(origin: string, { method = 'GET', path, headers, body }: Call): Promise<Reply> {
  const reply = await fetch(origin + path, { method, headers, body });
  return { status: reply.status, headers: [...reply.headers.keys()].sort(), body: await reply.json() };
}

/**
 * Makes sure that the floor doesn't win by doing less: the same call must return the same status, headers and body,
 * except for signature times. With `shapeOnly`, for creates, only the kinds of values must match; the floor gets
 * `floorCall`. Throws a `Problem` that names the difference.
 */
export async function checkFloor(
  ours: string,
  floor: string,
  call: Call,
  shapeOnly = false,
  floorCall = call,
): Promise<void> {
  const view = (reply: Reply) => (shapeOnly ? shapeOf(reply) : withClaims(reply));
  const [expected, found] = [await exchange(ours, call), await exchange(floor, floorCall)];
  try {
    deepStrictEqual(view(found), view(expected));
  } catch (error) {
    throw new Problem(`The floor answers ${call.path} differently: ${(error as Error).message}`);
  }
}

/** Replaces the save link in a reply by its claims. */
function withClaims({ body, ...reply }: Reply): unknown {
  const uri = body.data?.walletSaveUri as string | undefined;
  if (!uri) return { ...reply, body };
  return { ...reply, body: { ...body, data: { ...body.data, walletSaveUri: { ...claimsOf(uri), iat: 0 } } } };
}

/** Replaces each text, number and boolean by its type, and texts also by their length. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null) return null;
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
  }
  return typeof value === 'string' ? `${value.length} characters` : typeof value;
}

/** Columns that differ between passes or events. */
const OWN_COLUMNS = [
  'key',
  'id',
  'pass',
  'pass_id',
  'body',
  'generated_id',
  'barcode_value',
  'page_token',
  'file_token',
  'secrets',
  'revision',
];
const OWN_TIMES = ['created_at', 'modified_at'];

/** Makes sure that our create and the floor's store the same rows. Throws a `Problem` that names the difference. */
export async function checkStored(
  database: D1Database,
  ours: string,
  floor: string,
  call: Call,
  templateId: string,
): Promise<void> {
  const stored = async (origin: string) => {
    const count = () => first(database, 'select pass_count from templates where id = ?', templateId);
    const before = Number((await count()).pass_count);
    const { body } = await exchange(origin, call);
    const pass = await first(database, 'select * from passes where id = ?', body.data.identifier);
    const event = await first(database, 'select * from account_events where pass_id = ?', body.data.identifier);
    const told = JSON.parse(String(event.body)) as unknown;
    for (const column of [...OWN_COLUMNS, ...OWN_TIMES]) {
      if (column in pass) pass[column] = shapeOf(pass[column]);
      if (column in event) event[column] = shapeOf(event[column]);
    }
    return { pass, event, told: shapeOf(told), counted: Number((await count()).pass_count) - before };
  };
  const [expected, found] = [await stored(ours), await stored(floor)];
  try {
    deepStrictEqual(found, expected);
  } catch (error) {
    throw new Problem(`The floor stores different rows: ${(error as Error).message}`);
  }
}

/**
 * Makes sure that our scan and the floor's, of two similar passes, leave the same rows. Throws a `Problem` that names
 * the difference.
 */
export async function checkScanned(database: D1Database, ours: string, floor: string, next: () => Call): Promise<void> {
  const left = async (origin: string) => {
    const { body } = await exchange(origin, next());
    const scan = await first(database, 'select * from app_scans where id = ?', body.appScanId);
    const pass = await first(database, 'select * from passes where id = ?', String(scan.pass_id));
    const events = await database
      .prepare("select type, body from account_events where pass_id = ? and type <> 'pass_created' order by type")
      .bind(scan.pass_id)
      .all<{ type: string; body: string }>();
    const told = events.results.map(({ type, body: text }) => [type, shapeOf(JSON.parse(text))]);
    const { scan_status, reason, has_voided } = scan;
    const { voided, redeemed, version } = pass;
    const rows = {
      scan: shapeOf(scan),
      pass: shapeOf(pass),
      scan_status,
      reason,
      has_voided,
      voided,
      redeemed,
      version,
    };
    return { ...rows, told };
  };
  const [expected, found] = [await left(ours), await left(floor)];
  try {
    deepStrictEqual(found, expected);
  } catch (error) {
    throw new Problem(`The floor leaves different rows after a scan: ${(error as Error).message}`);
  }
}

/** Returns the row that a statement finds by one value. Throws a `Problem` if there is none. */
export async function first(database: D1Database, sql: string, id: string): Promise<Record<string, unknown>> {
  const row = await database.prepare(sql).bind(id).first<Record<string, unknown>>();
  if (!row) throw new Problem(`The database has no row for ${id}.`);
  return row;
}
