import { afterAll, beforeAll, expect, test } from 'vitest';
import { getOverview } from '../../../src/domain/overview/get-overview.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('the overview names the newest templates, the last one first', async () => {
  const ctx = await database.accountContext();
  for (let i = 0; i < 8; i++) await makeTemplate(ctx, { name: `Template ${i}` });
  const { templates } = await getOverview(ctx, { metrics: [], from: 0, now: Date.now() });
  const expected = Array.from({ length: templates.length }, (_, i) => `Template ${7 - i}`);
  expect(templates.map(({ name }) => name)).toEqual(expected);
  expect(templates.length).toBeGreaterThan(1);
});
