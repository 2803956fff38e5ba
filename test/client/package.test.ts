import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/settings.ts';
import { type ClientFolder, findNode, installClient, readmeExamples } from '../support/packed-client.ts';

/* The package as users install it. */

const GZIP_BYTES_MAX = 12 * 1024;
const SECRET = `whsec_${btoa('a secret of 24 bytes ...')}`;

let folder: ClientFolder;
let code: string;
beforeAll(() => {
  folder = installClient();
  code = readFileSync(join(folder.installed, 'dist/index.js'), 'utf8');
});
afterAll(() => folder.remove());

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe('the package', () => {
  test('contains the built module, its types and the README, and has no dependencies', () => {
    const files = readdirSync(folder.installed, { recursive: true })
      .map(String)
      .filter((name) => /\.\w+$/.test(name));
    expect(files.filter((name) => !name.endsWith('.d.ts')).sort()).toEqual([
      'README.md',
      'dist/index.js',
      'package.json',
    ]);
    expect(files).toContain('dist/index.d.ts');
    const { dependencies, peerDependencies, type, sideEffects } = readJson(join(folder.installed, 'package.json'));
    expect([dependencies, peerDependencies, type, sideEffects]).toEqual([undefined, undefined, 'module', false]);
  });

  test('has the version of the service, and is built when it is packed', () => {
    const { version, scripts } = readJson(join(ROOT, 'client/package.json'));
    expect(version).toBe(readJson(join(ROOT, 'package.json')).version);
    expect(scripts.prepack).toBe('node ../scripts/run.mjs scripts/client/build.ts');
  });

  test('has at most 12 KB when compressed', () => {
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(GZIP_BYTES_MAX);
  });

  test('has no imports, and uses nothing of Node', async () => {
    const { metafile } = await build({
      entryPoints: [join(folder.installed, 'dist/index.js')],
      bundle: true,
      format: 'esm',
      external: ['*'],
      metafile: true,
      write: false,
    });
    expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports)).toEqual([]);
    expect(code).not.toMatch(/\b(process|Buffer|global|require|setImmediate)[.([]|__dirname|node:/);
  });

  test('is removed from a bundle that does not use it', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "import 'pass-wallet-client'; console.log(1);", resolveDir: folder.path },
      bundle: true,
      write: false,
      logLevel: 'silent',
    });
    expect(outputFiles[0]!.text.length).toBeLessThan(200);
  });
});

const PROGRAM = `
import { PassWallet, PassWalletError, verifyWebhook, WebhookVerificationError } from 'pass-wallet-client';
const replies = [
  Response.json({ errors: ['busy'] }, { status: 503, headers: { 'Retry-After': '0' } }),
  Response.json({ data: { identifier: 'p1' } }),
  Response.json({ errors: ['data.storedValue: must be a number'] }, { status: 400 }),
];
const wallet = new PassWallet({
  baseUrl: 'https://service.example', apiKey: 'pk_1', backOffMs: 1, fetch: async () => replies.shift(),
});
const { data } = await wallet.createPassV3({ body: { data: { templateId: 't1' } } });
const error = await wallet.createPassV3({ body: { data: { templateId: 't1' } } }).catch((thrown) => thrown);
const [headers, body, secret] = JSON.parse(process.argv[2]);
const event = await verifyWebhook(headers, body, secret);
const refused = await verifyWebhook(headers, body + ' ', secret).catch((thrown) => thrown);
console.log(JSON.stringify({
  identifier: data.identifier, isError: error instanceof PassWalletError, issues: error.issues,
  event, refused: refused instanceof WebhookVerificationError && refused.reason,
}));
`;

const BODY = JSON.stringify({ identifier: 'p1' });
const signedHeaders = () => {
  const now = new Date();
  return {
    'x-event-type': 'pass_created',
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('event-1', now, BODY),
  };
};

describe.each([20, 24])('in Node %i', (major) => {
  const node = findNode(major);

  test.skipIf(!node)(`calls and verifies${node ? '' : ' (skipped: not installed)'}`, () => {
    const file = join(folder.path, 'program.js');
    writeFileSync(file, PROGRAM);
    const delivery = JSON.stringify([signedHeaders(), BODY, SECRET]);
    expect(JSON.parse(execFileSync(node!, [file, delivery], { encoding: 'utf8' }))).toMatchObject({
      identifier: 'p1',
      isError: true,
      issues: [{ path: 'data.storedValue', message: 'must be a number' }],
      event: { id: 'event-1', type: 'pass_created', data: { identifier: 'p1' } },
      refused: 'wrong_signature',
    });
  });
});

describe('in a Worker', () => {
  let worker: Miniflare;
  const asked: { url: string; headers: Headers }[] = [];

  beforeAll(async () => {
    const example = readmeExamples(readFileSync(join(ROOT, 'client/README.md'), 'utf8')).get('worker.js')!;
    // With the binding from the README.
    const bound = example.replace('apiKey: env', 'fetch: (url, init) => env.PASSES.fetch(url, init), apiKey: env');
    const { outputFiles } = await build({
      stdin: { contents: bound, resolveDir: folder.path },
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
      write: false,
    });
    worker = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: outputFiles[0]!.text,
        cf: false,
        compatibilityDate: '2026-01-01',
        bindings: {
          PASS_WALLET_URL: 'https://service.example',
          PASS_WALLET_KEY: 'pk_1',
          TEMPLATE_ID: 't1',
          WEBHOOK_SECRET: SECRET,
        },
        serviceBindings: {
          PASSES: async (request: { url: string; headers: Iterable<[string, string]> }) => {
            asked.push({ url: request.url, headers: new Headers([...request.headers]) });
            if (asked.length === 1) return new Response('busy', { status: 503 }) as never;
            return Response.json({ data: { downloadPage: 'https://service.example/p/1' } }) as never;
          },
        },
      }),
    );
  });
  afterAll(() => worker.dispose());

  test('creates a pass through a service binding, with a retry', async () => {
    const reply = await worker.dispatchFetch('https://shop.example/', { redirect: 'manual' });
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, 'https://service.example/p/1']);
    expect(asked.map(({ url }) => url)).toEqual(Array(2).fill('https://service.example/api/v3/pass'));
    expect(asked[0]!.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[1]!.headers.get('Idempotency-Key')).toBe(asked[0]!.headers.get('Idempotency-Key'));
  });

  test('verifies a delivery', async () => {
    const reply = await worker.dispatchFetch('https://shop.example/hook', {
      method: 'POST',
      headers: signedHeaders(),
      body: BODY,
    });
    expect(await reply.json()).toEqual({ received: 'pass_created' });
  });
});

const SAMPLE = `
import { PassWallet, PassWalletError, verifyWebhook, type CreatePassV3Body, type ListPassesV3Item } from 'pass-wallet-client';
const wallet = new PassWallet({ baseUrl: 'https://service.example', apiKey: 'pk_1' });
const body: CreatePassV3Body = { data: { templateId: 't1', 'Full name': 'Ada' } };
export async function run(headers: Headers, text: string): Promise<string[]> {
  const { data } = await wallet.createPassV3({ body, query: { async: false } }, { retries: 1 });
  const page: string = data.downloadPage;
  const rows: ListPassesV3Item[] = [];
  for await (const { data: part, page: { next } } of wallet.listPassesV3({ query: { pageSize: 50 } })) {
    rows.push(...part);
    next satisfies string | null;
  }
  for await (const { identifier } of wallet.listTemplates().items()) identifier satisfies string;
  const nothing: undefined = await wallet.deletePass({ path: { id: 1 } });
  const { status, body: sent } = await wallet.request('sendPushNotification', {
    path: { id: 'p' }, body: { pushNotificationText: 'Boarding' },
  });
  const event = await verifyWebhook(headers, text, 'whsec_');
  if (event.type === 'app_scan_created') event.data.scanStatus satisfies number;
  try {
    // @ts-expect-error No such template.
    await wallet.createPassV3({ body: { data: {} } });
    // @ts-expect-error It needs a path.
    await wallet.readPassV3();
    // @ts-expect-error It is not in the query.
    await wallet.listPassesV3({ query: { pageCount: 3 } }).next();
  } catch (error) {
    if (error instanceof PassWalletError) return error.issues.map(({ path, message }) => path + message);
  }
  return [page, String(status), String(sent), String(nothing)];
}
`;

test('its types compile in a strict program with browser libraries', () => {
  writeFileSync(join(folder.path, 'sample.ts'), SAMPLE);
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout, status } = spawnSync(tsc, [...options, '--types', '', 'sample.ts'], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
