import { describe, expect, test } from 'vitest';
import * as comments from './support/comment-rules.ts';
import * as rules from './support/house-rules.ts';
import { isTypeScript, parse, readFiles, rootEntries, type TextFile } from './support/source-file.ts';
import { featuresWriteTheirOwnTables } from './support/table-ownership.ts';

/*
 * Checks the structure in docs/architecture.md. Each rule is also run on files that break it, so that a blind rule is
 * noticed.
 */

function houseOf(files: TextFile[], entries: string[]): rules.House {
  const sources = files.filter(isTypeScript).map(parse);
  return { entries, files, sources };
}

const house = houseOf(
  readFiles().filter(({ path }) => /\.(css|json|md|mjs|mts|sql|svg|toml|tsx?|ya?ml)$|\/run$/.test(path)),
  rootEntries(),
);

type Files = Record<string, string>;

/** A promise, its rule, and what the rule must notice: files by path that break it exactly once. */
type Promised = [promise: string, rule: rules.Rule, notices: Record<string, Files>];

const passTable = `export const passes = sqliteTable('passes', {});\n`;
const machinePath = ['', 'home', 'me', 'notes.md'].join('/');

const PROMISES: Promised[] = [
  ['a file fits in 300 lines', rules.filesFit, { 'a long file': { 'src/domain/a/b.ts': 'work();\n'.repeat(301) } }],
  [
    'a comment has at most three lines of text',
    comments.commentsAreShort,
    {
      'a long docstring': { 'src/domain/a/b.ts': `/**\n${' * Works.\n'.repeat(4)} */\nwork();\n` },
      'a long run of line comments': { 'test/a.ts': `work();\n${'// Works.\n'.repeat(4)}` },
      'a long comment behind the usage of a program': {
        'scripts/a.ts': `/*\n${' * Works.\n'.repeat(9)} */\n/*\n${' * Works.\n'.repeat(4)} */\n`,
      },
    },
  ],
  [
    'a comment ends before column 121',
    comments.commentsAreNarrow,
    {
      'a wide line of a docstring': { 'src/a.ts': `/**\n * Works\n * ${'and works '.repeat(12)}\n */\n` },
      'a wide line comment': { 'src/a.ts': `work(); // ${'and works '.repeat(12)}` },
    },
  ],
  [
    'no comment points to a page outside of the repository',
    comments.commentsStayInside,
    {
      'a page that is not here': { 'src/a.ts': `/** Works (platform.md, "Queues"). */` },
      'a section of a page that is not here': { 'src/a.ts': '// Works as decided (§4).' },
      'a plan by its name': { 'src/a.ts': '/* Works (additions D). */' },
    },
  ],
  [
    'folders are kebab-case',
    rules.foldersAreKebabCase,
    { 'a folder in camel case': { 'src/domain/apiKeys/table.ts': '' } },
  ],
  [
    'no file names a path of one machine',
    rules.noMachinePaths,
    { 'a home': { 'scripts/a.ts': `read('${machinePath}');` } },
  ],
  [
    'no file holds a note of work left open',
    rules.nothingLeftOpen,
    { 'a note': { 'src/a.ts': `// ${'TO'}${'DO'}: later` } },
  ],
  [
    'a test is called `test`',
    rules.testsHaveOneName,
    { 'a test called it': { 'test/a.test.ts': `import { expect, it } from 'vitest';` } },
  ],
  ['nothing is cast to any', rules.noAnyCasts, { 'a cast': { 'src/a.ts': `go(x ${'as'} any);` } }],
  [
    'imports point inwards',
    rules.importsPointInwards,
    {
      'platform that imports domain': { 'src/platform/a.ts': `import '../domain/errors.ts';` },
      'domain that imports wallets': { 'src/domain/a/b.ts': `import '../../wallets/c.ts';` },
      'wallets that import the API': { 'src/wallets/a/b.ts': `import '../../api/c.ts';` },
      'domain that imports development past its doors': { 'src/domain/a/b.ts': `import '../../dev/a/b.ts';` },
      'an API that imports pages at run time': { 'src/api/a.ts': `await import('../pages/b.ts');` },
      'pages that pass on the API': { 'src/pages/a.ts': `export { b } from '../api/b.ts';` },
      'jobs that import a type of the API': { 'src/jobs/a.ts': `type B = import('../api/b.ts').B;` },
      'administration that imports the API': { 'src/admin/a.ts': `import '../api/b.ts';` },
      'a version that imports another': { 'src/api/v3/a.ts': `import '../v1/b.ts';` },
      'an app that imports domain': { 'src/app.ts': `import './domain/a/b.ts';` },
      'an app that imports more of wallets than their route files': { 'src/app.ts': `import './wallets/a/b.ts';` },
      'logic in the Worker': { 'src/index.ts': `import { a } from './domain/a/b.ts';` },
      'an import from outside of src': { 'src/domain/a/b.ts': `import '../../../scripts/c.ts';` },
      'an import of the client manifest past its reader': {
        'src/pages/a/b.ts': `import '../../../.wrangler/client/manifest.json';`,
      },
    },
  ],
  [
    'features import each other in no cycle',
    rules.featuresHaveNoCycles,
    {
      'a cycle over four files': {
        'src/domain/a/x.ts': `import '../b/x.ts';`,
        'src/domain/b/y.ts': `import '../a/y.ts';`,
      },
    },
  ],
  [
    'only surfaces know Hono',
    rules.onlySurfacesKnowHono,
    {
      'Hono in the domain': { 'src/domain/a/b.ts': `import { Hono } from 'hono/tiny';` },
      'JSX in the domain': { 'src/domain/a/b.tsx': 'export const B = <p />;' },
      'Hono in wallets beside the route files': { 'src/wallets/a/b.ts': `import 'hono';` },
    },
  ],
  [
    'only Durable Objects import the runtime',
    rules.onlyObjectsImportTheRuntime,
    { 'an import of the runtime': { 'src/domain/a/b.ts': `import { env } from 'cloudflare:workers';` } },
  ],
  [
    'only its feature writes a table',
    featuresWriteTheirOwnTables,
    {
      'an insert': { 'src/domain/a/b.ts': `import { passes } from '../passes/table.ts'; ctx.db.insert(passes);` },
      'a delete by another name of the table': {
        'src/api/a.ts': `import * as tables from '../domain/passes/table.ts'; db.delete(tables.passes).where(x);`,
      },
      'SQL text': {
        'src/domain/passes/table.ts': passTable,
        'src/domain/a/b.ts': 'run(sql`update passes set x = 1`);',
      },
      'SQL text around the table': {
        'src/domain/a/b.ts': `import { passes } from '../passes/table.ts'; run(sql\`insert into \${passes} values (1)\`);`,
      },
    },
  ],
];

const filesOf = (files: Files): TextFile[] => Object.entries(files).map(([path, text]) => ({ path, text }));

describe('the house', () => {
  test('has read itself', () => {
    expect(house.sources.map(({ path }) => path)).toContain('src/index.ts');
    expect(house.files.map(({ path }) => path)).toContain('wrangler.toml');
  });

  test('has exactly the map’s entries at its root', () => {
    expect(rules.rootHoldsOnlyTheMap(house)).toEqual([]);
  });

  test.for(PROMISES)('%s', ([, rule]) => {
    expect(rule(house)).toEqual([]);
  });
});

describe('its rules', () => {
  for (const [promise, rule, notices] of PROMISES) {
    test.for(Object.entries(notices))(`${promise}: notices %s`, ([, files]) => {
      expect(rule(houseOf(filesOf(files), []))).toHaveLength(1);
    });
  }

  test('notice an unknown entry at the root, and a missing one', () => {
    expect(rules.rootHoldsOnlyTheMap({ ...house, entries: [...house.entries, 'utils'] })).toContain(
      'utils: is not on the map',
    );
    expect(rules.rootHoldsOnlyTheMap({ ...house, entries: ['src'] })).toContain('migrations: is missing');
  });

  test('let a feature read the tables of others and write its own', () => {
    const files = {
      'src/domain/passes/table.ts': passTable,
      'src/domain/passes/create-pass.ts': `import { passes } from './table.ts'; db.insert(passes); sql\`update passes set x = 1\`;`,
      'src/domain/a/b.ts': `import { passes } from '../passes/table.ts'; db.select().from(passes); cache.delete(key);`,
    };
    expect(featuresWriteTheirOwnTables(houseOf(filesOf(files), []))).toEqual([]);
  });

  test('let a comment refer to the docs and to public standards', () => {
    const files = {
      'docs/a.md': '# A',
      'scripts/a.ts': `/*\n${' * How to call it.\n'.repeat(9)} */\n// See docs/a.md.\n\n// RFC 9562 §5.7\n`,
    };
    const inside = houseOf(filesOf(files), []);
    expect([...comments.commentsAreShort(inside), ...comments.commentsStayInside(inside)]).toEqual([]);
  });

  test('let surfaces import what is inside', () => {
    const files = {
      'src/index.ts': `import { app } from './app.ts'; export { O } from './domain/a/b-object.ts'; import type { Env } from './platform/env.ts';`,
      'src/app.ts': `import './api/v1/index.ts'; import './wallets/apple/route.ts'; import './pages/download/page.tsx';`,
      'src/api/v1/a.ts': `import '../auth.ts'; import './b.ts'; import '../../wallets/a/b.ts'; import '../../domain/a/b.ts';`,
      'src/wallets/apple/route.ts': `import { Hono } from 'hono'; import './b.ts'; import '../../domain/a/b.ts';`,
    };
    const inside = houseOf(filesOf(files), []);
    expect([...rules.importsPointInwards(inside), ...rules.onlySurfacesKnowHono(inside)]).toEqual([]);
  });
});
