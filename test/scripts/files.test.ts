import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDirectory, readJson, writePrivateJson } from '../../scripts/files.ts';
import { prepareCheckout } from '../../scripts/run-wrangler.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('creates a directory with all missing parents', () => {
  prepareDirectory(join(folder, 'a/b/c'));
  expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true);
});

test('reports in one sentence which directory is not writable, and which variable selects another', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => prepareDirectory(join(folder, 'file', 'state'), 'STATE_DIR')).toThrow(
    `Cannot write to ${join(folder, 'file', 'state')} (ENOTDIR): give your user write permission there, or choose another place with STATE_DIR.`,
  );
});

test('reports the same for wrangler’s build folders in a checkout', () => {
  prepareCheckout(folder);
  expect(statSync(join(folder, '.wrangler', 'tmp')).isDirectory()).toBe(true);
  rmSync(join(folder, '.wrangler'), { recursive: true });
  writeFileSync(join(folder, '.wrangler'), '');
  expect(() => prepareCheckout(folder)).toThrow(
    /^Cannot write to .*\.wrangler.* give your user write permission there\.$/,
  );
});

test('writes JSON for its owner only, even in a file that was open to others', () => {
  const file = join(folder, 'demo.json');
  writeFileSync(file, 'old', { mode: 0o644 });
  writePrivateJson(file, { apiKey: 'pk' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readJson(file)).toEqual({ apiKey: 'pk' });
  expect(readFileSync(file, 'utf8')).toMatch(/\n$/);
});

test('distinguishes a missing file from a damaged one', () => {
  expect(readJson(join(folder, 'none.json'))).toBeUndefined();
  writeFileSync(join(folder, 'half.json'), '{"a":');
  expect(() => readJson(join(folder, 'half.json'))).toThrow(/half\.json cannot be read .*: fix or delete it\./);
});
