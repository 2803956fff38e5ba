import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOfSources, isBuilt, recordBuild } from '../../scripts/build-stamp.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-stamp-'));
  write('src/index.ts', 'one');
  write('src/pages/console/client/styles.css', 'one');
  write('package-lock.json', 'one');
  write('.wrangler/worker/index.js', 'built');
  write('.wrangler/client/assets/client/console-styles.css', 'built');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const isStillBuilt = () => isBuilt(digestOfSources(root), root);

test('the last build is used while its sources and files are the same', () => {
  expect(isStillBuilt()).toBe(false);
  recordBuild(digestOfSources(root), root);
  expect(isStillBuilt()).toBe(true);
  write('src/index.ts', 'one');
  expect(isStillBuilt()).toBe(true);
});

test.each<[string, string]>([
  ['a source', 'src/index.ts'],
  ['a style', 'src/pages/console/client/styles.css'],
  ['the list of libraries', 'package-lock.json'],
  ['a new source', 'src/pages/console/client/new.ts'],
  ['a built file', '.wrangler/worker/index.js'],
  ['a new file beside the built ones', '.wrangler/client/assets/client/other.css'],
])('another content of %s needs another build', (_, path) => {
  recordBuild(digestOfSources(root), root);
  write(path, 'two');
  expect(isStillBuilt()).toBe(false);
});

test.each(['src/pages/console/client/styles.css', '.wrangler/client/assets/client/console-styles.css'])(
  'without %s, another build is needed',
  (path) => {
    recordBuild(digestOfSources(root), root);
    rmSync(join(root, path));
    expect(isStillBuilt()).toBe(false);
  },
);

test('a source that changes during a build is built the next time', () => {
  const before = digestOfSources(root);
  write('src/index.ts', 'two');
  recordBuild(before, root);
  expect(isStillBuilt()).toBe(false);
});
