import { type ESTree, Visitor } from 'vite';
import type { SourceFile } from './source-file.ts';

const SUITES = new Set(['describe', 'suite']);
const TESTS = new Set(['test', 'it']);

/** Placeholder for run-time values in a title: `%s`, `%j` or `$name` in a table of tests. */
const PLACEHOLDER = /%[a-z]|\$\w+/;

/**
 * Returns the titles in a test file as written, each after those of its suites: `['create', 'refuses %s and names
 * it']`. Includes suites; expressions in template literals become `%s`.
 */
export function testTitles({ program, path }: SourceFile): string[][] {
  const titles: string[][] = [];
  const around: string[] = [];
  new Visitor({
    CallExpression(call) {
      const title = titleOf(call, path);
      if (title === undefined) return;
      titles.push([...around, title]);
      if (SUITES.has(rootOf(call.callee) ?? '')) around.push(title);
    },
    'CallExpression:exit'(call) {
      if (titleOf(call, path) !== undefined && SUITES.has(rootOf(call.callee) ?? '')) around.pop();
    },
  }).visit(program);
  return titles;
}

/** Whether a written title matches the reference: they are equal, or equal up to the first placeholder. */
export function isTitle(written: string, meant: string): boolean {
  const fixed = written.slice(0, PLACEHOLDER.exec(written)?.index ?? written.length);
  return written === meant || (fixed !== '' && fixed !== written && meant.startsWith(fixed));
}

/**
 * Returns the title of `test('…', …)`, `describe.concurrent('…', …)` or `test.each(…)('…', …)`; undefined for other
 * calls.
 */
function titleOf({ callee, arguments: [first] }: ESTree.CallExpression, path: string): string | undefined {
  const root = rootOf(callee) ?? '';
  if (!SUITES.has(root) && !TESTS.has(root)) return undefined;
  if (callee.type === 'MemberExpression' && /^(each|for|runIf|skipIf)$/.test(nameOf(callee.property))) return undefined;
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value;
  if (first?.type === 'TemplateLiteral') return first.quasis.map((part) => part.value.cooked).join('%s');
  throw new Error(`${path}: the title of a test is no text`);
}

/** Returns `test` for `test.only`, `test.each(…)` and `test` itself. */
function rootOf(callee: ESTree.Node): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return rootOf(callee.object);
  return callee.type === 'CallExpression' && callee.callee.type === 'MemberExpression'
    ? rootOf(callee.callee)
    : undefined;
}

function nameOf(property: ESTree.Node): string {
  return property.type === 'Identifier' ? property.name : '';
}
