import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { readFiles, type TextFile } from './support/source-file.ts';

/*
 * Checks documentation automatically: sizes, links, quoted code, and words that the product doesn't use.
 */

const ROOT = join(import.meta.dirname, '..');
const README_BYTES_MAX = 8 * 1024;
const PAGES = readFiles().filter(({ path }) => /^(docs\/.+|(client|examples)\/README|[A-Z]+)\.md$/.test(path));

/** Words that the product doesn't use, with their replacements. */
const AVOIDED: [pattern: RegExp, instead: string][] = [
  [/\bgate apps?\b/i, 'scanner app'],
  [/\bfor good\b(?! (reason|work))/i, 'permanently'],
  [/\bwake[- ]?ups?\b(?!\.ts)/i, 'scheduled delivery'],
  [/\bmade valid again\b/i, 'restored'],
  [/\btells? (owners|subscribers)\b/i, 'notifies'],
  [/\bclaw back\b/i, 'undo'],
  [/\bUS American\b/i, 'American'],
];

/** Returns a heading's anchor, as code hosts create it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const withoutBlocks = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gms, '');
const withoutCode = (text: string) => withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '');

const anchorsOf = ({ text }: TextFile) =>
  new Set([...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));

/** Returns a page's broken links within this repository. Doesn't follow links to other sites. */
function deadLinks(page: TextFile, pages: TextFile[]): string[] {
  const targets = [...withoutCode(page.text).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(([, a, b]) => (a ?? b)!);
  return targets
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page.path : posix.normalize(posix.join(dirname(page.path), path));
      if (!existsSync(join(ROOT, file))) return true;
      const other = pages.find((one) => one.path === file);
      return anchor !== undefined && !(other && anchorsOf(other).has(anchor));
    })
    .map((target) => `${page.path}: ${target}`);
}

/** Returns quotes that differ from the file named in the comment above them. */
function wrongQuotes({ path, text }: TextFile, files: TextFile[]): string[] {
  const quotes = [...text.matchAll(/^<!-- (examples\/\S+) -->\n```\w+\n(.*?)^```$/gms)];
  return quotes
    .filter(([, name, code]) => files.find((file) => file.path === name)?.text !== code)
    .map(([, name]) => `${path}: does not quote ${name} as it is`);
}

const avoidedWords = ({ path, text }: TextFile) =>
  AVOIDED.flatMap(([pattern, instead]) => {
    const found = pattern.exec(withoutCode(text));
    return found ? [`${path}: "${found[0]}" (say "${instead}")`] : [];
  });

test('the README has at most 8 KB', () => {
  const readme = PAGES.find(({ path }) => path === 'README.md')!;
  expect(Buffer.byteLength(readme.text)).toBeLessThanOrEqual(README_BYTES_MAX);
});

test('every link leads to a file and a heading that exist', () => {
  const wrong = {
    path: 'docs/search.md',
    text: '# X\n[a](#x) [b](#y) [c](none.md) [d](search.md#no-such) ![e](z.png)\n',
  };
  expect(deadLinks(wrong, [wrong])).toHaveLength(4);
  expect(PAGES.flatMap((page) => deadLinks(page, PAGES))).toEqual([]);
});

test('every file that the pages for developers name exists', () => {
  const pages = PAGES.filter(({ path }) => /(architecture|development)\.md$/.test(path));
  const known = ['src', 'scripts', 'test', 'bench'].flatMap((folder) => readFiles(folder).map(({ path }) => path));
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/`([a-z][\w./-]*\.[cm]?tsx?)`/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !known.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
});

/** Browser APIs that the pages mention because the code doesn't use them. */
const FOREIGN_NAMES = new Set(['BarcodeDetector']);

test('every name in the code that the pages for developers mention exists', () => {
  const pages = PAGES.filter(({ path }) => /(architecture|development)\.md$/.test(path));
  const code = ['src', 'scripts', 'test', 'bench'].flatMap((folder) => readFiles(folder)).map(({ text }) => text);
  const known = new Set(code.join('\n').match(/[\w$]+/g));
  const named = pages.flatMap(({ text }) =>
    [...withoutBlocks(text).matchAll(/`([a-zA-Z_$][\w$]*)(?:\([^`]*\))?`/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !known.has(name) && !FOREIGN_NAMES.has(name))).toEqual([]);
});

const MAP_LINES_MAX = 60;

test('the map fits on a page, and names each folder of src and each feature and file of the domain', () => {
  const [, map] = /^```\n(src\/\n.*?)^```$/ms.exec(PAGES.find(({ path }) => path === 'docs/architecture.md')!.text)!;
  expect(map!.split('\n').length).toBeLessThanOrEqual(MAP_LINES_MAX);
  const known = new Set(map!.match(/[\w-]+/g));
  const missing = (paths: string[]) => paths.filter((path) => !known.has(path.split('/').at(-1)!.replace(/\..*/, '')));
  const paths = readFiles('src').map(({ path }) => path);
  const folders = [...new Set(paths.flatMap((path) => /^src\/([\w-]+\/)?[\w-]+(?=\/)/.exec(path)?.[0] ?? []))];
  expect(folders.length).toBeGreaterThan(60);
  expect(missing(['src/domain/no-such-feature'])).toHaveLength(1);
  expect(missing([...folders, ...paths.filter((path) => /^src\/domain\/[^/]+$/.test(path))])).toEqual([]);
});

test('quoted code matches its file', () => {
  const files = readFiles('examples');
  expect(wrongQuotes({ path: 'x', text: '<!-- examples/a.mjs -->\n```js\nold();\n```' }, files)).toHaveLength(1);
  expect(PAGES.filter(({ text }) => text.includes('<!-- examples/')).length).toBeGreaterThan(0);
  expect(PAGES.flatMap((page) => wrongQuotes(page, files))).toEqual([]);
});

test('pages use the product’s vocabulary', () => {
  expect(avoidedWords({ path: 'x', text: 'Open the gate app. `gate app`' })).toHaveLength(1);
  expect(PAGES.flatMap(avoidedWords)).toEqual([]);
});

test('every page of docs says in its first sentence who it is for, and the README links to it', () => {
  const pages = PAGES.filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));
  const readme = PAGES.find(({ path }) => path === 'README.md')!.text;
  expect(pages.length).toBeGreaterThanOrEqual(12);
  expect(pages.filter(({ text }) => !/^# .+\n\nThis page is for /.test(text)).map(({ path }) => path)).toEqual([]);
  expect(pages.filter(({ path }) => !readme.includes(`](${path})`)).map(({ path }) => path)).toEqual([]);
});

test('a decision record has its parts, fits on a page, and is linked from the architecture', () => {
  const records = PAGES.filter(({ path }) => path.startsWith('docs/adr/'));
  const map = PAGES.find(({ path }) => path === 'docs/architecture.md')!.text;
  expect(records.length).toBeLessThanOrEqual(30);
  for (const { path, text } of records) {
    expect(text, path).toMatch(
      /^# \d+\. .+\n\nStatus: .+\n\n## Context\n\n.+\n## Decision\n\n.+\n## Consequences\n\n/s,
    );
    expect(map, path).toContain(`](${path.replace('docs/', '')})`);
  }
});
