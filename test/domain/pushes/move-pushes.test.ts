import { afterAll, beforeAll, expect, test } from 'vitest';
import { movePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { earlierPendingPushes, pendingPushes } from '../../../src/domain/pushes/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const NOW = Date.UTC(2026, 10, 20);
const push = (passId: string, dueAt: number) =>
  ({ passId, wallet: 'apple', accountId: 'a', requestedAt: 1, dueAt, attempts: 0 }) as const;

test('due pushes of the previous release are moved once, and those in progress stay', async () => {
  const many = Array.from({ length: 8 }, (_, i) => push(`pass-${i}`, NOW));
  for (const row of [...many, push('worked-on', NOW + 1)]) await database.look.insert(earlierPendingPushes).values(row);
  await Promise.all([movePushes(database.context(), NOW), movePushes(database.context(), NOW)]);
  const moved = await database.look.select().from(pendingPushes);
  expect(moved.map(({ passId }) => passId).sort()).toEqual(many.map(({ passId }) => passId).sort());
  const left = await database.look.select().from(earlierPendingPushes);
  expect(left.map(({ passId }) => passId)).toEqual(['worked-on']);
});

test('a newer request keeps the text and the facts of the moved one, and is sent again', async () => {
  const newer = { ...push('both', NOW), claim: 'somebody', facts: '[2]' };
  await database.look.insert(pendingPushes).values(newer);
  await database.look.insert(earlierPendingPushes).values({ ...push('both', NOW), text: 'Hello', facts: '[1]' });
  await movePushes(database.context(), NOW);
  const [row] = (await database.look.select().from(pendingPushes)).filter(({ passId }) => passId === 'both');
  expect(row).toEqual({ ...newer, text: 'Hello', claim: null, facts: '[1],[2]' });
});
