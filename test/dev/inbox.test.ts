import { afterAll, beforeAll, expect, test } from 'vitest';
import { listItems } from '../../src/dev/inbox/items.ts';
import { inboxItems } from '../../src/dev/inbox/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('a page of the dev inbox names the next one only if there is one', async () => {
  const item = { kind: 'sms', subject: '', text: '', details: {}, createdAt: 1 };
  for (const recipient of ['a', 'b', 'c', 'd']) {
    await database.look.insert(inboxItems).values({ ...item, recipient } as unknown as typeof inboxItems.$inferInsert);
  }
  const ctx = database.context();
  const first = await listItems(ctx, { limit: 2 });
  expect(first.rows.map(({ recipient }) => recipient)).toEqual(['d', 'c']);
  const second = await listItems(ctx, { limit: 2, before: first.next });
  expect(second.rows.map(({ recipient }) => recipient)).toEqual(['b', 'a']);
  expect(second.next).toBeUndefined();
});
