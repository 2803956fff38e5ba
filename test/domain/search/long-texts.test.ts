import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { searchPasses } from '../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from './crowd.ts';

/*
 * Values are indexed by their first bytes, and a pass's phrases up to a maximum number. Longer ones are still found.
 */

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;

const NOTES = Array.from({ length: 20 }, (_, i) => ({ name: `Notes ${i}`, type: 'textarea' as const }));
const head = 'ä'.repeat(60);

beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  templateId = await makeTemplate(ctx, { additionalProperties: NOTES });
  const make = (sent: object) => createPass(ctx, templateId, { ...sent }, { wait: false });
  await make({ userProvidedId: 'a', 'Notes 0': `${head}1` });
  await make({ userProvidedId: 'b', 'Notes 0': `${head}2 and more` });
  // More different n-grams than are indexed.
  const noise = (seed: number) =>
    Array.from({ length: 3_200 }, (_, i) =>
      String.fromCodePoint(0x4e00 + ((i * 7_919 + seed * 104_729) % 20_000)),
    ).join('');
  await make({
    userProvidedId: 'c',
    ...Object.fromEntries(NOTES.map(({ name }, i) => [name, `${noise(i)} needle ${i}`])),
  });
});
afterAll(() => database.close());

async function found(operator: string, value: string, field = 'Notes 0'): Promise<string[]> {
  const { rows, total } = await searchPasses(ctx, {
    query: { templateId, groups: [[{ field, operator, value }]] },
    pageSize: 10,
  });
  expect(total).toBe(rows.length);
  return rows.map(({ pass }) => pass.userProvidedId!).sort();
}

test('texts that only differ after their indexed part are distinguished', async () => {
  expect(await found('equals', `${head}1`)).toEqual(['a']);
  expect(await found('equals', head)).toEqual([]);
  expect(await found('beginsWith', `${head}2`)).toEqual(['b']);
  expect(await found('beginsWith', head)).toEqual(['a', 'b']);
  expect(await found('greaterThan', `${head}1`)).toEqual(['b', 'c']);
  expect(await found('lowerThan', `${head}2`)).toEqual(['a']);
  expect(await found('notEquals', `${head}1`)).toEqual(['b', 'c']);
});

test('phrases of a pass with more text than is indexed are found', async () => {
  expect(await found('contains', 'needle 19', 'Notes 19')).toEqual(['c']);
  expect(await found('contains', 'needle 19', 'Notes 18')).toEqual([]);
  expect(await found('endsWith', 'EEDLE 7', 'Notes 7')).toEqual(['c']);
  const phrase = await searchPasses(ctx, { query: { searchPhrase: 'needle 13' }, pageSize: 10 });
  expect(phrase.total).toBe(1);
});
