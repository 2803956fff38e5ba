import { afterAll, beforeAll, expect, test } from 'vitest';
import { messages } from '../../../src/domain/messages/table.ts';
import { mergeTimeline, type TimelinePlace, timelineQueries } from '../../../src/domain/timeline/timeline-queries.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

test('pages of a timeline show each entry once, newest first, also those of one moment', async () => {
  const ctx = await database.accountContext();
  const of = { accountId: ctx.account.id, passId: 'pass', templateId: 'template', kind: 'creation', recipient: 'me' };
  const ids = Array.from({ length: 5 }, () => uuidv7());
  for (const id of ids) {
    const message = { ...of, id, channel: 'sms', status: 'sent', attempts: 1, createdAt: 1_000 };
    await database.look.insert(messages).values(message as typeof messages.$inferInsert);
  }
  const shown: { id: string; what: string | null }[] = [];
  let before: TimelinePlace | undefined;
  for (let page = 0; page < 3; page++) {
    const [first, ...others] = timelineQueries(ctx, 'pass', { before, limit: 2 });
    const entries = mergeTimeline(await ctx.db.batch([first!, ...others]), 2);
    shown.push(...entries);
    before = entries.at(-1);
  }
  expect(shown.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(shown[0]?.what).toBe('sms sent');
});
