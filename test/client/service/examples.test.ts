import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PassWallet } from '../../../client/src/index.ts';
import { ROOT } from '../../../scripts/settings.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { control, eventually } from '../../support/control.ts';
import { freePort } from '../../support/free-port.ts';
import { type ClientFolder, findNode, installClient } from '../../support/packed-client.ts';

/* The programs in examples/ with the installed client. test/api/receivers.test.ts tests the webhook receivers. */

const EXAMPLES = join(ROOT, 'examples');
const run = promisify(execFile);
const node = findNode(20) ?? process.execPath;

let folder: ClientFolder;
let client: Client;
let wallet: PassWallet;
let templateId: string;
let environment: Record<string, string | undefined>;
beforeAll(async () => {
  folder = installClient();
  // Next to `node_modules`, so that they find the package.
  cpSync(EXAMPLES, join(folder.path, 'examples'), { recursive: true, filter: (path) => !/node_modules/.test(path) });
  client = await freshAccount();
  templateId = await client.createTemplate();
  const { origin } = inject('worker');
  wallet = new PassWallet({ baseUrl: origin, apiKey: client.apiKey });
  environment = { ...process.env, PASS_WALLET_URL: origin, PASS_WALLET_KEY: client.apiKey };
});
afterAll(() => folder.remove());

const example = (path: string) => join(folder.path, 'examples', path);

async function scan(passId: string, setVoided: boolean): Promise<void> {
  const scanMode = setVoided ? 0 : 1;
  const { configuration } = await wallet.createAppConfiguration({ body: { name: 'Door', scanMode } });
  await wallet.createAppScan({ body: { appConfigurationId: configuration[0]!.configurationId, passId } });
}

const post = (url: string, body: object) => fetch(url, { method: 'POST', body: JSON.stringify(body) });

test('README names every folder and file', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const entries = readdirSync(EXAMPLES, { withFileTypes: true }).filter(({ name }) => name !== 'README.md');
  const unnamed = entries.filter((entry) => !readme.includes(`](${entry.name}${entry.isDirectory() ? '/' : ''})`));
  expect(unnamed.map(({ name }) => name)).toEqual([]);
});

describe('the shop in Node', () => {
  const running: ChildProcess[] = [];
  let address: string;
  let hostname: string;
  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    hostname = `${randomBytes(6).toString('hex')}.example.com`;
    await control('registerHost', { hostname, origin: address });
    const env = { ...environment, PORT: String(port), PUBLIC_URL: `https://${hostname}` };
    const child = spawn(node, [example('node-shop/shop.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    await eventually(() => said.includes('The shop is open'));
  });
  afterAll(async () => {
    for (const child of running) child.kill();
    await control('registerHost', { hostname });
  });

  test('sells a ticket once, however often the order is sent', async () => {
    const order = { number: 'order-1', name: 'Ada Lovelace' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(`${address}/orders`, order)));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const tickets = await Promise.all(replies.map((reply) => reply.json() as Promise<{ ticket: string }>));
    expect(new Set(tickets.map(({ ticket }) => ticket)).size).toBe(1);
    expect((await fetch(tickets[0]!.ticket)).status).toBe(200);
    expect((await post(`${address}/orders`, { number: 1 })).status).toBe(400);
  });

  test('records entries through its webhook, and trusts nobody else', async () => {
    const { data } = await wallet.readPassV3({ path: { id: 'order-1' } });
    await scan(data.identifier, true);
    const order = async () => (await fetch(`${address}/orders/order-1`)).json() as Promise<{ entered: boolean }>;
    await eventually(async () => (await order()).entered);
    expect((await post(`${address}/hook/app_scan_created`, {})).status).toBe(401);
  });
});

describe('the shop in a Worker', () => {
  test('sells a ticket once, and records entries through its webhook', async () => {
    const { outputFiles } = await build({
      entryPoints: [example('worker-shop/shop.js')],
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
      write: false,
    });
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const hostname = `${randomBytes(6).toString('hex')}.example.com`;
    await control('registerHost', { hostname, origin: address });
    const headers = { Prefer: 'return=representation' };
    const hook = { event: 'app_scan_created', target_url: `https://${hostname}/hook` } as const;
    const { secret = '' } = await wallet.subscribe({ body: hook, headers });
    const shop = new Miniflare(
      convertV4MiniflareOptions({
        host: '127.0.0.1',
        port,
        modules: true,
        script: outputFiles[0]!.text,
        cf: false,
        compatibilityDate: '2026-01-01',
        kvNamespaces: ['ORDERS'],
        bindings: {
          PASS_WALLET_URL: inject('worker').origin,
          PASS_WALLET_KEY: client.apiKey,
          TEMPLATE_ID: templateId,
          WEBHOOK_SECRET: secret,
        },
      }),
    );
    try {
      await shop.ready;
      const orders = [];
      for (let i = 0; i < 2; i++) {
        const reply = await post(`${address}/orders`, { number: 'order-2', name: 'Grace Hopper' });
        expect(reply.status).toBe(201);
        orders.push(await reply.json());
      }
      expect(orders[0]).toEqual(orders[1]);
      const { data } = await wallet.readPassV3({ path: { id: 'order-2' } });
      await scan(data.identifier, true);
      await eventually(async () => {
        const order = (await (await fetch(`${address}/orders/order-2`)).json()) as { entered: boolean };
        return order.entered;
      });
      expect((await post(`${address}/hook`, {})).status).toBe(401);
    } finally {
      await shop.dispose();
      await control('registerHost', { hostname });
    }
  });
});

describe('the import of a spreadsheet', () => {
  const importing = (file: string) =>
    run(node, [example('spreadsheet-import/import.mjs'), templateId, file], { env: environment as NodeJS.ProcessEnv });

  test('creates one pass per row, and none twice', async () => {
    for (let i = 0; i < 2; i++) {
      expect((await importing(example('spreadsheet-import/guests.csv'))).stdout).toContain(
        '3 passes created, 0 failed',
      );
    }
    const { data } = await wallet.readPassV3({
      path: { id: 'guest-3' },
      query: { formatKeyAdditionalProperties: 'name' },
    });
    expect(data).toMatchObject({ 'Full name': 'Zoë "Zo" ☂', storedValue: 1 });
    const found = await wallet.searchPasses({ body: { searchPhrase: 'guest-' } }).next();
    expect(found.value!.responseMetaData.resultsTotal).toBe(3);
  });

  test('names the row that fails', async () => {
    const file = join(folder.path, 'wrong.csv');
    writeFileSync(file, '\ufeffuserProvidedId,expirationDate\r\nguest-4,2030-01-31 23:59\r\nguest-5,soon\r\n');
    const failure = await importing(file).catch((error: { code: number; stdout: string; stderr: string }) => error);
    expect(failure).toMatchObject({ code: 1 });
    expect(failure.stdout).toContain('1 passes created, 1 failed');
    expect(failure.stderr).toMatch(/^Row 3: .*expirationDate/m);
  });

  test('rejects a file with mismatched quotation marks or fields', async () => {
    const importing = `import { readCsv } from ${JSON.stringify(example('spreadsheet-import/read-csv.mjs'))};`;
    const read = async (text: string) => {
      const code = `${importing} console.log(JSON.stringify(readCsv(${JSON.stringify(text)})))`;
      return JSON.parse((await run(node, ['--input-type=module', '-e', code])).stdout);
    };
    expect(await read('a,b\n1,"x,\ny"\n\n"",\n')).toEqual([{ a: '1', b: 'x,\ny' }]);
    await expect(read('a,b\n1,"x\n')).rejects.toThrow('Row 2 has a quotation mark');
    await expect(read('a,b\n1\n')).rejects.toThrow('Row 2 has 1 fields, not 2');
  });
});

describe.each([
  ['PHP', 'php', 'php/ticket.php'],
  ['Python', 'python3', 'python/ticket.py'],
])('the program in %s', (_, tool, file) => {
  const missing = spawnSync(tool, ['--version']).status !== 0;

  test.skipIf(missing)(`creates a ticket once${missing ? ` (skipped: there is no ${tool} here)` : ''}`, async () => {
    const env = environment as NodeJS.ProcessEnv;
    const first = await run(tool, [example(file), templateId, `${tool}-1`], { env });
    const second = await run(tool, [example(file), templateId, `${tool}-1`], { env });
    const [page, count] = first.stdout.trim().split('\n');
    expect((await fetch(page!)).status).toBe(200);
    expect(count).toMatch(/^\d+ passes$/);
    expect(second.stdout).toBe(first.stdout);
  });

  test.skipIf(missing)('reports what is rejected', async () => {
    const args = [example(file), 'no-such-template', `${tool}-2`];
    const failure = await run(tool, args, { env: environment as NodeJS.ProcessEnv }).catch((error) => error);
    expect(failure.code).toBe(1);
    expect(failure.stderr).toContain('status 404');
  });
});
