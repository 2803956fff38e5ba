import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { verify } from '../support/standard-webhooks.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN = join(ROOT, 'scripts/run.mjs');
const SLOW_MILLIS = 60_000;
const SECRET = `whsec_${Buffer.from('a secret that developers share').toString('base64')}`;

/** A local server like one that a developer writes. */
interface LocalServer {
  url: string;
  received: { headers: IncomingHttpHeaders; body: string }[];
  /** Statuses for the first answers; then 200. */
  answers: number[];
  server: Server;
}

interface Listener {
  process: ChildProcess;
  printed(): string;
  complained(): string;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function localServer(answers: number[] = []): Promise<LocalServer> {
  const received: LocalServer['received'] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(answers.shift() ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, answers, server };
}

/** Starts `npm run listen` and waits until it is ready. */
async function listen(client: Client, ...words: string[]): Promise<Listener> {
  const env = { ...process.env, API_KEY: client.apiKey, LOCAL_DIR: join(ROOT, 'no-such-folder') };
  const base = ['--base-url', inject('worker').origin];
  const child = spawn(process.execPath, [RUN, 'scripts/listen.ts', ...base, ...words], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  open.push(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (output[name] += chunk));
  const listener = { process: child, printed: () => output.stdout, complained: () => output.stderr };
  await eventually(() => (output.stdout + output.stderr).includes('Listening to'), SLOW_MILLIS);
  return listener;
}

async function stop({ process: child }: Listener): Promise<number> {
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  return code;
}

const subscriptions = async (client: Client) => (await client.get('/api/hook/list')).body;
const waiting = async (client: Client): Promise<number> =>
  (await client.get('/api/v3/webhook-payload')).body.responseMetaData.resultsTotal;

describe('npm run listen', () => {
  let client: Client;
  let templateId: string;
  beforeAll(async () => {
    client = await freshAccount();
    templateId = await client.createTemplate();
  });

  test(
    'forwards events with the headers of a webhook, acknowledges them, and leaves nothing behind',
    async () => {
      const server = await localServer();
      const listener = await listen(
        client,
        '--events',
        'pass_created,pass_voided',
        '--forward',
        server.url,
        '--secret',
        SECRET,
      );
      const { identifier } = await client.createPass(templateId, { userProvidedId: 'order-1' });
      await client.put(`/api/pass/${identifier}`, { voided: true });
      await eventually(() => server.received.length === 2);
      expect(server.received.map(({ headers }) => headers['x-event-type'])).toEqual(['pass_created', 'pass_voided']);
      for (const { headers, body } of server.received) {
        expect(headers['content-type']).toBe('application/json');
        expect(JSON.parse(body)).toMatchObject({ identifier, userProvidedId: 'order-1' });
        expect(verify(SECRET, headers, body)).toBe(true);
        expect(verify(SECRET, headers, `${body} `)).toBe(false);
      }
      await eventually(async () => (await waiting(client)) === 0);
      await eventually(() => listener.printed().includes('pass_voided'));
      expect(listener.printed()).toMatch(/pass_created +Membership · order-1 +→ 200 \(\d+ ms\)/);
      expect(listener.printed()).toContain(`Forwarding to ${server.url}, signed with ${SECRET}`);

      expect(await stop(listener)).toBe(0);
      expect(listener.complained()).toBe('');
      expect(await subscriptions(client)).toEqual([]);
      expect(await waiting(client)).toBe(0);
    },
    SLOW_MILLIS,
  );

  test(
    'posts an event again until the server accepts it, and acknowledges it only then',
    async () => {
      const server = await localServer([500, 302]);
      const listener = await listen(client, '--events=pass_created', '--forward', server.url);
      const first = await client.createPass(templateId, { userProvidedId: 'refused' });
      await eventually(() => server.received.length === 1);
      const second = await client.createPass(templateId, { userProvidedId: 'behind' });
      await eventually(async () => (await waiting(client)) === 2);
      await eventually(() => server.received.length === 4, SLOW_MILLIS);
      expect(server.received.map(({ body }) => JSON.parse(body).identifier)).toEqual([
        ...Array(3).fill(first.identifier),
        second.identifier,
      ]);
      expect(new Set(server.received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await eventually(async () => (await waiting(client)) === 0);
      expect(listener.printed()).toMatch(/refused +✗ 500 \(\d+ ms\), retry in 1 s/);
      expect(await stop(listener)).toBe(0);
      expect(await subscriptions(client)).toEqual([]);
    },
    SLOW_MILLIS,
  );

  test(
    'prints one JSON object per line for programs, and only events of its template',
    async () => {
      const other = await client.createTemplate();
      const listener = await listen(client, '--json', '--template', templateId);
      await client.createPass(other);
      const { identifier } = await client.createPass(templateId, { userProvidedId: 'for programs' });
      await eventually(() => listener.printed().includes('\n'));
      expect(
        listener
          .printed()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([
        {
          id: expect.any(String),
          webhookId: expect.any(String),
          type: 'pass_created',
          triggeredOn: expect.any(String),
          payload: expect.objectContaining({ identifier, userProvidedId: 'for programs' }),
        },
      ]);
      await eventually(async () => (await waiting(client)) === 0);
      expect(await stop(listener)).toBe(0);
      expect(await subscriptions(client)).toEqual([]);
    },
    SLOW_MILLIS,
  );

  test(
    'does not acknowledge for others, and removes a killed listener’s subscriptions',
    async () => {
      const own = await client.post(
        '/api/hook/subscribe',
        { event: 'pass_created', pullMode: true },
        { Prefer: 'return=representation' },
      );
      const killed = await listen(client, '--events', 'pass_created', '--forward', 'http://127.0.0.1:1/nobody');
      await client.createPass(templateId);
      await eventually(() => killed.printed().includes('✗'));
      const names = async (): Promise<(string | null)[]> =>
        (await subscriptions(client)).map((one: { subscription_url: string | null }) => one.subscription_url);
      const [leftOver] = (await names()).filter((name) => name !== null);
      // If only its script were killed, it would still remove them.
      process.kill(Number(leftOver!.split('/').at(-1)), 'SIGKILL');
      await once(killed.process, 'close');
      expect(await names()).toContain(leftOver);
      const listener = await listen(client, '--events', 'pass_created');
      await client.createPass(templateId, { userProvidedId: 'seen' });
      await eventually(() => listener.printed().includes('seen'));
      const perSubscription = `/api/v3/webhook-payload?webhookId=${own.body.identifier}` as const;
      expect((await client.get(perSubscription)).body.data).toHaveLength(2);
      expect(await names()).not.toContain(leftOver);
      expect(await stop(listener)).toBe(0);
      expect(await names()).toEqual([null]);
      await client.delete(`/api/hook/${own.body.identifier}`);
    },
    SLOW_MILLIS,
  );
});
