import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { localEncryptionKey } from '../../scripts/local-state.ts';
import { type Client, clientOf } from './api.ts';
import { CLOCK_AHEAD_MS } from './clock-ahead.ts';
import { fetchWorker } from './fetch-worker.ts';
import { freePort } from './free-port.ts';
import { startSeparateRuntime } from './separate-runtime.ts';
import { recordLine } from './statement-record.ts';
import { PLACE, RESOURCES } from './test-runtime.ts';

const ADMIN_TOKEN = 'restartable-worker'.repeat(3);

/** A Worker in its own runtime with its own state, which can be killed and restarted. */
export interface RestartableWorker {
  /** Paths for its `client` must begin with this. */
  origin: string;
  client: Client;
  /** Runs an administration command. */
  admin<Result>(command: string, options?: Record<string, unknown>): Promise<Result>;
  /** Ends it like a power failure, and restarts it on the same state, as if it was down for `downMs`. */
  killAndStart(downMs?: number): Promise<void>;
  /** Returns the time of its clock: the machine's, and all the time for which it was down. */
  now(): number;
  /** Runs its cron handler now. */
  runScheduled(): Promise<void>;
  /** Returns a statement's rows, read directly from the database file, so that a busy Worker doesn't delay them. */
  read<Row>(statement: string): Row[];
  /** Stops it, and returns the statements' rows from the database it leaves behind. */
  stopAndRead<Row>(...statements: string[]): Promise<Row[][]>;
  /** Stops it if needed, and deletes its state. */
  close(): Promise<void>;
}

/**
 * Starts a Worker; `more` are additional variables, `name` is its host name. On the port of another one, it takes over.
 */
export async function startRestartableWorker(
  more: Record<string, string> = {},
  name: '127.0.0.1' | 'localhost' = '127.0.0.1',
  knownPort?: number,
): Promise<RestartableWorker> {
  const stateDir = mkdtempSync(join(tmpdir(), 'restartable-worker-'));
  const port = knownPort ?? (await freePort());
  const origin = `http://${name}:${port}`;
  const variables = { ADMIN_TOKEN, BASE_URL: origin, ENCRYPTION_KEY: localEncryptionKey(stateDir), ...more };
  let aheadMs = 0;
  const start = () => {
    const clock: Record<string, string> = aheadMs > 0 ? { [CLOCK_AHEAD_MS]: String(aheadMs) } : {};
    return startSeparateRuntime({ port, variables: { ...variables, ...clock }, stateDir }, recordLine);
  };
  let worker = await start();
  return {
    origin,
    client: await newClient(origin),
    admin: (command, options = {}) => runCommand(origin, command, options),
    async killAndStart(downMs = 0) {
      await worker.kill();
      aheadMs += downMs;
      worker = await start();
    },
    now: () => Date.now() + aheadMs,
    async runScheduled() {
      const query = new URLSearchParams({ cron: '* * * * *', time: String(Date.now() + aheadMs) });
      const url = new URL(`${origin}/cdn-cgi/local/scheduled?${query}`);
      const reply = await fetchWorker(url, { method: 'GET', headers: {} });
      if (!reply.ok) throw new Error(`the scheduled handler answered ${reply.status}`);
    },
    read<Row>(statement: string) {
      return readAll<Row>(stateDir, [statement])[0]!;
    },
    async stopAndRead<Row>(...statements: string[]) {
      await worker.kill();
      return readAll<Row>(stateDir, statements);
    },
    async close() {
      await worker.kill();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function readAll<Row>(stateDir: string, statements: string[]): Row[][] {
  const folder = join(stateDir, RESOURCES, ...PLACE);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite');
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      // The other databases have no account.
      if (!database.prepare('select 1 from accounts').get()) continue;
      return statements.map((statement) => database.prepare(statement).all() as Row[]);
    } finally {
      database.close();
    }
  }
  throw new Error('no database has the account');
}

async function newClient(origin: string): Promise<Client> {
  const { accountId, apiKey } = await runCommand<Pick<Client, 'accountId' | 'apiKey'>>(origin, 'account create', {
    name: 'Test',
  });
  return clientOf(accountId, apiKey);
}

async function runCommand<Result>(origin: string, command: string, options: Record<string, unknown>): Promise<Result> {
  const response = await fetchWorker(new URL(`${origin}/admin/commands`), {
    method: 'POST',
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ command, options }),
  });
  if (!response.ok) throw new Error(`${command}: ${await response.text()}`);
  return response.json() as Promise<Result>;
}
