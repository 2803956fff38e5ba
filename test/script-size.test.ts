import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildWorker } from '../scripts/build-worker.ts';

/** Names of modules with those that they import when they are loaded. */
function withImports(texts: Map<string, string>, names: string[]): Set<string> {
  const found = new Set(names);
  // A set goes on with what is added meanwhile.
  for (const name of found)
    for (const [, imported] of texts.get(name)!.matchAll(/(?:\bfrom|\bimport)"\.\/(.+?)"/g)) found.add(imported!);
  return found;
}

function sizeOf(texts: Map<string, string>, names: Set<string>) {
  const script = Buffer.from([...names].map((name) => texts.get(name)).join('\n'));
  return { kib: script.length / 1_024, gzipped: gzipSync(script).length / 1_024 };
}

const atMost = (kib: number, gzipped: number) => ({
  kib: expect.toSatisfy((size: number) => size <= kib),
  gzipped: expect.toSatisfy((size: number) => size <= gzipped),
});

test('the script is small to load: at most 130 KiB to start, 1,272 with any surface, 1,910 altogether', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'script-size-'));
  await buildWorker('src/index.ts', folder);
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const texts = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  rmSync(folder, { recursive: true });
  const surfaces = [...texts.get('index.js')!.matchAll(/\bimport\("\.\/(.+?)"\)/g)].map(([, name]) => name!);
  // The changes of a bundle's object are loaded as surfaces are.
  expect(surfaces).toHaveLength(7 + 3);
  expect(sizeOf(texts, withImports(texts, ['index.js']))).toEqual(atMost(130, 42));
  for (const surface of surfaces)
    expect(sizeOf(texts, withImports(texts, ['index.js', surface]))).toEqual(atMost(1_272, 437));
  expect(sizeOf(texts, new Set(texts.keys()))).toEqual(atMost(1_910, 670));
});
