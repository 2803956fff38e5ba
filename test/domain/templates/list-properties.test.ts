import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { copyTemplate } from '../../../src/domain/templates/copy-template.ts';
import { listProperties } from '../../../src/domain/templates/list-properties.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

test('properties name their first five templates, and how many others have them', async () => {
  const id = '000000000000a.00000001';
  const additionalProperties = [
    { id, name: 'Seat' },
    { id: '000000000000a.00000002', name: 'Level' },
  ];
  const original = await makeTemplate(ctx, { name: 'b 0', additionalProperties });
  for (let i = 1; i < 8; i++) await copyTemplate(ctx, original, { name: `B ${i}` });
  await makeTemplate(ctx, { name: 'A', additionalProperties: [{ id, name: 'Seat' }] });
  expect(await listProperties(ctx)).toEqual([
    { id: '000000000000a.00000002', name: 'Level', templates: ['b 0', 'B 1', 'B 2', 'B 3', 'B 4'], more: 3 },
    { id, name: 'Seat', templates: ['A', 'b 0', 'B 1', 'B 2', 'B 3'], more: 4 },
  ]);
});
