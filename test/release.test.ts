import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');

test('package, lock file and changelog name the same version', () => {
  const { version } = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});

test('earlier releases in the changelog are not marked as unreleased', () => {
  const [, ...earlier] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  expect(earlier.filter((title) => title.includes('unreleased'))).toEqual([]);
});
