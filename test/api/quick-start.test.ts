import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freshAccount } from '../support/api.ts';
import { type ClientFolder, installClient } from '../support/packed-client.ts';

/* The commands of the README, the tutorial and the page about webhooks, as they stand there, each page in one shell. */

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
let client: ClientFolder | undefined;
afterAll(() => {
  rmSync(folder, { recursive: true });
  client?.remove();
});

/** Programs that other tests start, with these pages' options; they need a service of their own or a person. */
const STARTED_ELSEWHERE = /^(npm|npx|openssl) /m;

/** The blocks of shell commands, in order; those in a list are indented. */
function blocksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent, code]) =>
    code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** What a page's commands print, in a folder with the facts that `npm start` leaves. */
function run(page: string): string {
  const commands = blocksOf(page).filter((code) => !STARTED_ELSEWHERE.test(code));
  const script = ['set -euo pipefail', ...commands].join('\n');
  return execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
}

const missing = ['bash', 'curl', 'jq'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

beforeAll(async () => {
  const account = await freshAccount();
  const templates = { eventTicket: await account.createTemplate() };
  const demo = {
    baseUrl: inject('worker').origin,
    apiKey: account.apiKey,
    templates,
    gate: 'https://example.com/scan',
  };
  mkdirSync(join(folder, '.local'));
  client = installClient();
  symlinkSync(join(client.path, 'node_modules'), join(folder, '.local', 'node_modules'));
  writeFileSync(join(folder, '.local', 'demo.json'), JSON.stringify(demo));
});

describe.skipIf(missing)(`the commands of the pages${missing ? ` (skipped: there is no ${missing} here)` : ''}`, () => {
  test('README: end with the page of a pass', async () => {
    const page = run('README.md').trim();
    const reply = await fetch(page);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  });

  test('tutorial: create, show, change, send, void and delete a pass', () => {
    const printed = run('docs/tutorial.md');
    expect(printed).toContain('"Member": "Ada Lovelace"');
    expect(printed).toMatch(/^true\n/m);
    expect(printed.trim().split('\n').slice(-3)).toEqual(['204', '3', '200']);
    expect(printed).toMatch(/^55 http\S+$/m);
    expect(
      readFileSync(join(folder, '.local', 'member.pkpass'))
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });

  test('webhooks: subscribe, look, test, recover and pull', () => {
    const printed = run('docs/webhooks.md');
    expect(printed).toMatch(/^"whsec_/);
    expect(printed).toContain('"status": "active"');
    expect(printed).toContain('"deliveryId"');
    expect(printed).not.toMatch(/ErrorMessage|"success": false/);
  });
});

describe('npm scripts and files that the pages name', () => {
  test('exist', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...['tutorial', 'webhooks', 'wallets', 'operations', 'development', 'performance'].map(
        (page) => `docs/${page}.md`,
      ),
    ];
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = pages.flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm (?:run (?:-s )?)?([a-z:-]+)/g)].map(([, name]) => name!),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !['ci', 'install'].includes(name) && !scripts[name])).toEqual([]);
  });
});
