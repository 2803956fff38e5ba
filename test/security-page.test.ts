import { expect, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { isTypeScript, parse, readFiles } from './support/source-file.ts';
import { isTitle, testTitles } from './support/test-titles.ts';

/* Checks `docs/security.md`: each proof names an existing test, and each finding has a row. */

const FINDINGS = 16;
/** `[api/keys](../test/api/keys.test.ts) › a suite › a test` */
const REFERENCE = /^\[([^\]]+)\]\(\.\.\/test\/([^)]+)\) › (.+)$/;
const OPEN = /^open \(.+\)$/;

const [page] = readFiles('docs').filter(({ path }) => path === 'docs/security.md');
const titles = new Map(
  readFiles('test')
    .filter(isTypeScript)
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .map((file) => [file.path.replace('test/', ''), testTitles(parse(file))]),
);

/** Returns the cells of the rows below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = page!.text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function exists(proof: string): boolean {
  const [, label, file = '', path = ''] = REFERENCE.exec(proof) ?? [];
  if (label === undefined || file.replace(/\.test\.tsx?$/, '') !== label) return false;
  const meant = path.split(' › ');
  return (titles.get(file) ?? []).some(
    (title) => title.length === meant.length && title.every((part, i) => part === meant[i] || isTitle(part, meant[i]!)),
  );
}

const missing = (rows: string[][]) =>
  rows.flatMap((cells) =>
    cells
      .at(-1)!
      .split('<br>')
      .filter((proof) => !OPEN.test(proof) && !exists(proof)),
  );

test('its first sentence says who it is for', () => {
  expect(page!.text.split('\n')[2]).toMatch(/^This page is for people who /);
});

test('every promise has a test that exists', () => {
  const rows = rowsBelow('What the service promises');
  expect(rows.length).toBeGreaterThan(10);
  expect(missing(rows)).toEqual([]);
});

test('every finding of the review has a row, in order, with existing tests or the word open', () => {
  const rows = rowsBelow('The review of November 22, 2026');
  expect(rows.map(([finding]) => Number.parseInt(finding!, 10))).toEqual(
    Array.from({ length: FINDINGS }, (_, i) => i + 1),
  );
  expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  expect(missing(rows)).toEqual([]);
});

test('the ASVS table names every chapter, with its status', () => {
  const rows = rowsBelow('ASVS 5.0, level 2');
  expect(rows.map(([chapter]) => Number(/^V(\d+) /.exec(chapter!)?.[1]))).toEqual(
    Array.from({ length: 17 }, (_, i) => i + 1),
  );
  expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
});

test('the table of rate limits names every binding, with its number and period', () => {
  const bindings: { name: string; simple: { limit: number; period: number } }[] = unstable_readConfig({
    config: 'wrangler.toml',
  }).ratelimits;
  const told = rowsBelow('Rate limits').map(([, , limit, binding]) => [binding!.replaceAll('`', ''), limit]);
  for (const { name, simple } of bindings) {
    const limits = told.filter(([binding]) => binding === name).map(([, limit]) => limit);
    expect(new Set(limits), name).toEqual(new Set([`${simple.limit} in ${simple.period} s`]));
  }
  const names = bindings.map(({ name }) => name);
  expect(told.filter(([binding]) => /RATE_LIMITER$/.test(binding!) && !names.includes(binding!))).toEqual([]);
});

test.each(['[api/none](../test/api/none.test.ts) › x', '[api/keys](../test/api/keys.test.ts) › x', 'tested'])(
  'rejects %s as a proof',
  (proof) => {
    expect(missing([['a promise', proof]])).toEqual([proof]);
  },
);
