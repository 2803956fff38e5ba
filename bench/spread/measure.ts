import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AdminAddress, runAdminCommand } from '../../scripts/admin-client.ts';
import { Problem } from '../../scripts/settings.ts';
import { type Results, result } from '../results.ts';
import type { BenchOptions } from '../run-options.ts';
import { passFields, TEMPLATE } from '../template.ts';
import { type BuiltWorker, buildWorker, migrate, startWorkers } from '../workers.ts';

/*
 * Measures whether a request costs more with more databases: the same accounts send the same requests to a service with
 * 1, 2 and 4. More databases on one machine don't mean more disks, so this compares work, not time.
 */

const NAMES = ['DB', 'DB_1', 'DB_2', 'DB_3'];
const COUNTS = [1, 2, 4];
const ACCOUNTS = 16;
/** Rounds of requests per account. The first, in which isolates read keys and templates, isn't counted. */
const ROUNDS = 11;
/** Longer than a log line takes to reach this process. */
const QUIET_MS = 500;

/** Work for one request; `bytes` is the reply's size. */
interface Work {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  bytes: number;
}

const UNITS: Record<keyof Work, string> = {
  roundTrips: 'round trips',
  rowsRead: 'rows',
  rowsWritten: 'rows',
  bytes: 'bytes',
};

interface Logged {
  event: string;
  requestId: string;
  d1RoundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Sends the requests of many accounts to 1, 2 and 4 databases, and compares the work per request. */
export async function measureSpread({ folder, say }: BenchOptions): Promise<Results> {
  const ours = await buildWorker(join(folder, 'spread-ours'));
  const works: Work[] = [];
  for (const count of COUNTS) {
    const stateDir = join(folder, `spread-${count}`);
    mkdirSync(stateDir);
    const work = await measure({ ...ours, databases: NAMES.slice(0, count) }, stateDir);
    say(`${ACCOUNTS} accounts in ${count} of ${count} databases, each request: ${lineOf(work)}`);
    works.push(work);
  }
  const [one, ...more] = works as [Work, ...Work[]];
  return Object.fromEntries(
    more.flatMap((work, i) =>
      (Object.keys(UNITS) as (keyof Work)[]).map((name) => [
        `spread_${COUNTS[i + 1]}_${name}`,
        result(work[name], one[name], UNITS[name]),
      ]),
    ),
  );
}

const lineOf = (work: Work) =>
  (Object.keys(UNITS) as (keyof Work)[]).map((name) => `${name} ${work[name].toFixed(3)}`).join(', ');

async function measure(built: BuiltWorker, stateDir: string): Promise<Work> {
  const adminToken = randomBytes(32).toString('hex');
  const variables = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), ADMIN_TOKEN: adminToken };
  const lines = new Map<string, Logged>();
  const log = (text: string) => {
    if (!text.includes('"event":"request"')) return;
    const line = JSON.parse(text) as Logged;
    lines.set(line.requestId, line);
  };
  const workers = await startWorkers({ ours: { ...built, variables } }, stateDir, log);
  try {
    const entry = { origin: workers.origins.ours, adminToken };
    for (const name of built.databases!) await migrate(await workers.databaseNamed(name));
    for (const name of built.databases!.slice(1)) await runAdminCommand(entry, 'database open', { name });
    const accounts = await Promise.all(
      Array.from({ length: ACCOUNTS }, (_, i) => newAccount(entry, built.databases![i % built.databases!.length]!)),
    );
    for (const send of accounts) await send();
    const replies: Answered[] = [];
    for (let round = 1; round < ROUNDS; round++) for (const send of accounts) replies.push(...(await send()));
    await setTimeout(QUIET_MS);
    return average(replies, lines);
  } finally {
    await workers.stop();
  }
}

/** The recorded part of a reply. */
interface Answered {
  requestId: string;
  bytes: number;
}

/** Creates an account in a database and returns a function that sends one round of its requests. */
async function newAccount(entry: AdminAddress, database: string): Promise<() => Promise<Answered[]>> {
  const { apiKey } = await runAdminCommand<{ apiKey: string }>(entry, 'account create', { name: 'Bench', database });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: apiKey, 'Content-Type': 'application/json' };
    const reply = await fetch(entry.origin + path, { method, headers, body: body && JSON.stringify(body) });
    const bytes = await reply.bytes();
    if (!reply.ok) throw new Problem(`${method} ${path} was answered with ${reply.status}`);
    const text = new TextDecoder().decode(bytes);
    return { requestId: reply.headers.get('X-Request-Id')!, bytes: bytes.length, body: text && JSON.parse(text) };
  };
  const { data: template } = (await call('POST', '/api/v2/pass-template', TEMPLATE)).body;
  const scanner = (await call('POST', '/api/appconfiguration', { name: 'Door', scanMode: 0 })).body;
  const appConfigurationId = scanner.configuration[0].configurationId as string;
  let passes = 0;
  return async () => {
    passes += 1;
    const data = { templateId: template.identifier, ...passFields(passes) };
    const created = await call('POST', '/api/v3/pass?async=false', { data });
    const { identifier, barcodeValue } = created.body.data as { identifier: string; barcodeValue: string };
    const path = `/api/v3/pass/${identifier}`;
    return [
      created,
      await call('GET', path),
      await call('PATCH', path, { data: { storedValue: 1 } }),
      await call('POST', '/api/appscan', { appConfigurationId, scannedBarcodeValue: barcodeValue }),
      await call('GET', '/api/v3/pass?pageSize=10'),
      await call('POST', '/api/v3/passinstance/search', { searchPhrase: identifier }),
    ];
  };
}

function average(replies: Answered[], lines: Map<string, Logged>): Work {
  const sum: Work = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, bytes: 0 };
  for (const { requestId, bytes } of replies) {
    const line = lines.get(requestId);
    if (!line) throw new Problem(`The log has no line for request ${requestId}.`);
    sum.roundTrips += line.d1RoundTrips;
    sum.rowsRead += line.rowsRead;
    sum.rowsWritten += line.rowsWritten;
    sum.bytes += bytes;
  }
  const count = replies.length;
  return {
    roundTrips: sum.roundTrips / count,
    rowsRead: sum.rowsRead / count,
    rowsWritten: sum.rowsWritten / count,
    bytes: sum.bytes / count,
  };
}
