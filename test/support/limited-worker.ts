import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { localEncryptionKey } from '../../scripts/local-state.ts';
import { type Client, clientOf, type Reply } from './api.ts';
import { eventually } from './control.ts';
import { fetchWorker } from './fetch-worker.ts';
import { freePort } from './free-port.ts';
import { startSeparateRuntime } from './separate-runtime.ts';
import { PASS_TYPE_ID, TEAM_ID } from './start-worker.ts';
import { recordLine } from './statement-record.ts';

const ADMIN_TOKEN = 'limited-worker'.repeat(3);

/** The Worker in its own runtime, as in `wrangler.toml`, but with smaller numbers in some rate limiters. */
export interface LimitedWorker {
  /** Paths for its `client` must begin with this. */
  origin: string;
  client: Client;
  /** Returns a request's D1 round trips. */
  roundTripsOf(reply: Reply): Promise<number>;
  close(): Promise<void>;
}

/** Starts one with these limits in the named rate limiters, which count local callers, too. */
export async function startLimitedWorker(limits: Record<string, number>): Promise<LimitedWorker> {
  const stateDir = mkdtempSync(join(tmpdir(), 'limited-worker-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const variables = { ADMIN_TOKEN, BASE_URL: origin, ENCRYPTION_KEY: localEncryptionKey(stateDir) };
  const costs = new Map<string, number>();
  const onLine = (line: string) => {
    recordLine(line);
    if (!line.startsWith('{')) return;
    const { event, requestId, d1RoundTrips } = JSON.parse(line);
    if (event === 'request') costs.set(requestId, d1RoundTrips);
  };
  const worker = await startSeparateRuntime({ port, variables, stateDir, limits }, onLine);
  return {
    origin,
    client: await newClient(origin),
    async roundTripsOf({ headers }) {
      const requestId = headers.get('X-Request-Id') ?? '';
      await eventually(() => costs.has(requestId));
      return costs.get(requestId)!;
    },
    async close() {
      await worker.kill();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function newClient(origin: string): Promise<Client> {
  const command = async (name: string, options: object) => {
    const response = await fetchWorker(new URL(`${origin}/admin/commands`), {
      method: 'POST',
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ command: name, options }),
    });
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
    return (await response.json()) as { accountId: string; apiKey: string };
  };
  const { rootPem: _, ...files } = await createDevelopmentAuthority({
    passTypeId: PASS_TYPE_ID,
    teamId: TEAM_ID,
    organizationName: 'Example Organization',
  });
  await command('certificate import', { ...files, development: true });
  const { accountId, apiKey } = await command('account create', { name: 'Test' });
  return clientOf(accountId, apiKey);
}
