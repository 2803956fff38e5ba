import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { control, eventually } from '../support/control.ts';
import { freePort } from '../support/free-port.ts';
import { openOutsideServer } from '../support/outside-server.ts';
import { type ClientFolder, installClient } from '../support/packed-client.ts';
import { deliveriesOf, subscribed } from '../support/webhooks.ts';

/* Tests the receivers in examples/, some of which docs/webhooks.md quotes. */

const EXAMPLES = join(import.meta.dirname, '../../examples/webhook-receiver');
const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const example = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8');

const has = (tool: string) => spawnSync(tool, ['--version']).status === 0;

interface Language {
  name: string;
  file: string;
  command: (file: string, port: number) => [string, ...string[]];
}

const LANGUAGES: Language[] = [
  { name: 'Node', file: 'receiver.mjs', command: (file) => [process.execPath, file] },
  { name: 'PHP', file: 'receiver.php', command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file] },
  { name: 'Python', file: 'receiver.py', command: (file) => ['python3', file] },
];

let client: Client;
let templateId: string;
/** A copy of the examples next to the package that one of them imports. */
let program: ClientFolder;
beforeAll(async () => {
  program = installClient();
  for (const { file } of LANGUAGES) cpSync(join(EXAMPLES, file), join(program.path, file));
  client = await freshAccount();
  templateId = await client.createTemplate();
});
afterAll(() => program.remove());

describe.each(LANGUAGES)('the receiver in $name', ({ name, file, command }) => {
  const [tool] = command(file, 0);
  const missing = !has(tool);
  const running: ChildProcess[] = [];
  afterAll(() => {
    for (const child of running) child.kill();
  });

  test('is about ten lines', () => {
    const lines = example(file).trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(14);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(140);
  });

  test.skipIf(missing)(
    `accepts only signed requests${missing ? ` (skipped: there is no ${name} here)` : ''}`,
    async () => {
      const port = await freePort();
      const address = `http://127.0.0.1:${port}`;
      const hostname = `${randomBytes(6).toString('hex')}.example.com`;
      await control('registerHost', { hostname, origin: address });
      const { identifier, secret } = await subscribed(client, `https://${hostname}/hook`);

      const [tool, ...parameters] = command(join(program.path, file), port);
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
      const child = spawn(tool, parameters, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      running.push(child);
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
      await eventually(() =>
        fetch(address, { method: 'POST' }).then(
          ({ status }) => status === 401,
          () => false,
        ),
      );

      const pass = await client.createPass(templateId, { userProvidedId: `for ${name}`, 'Full name': 'Zoë ☂' });
      const [delivery] = await eventually(async () => {
        const all = await deliveriesOf(client, identifier);
        return all[0]?.state === 'delivered' && all;
      });
      expect(delivery!.attempts.at(-1)).toMatchObject({ outcome: 'delivered', status: 204 });
      await eventually(() => printed.includes(pass.identifier));
      expect(printed).toContain('pass_created');

      const now = Math.floor(Date.now() / 1_000);
      const body = JSON.stringify({ identifier: 'forged' });
      const send = async (key: string, at: number, sent = body) => {
        const mac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
        const signature = `v1,${mac.update(`msg.${at}.${body}`).digest('base64')}`;
        const headers = {
          'X-Event-Type': 'pass_created',
          'webhook-id': 'msg',
          'webhook-timestamp': String(at),
          'webhook-signature': `v1,${'A'.repeat(43)}= ${signature}`,
        };
        return (await fetch(address, { method: 'POST', headers, body: sent })).status;
      };
      expect(await send(`whsec_${randomBytes(24).toString('base64')}`, now)).toBe(401);
      expect(await send(secret, now, `${body} `)).toBe(401);
      expect(await send(secret, now - 600)).toBe(401);
      expect(printed).not.toContain('forged');
      // The same request, correctly signed, after another signature, as during a secret rotation.
      expect(await send(secret, now)).toBe(204);
      await eventually(() => printed.includes('forged'));
      await client.delete(`/api/hook/${identifier}`);
      await control('registerHost', { hostname });
    },
  );
});

describe('the reader of signed bodies', () => {
  test('accepts what the account has signed, and nothing that was changed', async () => {
    const path = join(folder, 'signed.mjs');
    const caller = 'process.stdout.write(JSON.stringify(readSigned(...process.argv.slice(2))));';
    writeFileSync(path, `${example('read-signed-payload.mjs')}\n${caller}`);
    const readSigned = (body: string, publicKey: string) =>
      JSON.parse(execFileSync(process.execPath, [path, body, publicKey], { encoding: 'utf8', stdio: 'pipe' }));
    const receiver = await openOutsideServer();
    const { identifier } = await subscribed(client, `${receiver.origin}/hook`, { signPayload: true });
    const pass = await client.createPass(templateId, { userProvidedId: 'signed', 'Full name': 'Zoë ☂' });
    const [request] = await receiver.received();
    const { publicKey } = (await client.get('/api/hook/publickey')).body;
    const body = request!.body.toString();
    const { signedData: _, signature: __, ...own } = JSON.parse(body);
    expect(readSigned(body, publicKey)).toEqual(own);
    expect(own.identifier).toBe(pass.identifier);
    const changed = JSON.parse(body);
    changed.signedData = changed.signedData.replace('signed', 'forged');
    expect(() => readSigned(JSON.stringify(changed), publicKey)).toThrow('not signed');
    await client.delete(`/api/hook/${identifier}`);
    await receiver.close();
  });
});
