import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROOT } from '../../../scripts/settings.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { control, eventually } from '../../support/control.ts';
import { freePort } from '../../support/free-port.ts';
import { type ClientFolder, findNode, installClient, readmeExamples } from '../../support/packed-client.ts';

/* Runs the examples of the client's README, verbatim, with the package as installed. */

const run = promisify(execFile);
const examples = readmeExamples(readFileSync(join(ROOT, 'client/README.md'), 'utf8'));
/** The oldest Node version that the package supports, if installed. */
const node = findNode(20) ?? process.execPath;

let folder: ClientFolder;
let client: Client;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = installClient();
  for (const [name, code] of examples) writeFileSync(join(folder.path, name), code);
  client = await freshAccount();
  environment = {
    PASS_WALLET_URL: inject('worker').origin,
    PASS_WALLET_KEY: client.apiKey,
    TEMPLATE_ID: await client.createTemplate(),
  };
});
afterAll(() => folder.remove());

/** Returns an example's output lines. */
async function printed(name: string): Promise<string[]> {
  const { stdout } = await run(node, [join(folder.path, name)], { env: { ...process.env, ...environment } });
  return stdout.trim().split('\n');
}

test('there are ten examples, each of which runs', () => {
  const readme = readFileSync(join(ROOT, 'client/README.md'), 'utf8');
  expect(readme.match(/^### \d+\. /gm)).toHaveLength(10);
  // `worker.js` runs in test/client/package.test.ts.
  expect([...examples.keys()]).toEqual([
    'wallet.js',
    'create.js',
    'change.js',
    'void.js',
    'list.js',
    'search.js',
    'errors.js',
    'order.js',
    'bulk.js',
    'receiver.js',
    'worker.js',
  ]);
});

describe('the example', () => {
  test('that creates, changes and voids a pass works', async () => {
    const [line] = await printed('create.js');
    const [, identifier, page] = /^(\S+) (http\S+)$/.exec(line!) ?? [];
    expect((await client.get(`/api/v3/pass/${identifier}`)).body.data).toMatchObject({ downloadPage: page });
    expect(await printed('change.js')).toEqual(['40 -> 55']);
    expect(await printed('void.js')).toEqual(['voided: true']);
    expect((await client.get(`/api/v3/pass/${identifier}`)).body.data.voided).toBe(false);
  });

  test('that handles an error prints its issues', async () => {
    const [first, second] = await printed('errors.js');
    expect(first).toMatch(/^400 \S+$/);
    expect(second).toMatch(/^data\.expirationDate must /);
  });

  test('that repeats a create gets the same pass', async () => {
    expect(await printed('order.js')).toEqual(['true']);
  });

  test('that creates many passes follows the process to its end', async () => {
    expect((await printed('bulk.js')).at(-1)).toBe('finished 200 of 200');
  });

  test('that lists reads all pages, and the one that searches finds', async () => {
    const lines = await printed('list.js');
    expect(lines).toEqual([...Array(4).fill('50 of 202'), '2 of 202', 'Membership']);
    expect(await printed('search.js')).toEqual(['member-1001 55']);
  });
});

describe('from the client package to a verified webhook', () => {
  const running: ChildProcess[] = [];
  afterAll(() => {
    for (const child of running) child.kill();
  });

  test('are ten lines', () => {
    expect(examples.get('receiver.js')!.trim().split('\n')).toHaveLength(10);
  });

  test('a program subscribes, gets a verified event, and rejects others', async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const hostname = `${randomBytes(6).toString('hex')}.example.com`;
    await control('registerHost', { hostname, origin: address });
    const env = { ...process.env, ...environment, PORT: String(port), HOOK_URL: `https://${hostname}/hook` };
    const child = spawn(node, [join(folder.path, 'receiver.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    const refused = await eventually(() => fetch(address, { method: 'POST', body: '{}' }).catch(() => undefined));
    expect(refused.status).toBe(401);

    const pass = await client.createPass(environment.TEMPLATE_ID!, { userProvidedId: 'seen', 'Full name': 'Zoë ☂' });
    await eventually(() => said.includes(pass.identifier));
    expect(said).toMatch(/^pass_created [0-9a-f-]{36} \{/);
    expect(said).toContain('Zoë ☂');
    await control('registerHost', { hostname });
  });
});
