import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { QUIET, TOLD } from '../bench/simulation/costs.ts';
import { ASSUMED, linesOf, TIMED_LINES } from '../bench/simulation/report.ts';
import { simulate } from '../bench/simulation/service.ts';

const docs = readFileSync(join(import.meta.dirname, '../docs/performance.md'), 'utf8');

/** Returns the cells after the name in a row of the docs. */
function documented(name: string): string[] {
  const row = docs.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '';
  return row
    .split(' | ')
    .slice(1)
    .map((cell) => cell.replace(/ \|$/, ''));
}

test('the docs have the simulation’s results, except those that depend on the machine', () => {
  const timed = { changeMillis: 1, movedPerSecond: 1_000 };
  const [quiet, told] = [QUIET, TOLD].map((costs) => linesOf(simulate({ ...costs, ...timed }, ASSUMED)));
  for (const [i, [name, value]] of quiet!.entries()) {
    if (TIMED_LINES.includes(name)) expect(documented(name), name).toHaveLength(2);
    else expect(documented(name), name).toEqual([value, told![i]![1]]);
  }
});
