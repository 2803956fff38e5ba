import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { localEncryptionKey } from '../../scripts/local-state.ts';
import { type Client, clientOf } from './api.ts';
import { FURTHER_DATABASES } from './database-of.ts';
import { fetchWorker } from './fetch-worker.ts';
import { freePort } from './free-port.ts';
import { startSeparateRuntime } from './separate-runtime.ts';
import { recordLine } from './statement-record.ts';

const ADMIN_TOKEN = 'deployed-worker'.repeat(3);

/** A request to Twilio. */
export interface TwilioRequest {
  path: string;
  authorization: string;
  form: URLSearchParams;
}

/** A Worker that runs like a deployment: without ADMIN_TOKEN, with a mail binding and an SMS provider. */
export interface DeployedWorker {
  /** Paths for its `client` must begin with this. */
  origin: string;
  client: Client;
  /** Returns mails sent through the `send_email` binding, oldest first, in their wire format. */
  mails(): Buffer[];
  /** Requests to the stand-in for Twilio, oldest first. */
  sms: TwilioRequest[];
  /** Sets the stand-in's answers from now on. */
  answer(status: number, body: object): void;
  /** Runs the cron once. */
  cron(): Promise<void>;
  close(): Promise<void>;
}

export const TWILIO = { TWILIO_ACCOUNT_SID: 'AC0123', TWILIO_AUTH_TOKEN: 'twilio-secret', TWILIO_FROM: '+15550001111' };

/**
 * Starts it twice on the same state: first with ADMIN_TOKEN, to create an account and a certificate, then as a
 * deployment.
 */
export async function startDeployedWorker(): Promise<DeployedWorker> {
  const stateDir = mkdtempSync(join(tmpdir(), 'deployed-worker-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const twilio = await startTwilio();
  const variables = {
    ...{ BASE_URL: origin, ENCRYPTION_KEY: localEncryptionKey(stateDir), MAIL_FROM: 'passes@example.org' },
    ...{ ...TWILIO, TWILIO_API_URL: twilio.origin },
  };
  const files: string[] = [];
  const onLine = (line: string) => {
    recordLine(line);
    const file = /(\/\S+\.eml)\b/.exec(line)?.[1];
    if (file) files.push(file);
  };
  const start = (admin: object) =>
    startSeparateRuntime({ port, stateDir, variables: { ...variables, ...admin } }, onLine);
  const first = await start({ ADMIN_TOKEN });
  const client = await prepare(origin);
  await first.kill();
  const worker = await start({});
  return {
    ...{ origin, client, sms: twilio.requests, answer: twilio.answer },
    mails: () => files.map((file) => readFileSync(file)),
    async cron() {
      const query = new URLSearchParams({ cron: '* * * * *', time: String(Date.now()) });
      const url = new URL(`${origin}/cdn-cgi/local/scheduled?${query}`);
      const reply = await fetchWorker(url, { method: 'GET', headers: {} });
      if (!reply.ok) throw new Error(`the scheduled handler answered ${reply.status}`);
    },
    async close() {
      await worker.kill();
      await twilio.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function prepare(origin: string): Promise<Client> {
  const command = async (name: string, options: object) => {
    const response = await fetchWorker(new URL(`${origin}/admin/commands`), {
      method: 'POST',
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ command: name, options }),
    });
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
    return response.json();
  };
  const { rootPem: _, ...files } = await createDevelopmentAuthority({
    passTypeId: 'pass.com.example.test',
    teamId: 'TESTTEAM01',
    organizationName: 'Example Organization',
  });
  await command('certificate import', { ...files, development: true });
  // Not in the directory, so that providers' reports must find the database.
  const [database] = FURTHER_DATABASES;
  await command('database open', { name: database });
  const account = await command('account create', { name: 'Aurora Rail', database });
  const { accountId, apiKey } = account as Record<string, string>;
  return clientOf(accountId!, apiKey!);
}

async function startTwilio() {
  const requests: TwilioRequest[] = [];
  let reply: { status: number; body: object } | undefined;
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await readText(request));
    requests.push({ path: request.url!, authorization: request.headers.authorization ?? '', form });
    const { status, body } = reply ?? { status: 201, body: { sid: `SM${requests.length}`, status: 'queued' } };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(status: number, body: object) {
      reply = { status, body };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
