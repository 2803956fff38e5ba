import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalDatabase, openLocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';
import { LIMITS } from './memory-d1.ts';

let inWorkerd: LocalDatabase;
const inMemory = openMemoryDatabase();
beforeAll(async () => {
  inWorkerd = await openLocalDatabase();
});
afterAll(async () => {
  await inWorkerd?.close();
  await inMemory.close();
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Statements that use as much of a limit as a number says, with their operands. */
const USES: Record<keyof typeof LIMITS, (count: number) => [sql: string, ...operands: unknown[]]> = {
  length: (bytes) => ['select length(?)', 'x'.repeat(bytes)],
  sqlLength: (bytes) => [`select 1 /*${'x'.repeat(bytes - 'select 1 /**/'.length)}*/`],
  column: (count) => [`select ${numbers(count).map((i) => `${i} as column_${i}`)}`],
  exprDepth: (depth) => [`select ${numbers(depth).join(' + ')}`],
  compoundSelect: (count) => [
    numbers(count)
      .map((i) => `select ${i}`)
      .join(' union all '),
  ],
  functionArg: (count) => [`select max(${numbers(count)})`],
  likePatternLength: (bytes) => ['select ? like ?', 'x', 'x'.repeat(bytes)],
  variableNumber: (count) => [`select ${numbers(count).map(() => '?')}`, ...numbers(count)],
};

test.for(Object.entries(LIMITS) as [keyof typeof LIMITS, number][])(
  'the databases in memory and in workerd accept the same: %s up to %i',
  async ([name, limit]) => {
    const run = (d1: D1Database, count: number) => {
      const [sql, ...operands] = USES[name](count);
      return d1
        .prepare(sql)
        .bind(...operands)
        .all()
        .then(
          () => 'accepted',
          (error: Error) => error.message,
        );
    };
    for (const { d1 } of [inWorkerd, inMemory]) {
      expect(await run(d1, limit)).toBe('accepted');
      expect(await run(d1, limit + 1)).toMatch(/\btoo (many|long|big|large|complex)\b/);
    }
  },
);
