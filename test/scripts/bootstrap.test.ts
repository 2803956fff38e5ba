import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInstalled, oldNodeProblem } from '../../scripts/bootstrap.mjs';

describe('oldNodeProblem', () => {
  test.each(['20.0.0', '24.21.0', '100.1.0'])('accepts Node %s', (version) => {
    expect(oldNodeProblem(version)).toBeUndefined();
  });

  test.each(['19.9.0', '18.20.4', '8.17.0'])('rejects Node %s in one sentence that says what to do', (version) => {
    expect(oldNodeProblem(version)).toMatch(/^Node [\d.]+ is too old: install Node 20 or newer .*\.$/);
  });
});

describe('isInstalled', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
    mkdirSync(join(root, 'node_modules'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const wanted = {
    '': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/only-on-windows': { version: '1.0.0', optional: true },
  };
  const lock = (path: string, packages: object) => writeFileSync(join(root, path), JSON.stringify({ packages }));
  const installed = (packages: object) => {
    lock('package-lock.json', wanted);
    lock('node_modules/.package-lock.json', packages);
    return isInstalled(root);
  };

  test('accepts the locked versions; optional packages may be missing', () => {
    expect(installed({ 'node_modules/a': { version: '1.0.0' } })).toBe(true);
  });

  test('detects a missing package, another version and an unfinished installation', () => {
    expect(installed({})).toBe(false);
    expect(installed({ 'node_modules/a': { version: '0.9.0' } })).toBe(false);
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(isInstalled(root)).toBe(false);
  });

  test('accepts the installation that runs this test', () => {
    expect(isInstalled(join(import.meta.dirname, '../..'))).toBe(true);
  });
});

describe('install', () => {
  test('installs exactly the lock file’s versions, or fails', () => {
    const root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
    const packages = { 'node_modules/a': { version: '1.0.0' } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    // A fake npm that records its arguments, and fails like npm if lock file and package.json differ.
    const npm = join(root, 'npm-cli.js');
    writeFileSync(npm, `console.error('told', process.argv[2]); process.exit(1);`);
    const bootstrap = join(import.meta.dirname, '../../scripts/bootstrap.mjs');
    const program = `import { install } from ${JSON.stringify(bootstrap)}; console.log(install(${JSON.stringify(root)}));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: npm },
    });
    expect(stdout).toMatch(/^The dependencies could not be installed from package-lock\.json; .* "npm install" /);
    expect(stderr.match(/^told .*$/gm)).toEqual(['told ci']);
    rmSync(root, { recursive: true });
  });
});
