import { expect, test } from 'vitest';
import {
  INDEXED_DATES,
  INDEXED_FLAGS,
  INDEXED_NUMBERS,
  INDEXED_TEXTS,
} from '../../../src/domain/passes/search-index/pass-document.ts';
import { isTypeScript, parse, readFiles, type SourceFile, type TextFile } from '../../support/source-file.ts';

/*
 * A statement that writes searched columns without `index-pass.ts` would leave old values in the index. So each file
 * that writes passes must index them, or set only columns outside the word index. Setting `appearance` alone sets
 * images, which aren't indexed.
 */

const INDEXED = new Set<string>([
  ...[INDEXED_TEXTS, INDEXED_FLAGS, INDEXED_NUMBERS, INDEXED_DATES].flatMap((fields) => Object.values(fields)),
  'accountId',
  'templateId',
  'properties',
  'flight',
]);

const writes = ({ text }: TextFile) => /\.(?:insert|update|delete)\(passes\)/.test(text);
const indexes = ({ imports }: SourceFile) => imports.some(({ target }) => target.endsWith('/index-pass.ts'));

/** Whether a file only updates named columns that aren't indexed. */
function setsOnlyOthers({ text }: SourceFile): boolean {
  if (/\.(?:insert|delete)\(passes\)/.test(text)) return false;
  const sets = [...text.matchAll(/\.update\(passes\)\s*\.set\(([\s\S]*?)\)\s*\.(?:where|from)/g)].map(
    ([, set]) => set!,
  );
  const named = sets.map((set) =>
    [...set.matchAll(/([a-zA-Z]\w*):|[{,]\s*([a-zA-Z]\w*)(?=\s*[,}])/g)].map(([, name, short]) => name ?? short!),
  );
  return named.every(
    (names, i) => names.length > 0 && !sets[i]!.includes('...') && names.every((name) => !INDEXED.has(name)),
  );
}

function forgetful(files: SourceFile[]): string[] {
  return files.filter((file) => writes(file) && !indexes(file) && !setsOnlyOthers(file)).map(({ path }) => path);
}

test('every module that writes searched values indexes them', () => {
  const files = readFiles('src')
    .filter((file) => isTypeScript(file) && writes(file))
    .map(parse);
  expect(files.filter(indexes).length).toBeGreaterThan(4);
  expect(forgetful(files)).toEqual([]);
});

test.each([
  ['an insert', 'db.insert(passes).values(row);'],
  ['a delete', 'db.delete(passes).where(x);'],
  ['an indexed column', 'db.update(passes).set({ voided: true }).where(x);'],
  ['an indexed column by its name alone', 'db.update(passes).set({ appearance, voided }).where(x);'],
  ['columns that are not named', 'db.update(passes).set({ ...values, version: 2 }).where(x);'],
  ['columns of somewhere else', 'db.update(passes).set(values).where(x);'],
])('notices %s', (_, text) => {
  expect(forgetful([parse({ path: 'src/domain/passes/a.ts', text })])).toHaveLength(1);
});

test.each([
  'db.update(passes).set({ appearance: shown }).where(x);',
  'db.update(passes).set({ appearance }).where(x);',
])('accepts %s', (text) => {
  expect(forgetful([parse({ path: 'src/domain/passes/a.ts', text })])).toEqual([]);
});
