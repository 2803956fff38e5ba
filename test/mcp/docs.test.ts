import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tools/index.ts';
import { freshAccount } from '../support/api.ts';

/* docs/mcp.md is complete, and its commands run. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms'))].map(([, indent, code]) =>
    code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

test('the table has each tool with its scope and its effect', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| .+ \| `([\w:]+)` \| (\w+) \|$/gm)].map(([, ...cells]) => cells);
  const effect = ({ hints }: (typeof TOOLS)[number]) => {
    if (hints.readOnlyHint) return 'reads';
    return hints.destructiveHint ? 'changes' : 'adds';
  };
  expect(rows).toEqual(TOOLS.map((tool) => [tool.name, tool.scope, effect(tool)]));
});

test('each configuration names the address and sends the key as a bearer token', () => {
  const configurations = blocks('json').map((text) => JSON.parse(text));
  expect(configurations).toHaveLength(4);
  for (const { mcpServers, servers } of configurations) {
    const [server] = Object.values<Record<string, unknown>>(mcpServers ?? servers);
    const text = JSON.stringify(server);
    expect(text).toContain('https://passes.example.com/mcp');
    expect(text).toMatch(/Bearer (\$\{[\w:]+\}|pk_…)/);
  }
});

const missing = ['bash', 'curl', 'jq'].find((program) => spawnSync(program, ['--version']).status !== 0);

test.skipIf(missing)('the commands list the tools and call one', async () => {
  const client = await freshAccount();
  const identifier = await client.createTemplate();
  const folder = mkdtempSync(join(tmpdir(), 'mcp-docs-'));
  mkdirSync(join(folder, '.local'));
  const demo = { baseUrl: inject('worker').origin, apiKey: client.apiKey };
  writeFileSync(join(folder, '.local', 'demo.json'), JSON.stringify(demo));
  const commands = blocks('sh').filter((code) => !/^(npm|claude) /.test(code));
  const script = ['set -euo pipefail', ...commands].join('\n');
  const printed = execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const names = TOOLS.map(({ name }) => name).join('\n');
  expect(printed.startsWith(`${names}\n`)).toBe(true);
  expect(JSON.parse(printed.slice(names.length))).toMatchObject({ templates: [{ identifier }], total: 1 });
});
