import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../scripts/build-worker.ts';
import { SECTION_ROUTES } from '../src/pages/console/section-routes.ts';

let folder: string;
let texts: Map<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'script-size-'));
  await buildWorker('src/index.ts', folder);
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  texts = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Returns modules, including those that they import on load. */
function withImports(...names: string[]): Set<string> {
  const found = new Set(names);
  // Iterating a set includes members added meanwhile.
  for (const name of found)
    for (const [, imported] of texts.get(name)!.matchAll(/(?:\bfrom|\bimport)"\.\/(.+?)"/g)) found.add(imported!);
  return found;
}

/** Returns the modules that these modules load on demand. */
function loadedBy(names: Iterable<string>): string[] {
  const found = [...names].flatMap((name) => [...texts.get(name)!.matchAll(/\bimport\(`\.\/(.+?)`\)/g)]);
  return [...new Set(found.map(([, name]) => name!))];
}

/** Returns the module that contains a source file. */
function moduleOf(source: string): string {
  const found = [...texts.keys()].filter((name) => {
    const [, map] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(texts.get(name)!) ?? [];
    if (map === undefined) return false;
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(folder, map), 'utf8'));
    return sources.some((path) => path.endsWith(source));
  });
  expect(found, source).toHaveLength(1);
  return found[0]!;
}

function sizeOf(names: Iterable<string>) {
  const script = Buffer.from([...names].map((name) => texts.get(name)).join('\n'));
  return { kib: script.length / 1_024, gzipped: gzipSync(script).length / 1_024 };
}

const atMost = (kib: number, gzipped: number) => ({ kib: noLarger(kib), gzipped: noLarger(gzipped) });

const noLarger = (limit: number) => expect.toSatisfy((size: number) => size <= limit, `at most ${limit} KiB`);

test('the script is small to load: at most 117 KiB to start, and 1,906 altogether', () => {
  expect(sizeOf(withImports('index.js'))).toEqual(atMost(117, 36.1));
  expect(sizeOf(texts.keys())).toEqual(atMost(1_906, 649));
});

test('the script is small to load: at most 894 KiB with any surface', () => {
  const surfaces = loadedBy(withImports('index.js'));
  // Nine surfaces, jobs, cron, and the changes of a bundle's object.
  expect(surfaces).toHaveLength(9 + 2 + 1);
  for (const surface of surfaces) expect(sizeOf(withImports('index.js', surface))).toEqual(atMost(894, 297));
});

test('the script is small to load: at most 804 KiB with any section of the console', () => {
  const console = moduleOf('src/app/console.ts');
  const sections = loadedBy([moduleOf('src/pages/console/section-routes.ts')]);
  expect(sections.length).toBeGreaterThanOrEqual(Object.keys(SECTION_ROUTES).length);
  for (const section of sections) expect(sizeOf(withImports('index.js', console, section))).toEqual(atMost(804, 271));
});
