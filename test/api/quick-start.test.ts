import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { inboxOf } from '../support/dev-inbox.ts';
import { type ClientFolder, installClient } from '../support/packed-client.ts';
import { missingTool, runPage, writeDemoFile } from '../support/page-commands.ts';

/* Runs the commands of the README, the tutorial and the webhooks page, verbatim, each page in one shell. */

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
let client: ClientFolder | undefined;
afterAll(() => {
  rmSync(folder, { recursive: true });
  client?.remove();
});

const run = (page: string) => runPage(page, folder);

beforeAll(async () => {
  const account = await freshAccount();
  const templates = { eventTicket: await account.createTemplate() };
  const demo = {
    baseUrl: inject('worker').origin,
    apiKey: account.apiKey,
    templates,
    scanner: 'https://example.com/scan',
  };
  writeDemoFile(folder, demo);
  client = installClient();
  symlinkSync(join(client.path, 'node_modules'), join(folder, '.local', 'node_modules'));
});

describe.skipIf(missingTool)(
  `the commands of the pages${missingTool ? ` (skipped: there is no ${missingTool} here)` : ''}`,
  () => {
    test('README: end with a pass’s page', async () => {
      const page = (await run('README.md')).trim();
      const reply = await fetch(page);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    });

    test('tutorial: create, show, change, send, void and delete a pass', async () => {
      const printed = await run('docs/tutorial.md');
      expect(printed).toContain('"Member": "Ada Lovelace"');
      expect(printed).toMatch(/^true\n/m);
      expect(printed.trim().split('\n').slice(-3)).toEqual(['204', '3', '200']);
      expect(printed).toMatch(/^55 http\S+$/m);
      await eventually(async () =>
        (await inboxOf('grace@example.com')).some(({ subject }) => subject === 'Your club card'),
      );
      expect(
        readFileSync(join(folder, '.local', 'member.pkpass'))
          .subarray(0, 2)
          .toString(),
      ).toBe('PK');
    });

    test('webhooks: subscribe, list, test, recover and pull', async () => {
      const printed = await run('docs/webhooks.md');
      expect(printed).toMatch(/^"whsec_/);
      expect(printed).toContain('"status": "active"');
      expect(printed).toContain('"deliveryId"');
      expect(printed).not.toMatch(/ErrorMessage|"success": false/);
    });
  },
);

describe('npm scripts and files that the pages name', () => {
  test('exist', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...['tutorial', 'webhooks', 'testing', 'wallets', 'operations', 'development', 'performance'].map(
        (page) => `docs/${page}.md`,
      ),
    ];
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = pages.flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm (?:run (?:-s )?)?([a-z:-]+)/g)].map(([, name]) => name!),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !['ci', 'install', 'link'].includes(name) && !scripts[name])).toEqual([]);
  });
});
