import { expect, test } from 'vitest';
import { isTypeScript, parse, readFiles } from './support/source-file.ts';
import { isTitle, testTitles } from './support/test-titles.ts';

/*
 * Checks `test/conformance.md`: every row names an existing proof, or says why there is none.
 */

const TABLE = 'test/conformance.md';
/** Cells that excuse a missing proof. */
const EXCUSE = /^(open|in progress|none) \(.+\)$/;
/** `[api/v1/pass](api/v1/pass.test.ts) › create › replies with the v1 object` */
const REFERENCE = /^\[([^\]]+)\]\(([^)]+)\) › (.+)$/;

/** Titles by test file, relative to `test/`. */
type Titles = Map<string, string[][]>;

const files = readFiles('test');
const titles: Titles = new Map(
  files
    .filter(isTypeScript)
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .map((file) => [file.path.replace('test/', ''), testTitles(parse(file))]),
);
const rows = rowsOf(files.find(({ path }) => path === TABLE)!.text);

/** Returns the cells of every table row, without headers and rules. */
function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  const cells = lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
  return cells.map((row) => row.slice(1, -1)).filter(([promise]) => promise !== 'Promise' && !/^-+$/.test(promise!));
}

/** Returns the faults of a row: one sentence per invalid proof. */
function faultsOf([promise = '', proofs = '', ...more]: string[], known: Titles): string[] {
  if (promise === '' || proofs === '' || more.length > 0) return [`"${promise}" has not two full cells`];
  return proofs.split('<br>').flatMap((proof) => {
    if (EXCUSE.test(proof)) return [];
    const [, label, file = '', path = ''] = REFERENCE.exec(proof) ?? [];
    if (label === undefined) return [`"${promise}": "${proof}" is neither a test nor an excuse`];
    if (`${label}.test.ts` !== file && `${label}.test.tsx` !== file) return [`"${promise}": ${label} is not ${file}`];
    const meant = path.split(' › ');
    const exists = known
      .get(file)
      ?.some((title) => title.length === meant.length && title.every((part, i) => isTitle(part, meant[i]!)));
    return exists ? [] : [`"${promise}": there is no "${path}" in test/${file}`];
  });
}

test('every promise in the table has a proof that exists, or says why there is none', () => {
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.flatMap((row) => faultsOf(row, titles))).toEqual([]);
});

test('a promise is in the table once per section', () => {
  const text = files.find(({ path }) => path === TABLE)!.text;
  const repeated = text.split(/^#+ /m).flatMap((section) => {
    const promises = rowsOf(section).map(([promise]) => promise!);
    return promises.filter((promise, i) => promises.indexOf(promise) !== i);
  });
  expect(repeated).toEqual([]);
});

test.each([
  ['a file that is not there', 'A', '[api/none](api/none.test.ts) › create › works'],
  ['a title that is not there', 'A', '[api/a](api/a.test.ts) › create › fails'],
  ['a title without its suite', 'A', '[api/a](api/a.test.ts) › works'],
  ['a title that only begins alike', 'A', '[api/a](api/a.test.ts) › create › work'],
  ['another file than the label says', 'A', '[api/b](api/a.test.ts) › create › works'],
  ['a second proof that is not there', 'A', '[api/a](api/a.test.ts) › create › works<br>[api/a](api/a.test.ts) › no'],
  ['an excuse without a reason', 'A', 'open'],
  ['no proof', 'A', ''],
])('notices %s', (_, promise, proofs) => {
  const known: Titles = new Map([['api/a.test.ts', [['create'], ['create', 'works'], ['create', 'refuses %s']]]]);
  expect(faultsOf([promise, proofs], known)).toHaveLength(1);
});

test.each([
  ['a test', '[api/a](api/a.test.ts) › create › works'],
  ['a suite', '[api/a](api/a.test.ts) › create'],
  ['a row of a table of tests', '[api/a](api/a.test.ts) › create › refuses 7'],
  ['a table of tests', '[api/a](api/a.test.ts) › create › refuses %s'],
  ['an excuse', 'open (webhooks)'],
])('accepts %s as a proof', (_, proofs) => {
  const known: Titles = new Map([['api/a.test.ts', [['create'], ['create', 'works'], ['create', 'refuses %s']]]]);
  expect(faultsOf(['A', proofs], known)).toEqual([]);
});
