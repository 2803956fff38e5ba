import { expect, test } from 'vitest';
import { type Context, noteAccount } from '../../src/domain/context.ts';

test('the log line of work names its account, and none if it was for several', () => {
  const meter: Context['meter'] = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const named = ['a', 'a', 'b', 'a', 'b'].map((id) => {
    noteAccount({ meter } as Context, id);
    return meter.accountId;
  });
  expect(named).toEqual(['a', 'a', null, null, null]);
});
