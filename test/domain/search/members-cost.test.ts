import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { searchPasses } from '../../../src/domain/search/search-passes.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeProject, makeTemplate } from './crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

test('the names of members are compared with the properties of many templates at once, not one by one', async () => {
  const projectId = await makeProject(ctx);
  const additionalProperties = Array.from({ length: 200 }, (_, i) => ({ name: `Property ${i}` }));
  for (let i = 0; i < 5; i++) await makeTemplate(ctx, { projectId, additionalProperties });
  const names = Array.from({ length: 1_000 }, (_, i) => `Unknown ${i}`);
  const search = { query: { projectId }, pageSize: 10, members: { names, builtIn: new Set<string>() } };
  const before = ctx.meter.rowsRead;
  await expect(searchPasses(ctx, search)).rejects.toThrow('rows have no "Unknown 0"');
  // A row for each name, and three for each property.
  expect(ctx.meter.rowsRead - before).toBeLessThanOrEqual(1_000 + 3 * 5 * 200 + 50);
});
