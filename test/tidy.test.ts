import { describe, expect, it } from 'vitest';
import * as rules from './support/house-rules.ts';
import { isTypeScript, parse, readFiles, rootEntries, type TextFile } from './support/source-file.ts';
import { featuresWriteTheirOwnTables } from './support/table-ownership.ts';

/*
 * Keeps the house that the README draws. Each rule is first shown files that break it, so that a rule that has gone blind is noticed.
 */

function houseOf(files: TextFile[], entries: string[]): rules.House {
  const sources = files.filter(isTypeScript).map(parse);
  return { entries, files, sources };
}

const house = houseOf(
  readFiles().filter(({ path }) => /\.(css|json|md|mjs|mts|sql|svg|toml|tsx?|ya?ml)$|\/run$/.test(path)),
  rootEntries(),
);

/** A promise, the rule that keeps it, and files by path that break it, each of them alone or all of them together. */
type Promised = [promise: string, rule: rules.Rule, bad: Record<string, string>];

const longFunction = `function long() {\n${'  work();\n'.repeat(70)}}\n`;
const passTable = `export const passes = sqliteTable('passes', {});\n`;
const machinePath = ['', 'home', 'me', 'notes.md'].join('/');

const PROMISES: Promised[] = [
  ['a file fits in 300 lines', rules.filesFit, { 'src/domain/a/b.ts': 'work();\n'.repeat(301) }],
  ['a function fits in 70 lines', rules.functionsFit, { 'src/domain/a/b.ts': longFunction }],
  [
    'an arrow function fits in 70 lines',
    rules.functionsFit,
    { 'scripts/b.ts': `const f = () => {\n${'\n'.repeat(70)}};\n` },
  ],
  ['names are kebab-case', rules.namesAreKebabCase, { 'src/domain/a/createPass.ts': '' }],
  ['names of folders are kebab-case', rules.namesAreKebabCase, { 'src/domain/apiKeys/table.ts': '' }],
  ['no file names a path of one machine', rules.noMachinePaths, { 'scripts/a.ts': `read('${machinePath}');` }],
  ['no file holds a note of work left open', rules.nothingLeftOpen, { 'src/a.ts': `// ${'TO'}${'DO'}: later` }],
  ['nothing is cast to any', rules.noAnyCasts, { 'src/a.ts': `go(x ${'as'} any);` }],
  ['only the log writes to the console', rules.onlyTheLogWrites, { 'src/api/a.ts': 'console.log(1);' }],
  [
    'no file only passes on the exports of others',
    rules.noBarrels,
    { 'src/domain/a/all.ts': `export * from './b.ts';` },
  ],

  [
    'platform imports platform only',
    rules.importsPointInwards,
    { 'src/platform/a.ts': `import '../domain/errors.ts';` },
  ],
  [
    'domain does not import wallets',
    rules.importsPointInwards,
    { 'src/domain/a/b.ts': `import '../../wallets/c.ts';` },
  ],
  ['wallets do not import the API', rules.importsPointInwards, { 'src/wallets/a/b.ts': `import '../../api/c.ts';` }],
  ['the API does not import pages', rules.importsPointInwards, { 'src/api/a.ts': `await import('../pages/b.ts');` }],
  ['pages do not import the API', rules.importsPointInwards, { 'src/pages/a.ts': `export { b } from '../api/b.ts';` }],
  ['jobs do not import the API', rules.importsPointInwards, { 'src/jobs/a.ts': `type B = import('../api/b.ts').B;` }],
  ['administration does not import the API', rules.importsPointInwards, { 'src/admin/a.ts': `import '../api/b.ts';` }],
  ['a version does not import another', rules.importsPointInwards, { 'src/api/v3/a.ts': `import '../v1/b.ts';` }],
  ['the app does not import the domain', rules.importsPointInwards, { 'src/app.ts': `import './domain/a/b.ts';` }],
  [
    'the app imports route files of wallets only',
    rules.importsPointInwards,
    { 'src/app.ts': `import './wallets/a/b.ts';` },
  ],
  ['the Worker holds no logic', rules.importsPointInwards, { 'src/index.ts': `import { a } from './domain/a/b.ts';` }],
  ['src stands on its own', rules.importsPointInwards, { 'src/domain/a/b.ts': `import '../../../scripts/c.ts';` }],
  [
    'files import each other in no cycle',
    rules.filesHaveNoCycles,
    { 'src/platform/a.ts': `import './b.ts';`, 'src/platform/b.ts': `import type { A } from './a.ts';` },
  ],
  [
    'features import each other in no cycle',
    rules.featuresHaveNoCycles,
    { 'src/domain/a/x.ts': `import '../b/x.ts';`, 'src/domain/b/y.ts': `import '../a/y.ts';` },
  ],
  [
    'the domain does not know Hono',
    rules.onlySurfacesKnowHono,
    { 'src/domain/a/b.ts': `import { Hono } from 'hono/tiny';` },
  ],
  ['the domain has no JSX', rules.onlySurfacesKnowHono, { 'src/domain/a/b.tsx': 'export const B = <p />;' }],
  ['wallets know Hono in route files only', rules.onlySurfacesKnowHono, { 'src/wallets/a/b.ts': `import 'hono';` }],
  [
    'only Durable Objects import the runtime',
    rules.onlyObjectsImportTheRuntime,
    { 'src/domain/a/b.ts': `import { env } from 'cloudflare:workers';` },
  ],
  [
    'only its feature inserts into a table',
    featuresWriteTheirOwnTables,
    {
      'src/domain/passes/table.ts': passTable,
      'src/domain/a/b.ts': `import { passes } from '../passes/table.ts'; ctx.db.insert(passes);`,
    },
  ],
  [
    'only its feature writes a table, under whatever name it is imported',
    featuresWriteTheirOwnTables,
    { 'src/api/a.ts': `import * as tables from '../domain/passes/table.ts'; db.delete(tables.passes).where(x);` },
  ],
  [
    'only its feature writes a table by SQL text',
    featuresWriteTheirOwnTables,
    { 'src/domain/passes/table.ts': passTable, 'src/domain/a/b.ts': 'run(sql`update passes set x = 1`);' },
  ],
  [
    'only its feature writes a table by SQL text that names it by its object',
    featuresWriteTheirOwnTables,
    {
      'src/domain/a/b.ts': `import { passes } from '../passes/table.ts'; run(sql\`insert into \${passes} values (1)\`);`,
    },
  ],
];

describe('the house', () => {
  it('has read itself', () => {
    expect(house.sources.map(({ path }) => path)).toContain('src/index.ts');
    expect(house.files.map(({ path }) => path)).toContain('wrangler.toml');
  });

  it('holds at its root what is on the map, and nothing else', () => {
    expect(rules.rootHoldsOnlyTheMap({ ...house, entries: [...house.entries, 'utils'] })).toContain(
      'utils: is not on the map',
    );
    expect(rules.rootHoldsOnlyTheMap({ ...house, entries: ['src'] })).toContain('migrations: is missing');
    expect(rules.rootHoldsOnlyTheMap(house)).toEqual([]);
  });

  for (const [promise, rule, bad] of PROMISES) {
    it(promise, () => {
      const broken = Object.entries(bad).map(([path, text]) => ({ path, text }));
      expect(rule(houseOf(broken, [])), 'the rule sees an example that breaks it').toHaveLength(1);
      expect(rule(house)).toEqual([]);
    });
  }

  it('lets a feature read the tables of others and write its own', () => {
    const files = [
      { path: 'src/domain/passes/table.ts', text: passTable },
      {
        path: 'src/domain/passes/create-pass.ts',
        text: `import { passes } from './table.ts'; db.insert(passes); sql\`update passes set x = 1\`;`,
      },
      {
        path: 'src/domain/a/b.ts',
        text: `import { passes } from '../passes/table.ts'; db.select().from(passes); cache.delete(key);`,
      },
    ];
    expect(featuresWriteTheirOwnTables(houseOf(files, []))).toEqual([]);
  });
});
