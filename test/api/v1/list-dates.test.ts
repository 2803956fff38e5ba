import { expect, test } from 'vitest';
import { readListDates } from '../../../src/api/v1/paging.ts';
import type { AccountContext } from '../../../src/domain/context.ts';

test.each([
  ['Europe/Berlin', '2027-03-28 01:59', '2027-03-28T00:59:00Z'],
  ['Europe/Berlin', '2027-03-28 02:00', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2027-03-28 02:30', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2027-03-28 02:59:59', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2027-03-28T03:00', '2027-03-28T01:00:00Z'],
  ['America/New_York', '2027-03-14 02:30', '2027-03-14T07:00:00Z'],
  ['Africa/Cairo', '2027-04-30 00:15', '2027-04-29T22:00:00Z'],
  ['Europe/Berlin', '2027-10-31 02:30', '2027-10-31T00:30:00Z'],
  ['Europe/Berlin', '2027-10-31 03:00', '2027-10-31T02:00:00Z'],
])('a list in %s since %s has all rows that show this time or a later one', (timezone, since, start) => {
  const ctx = { account: { timezone } as AccountContext['account'] };
  const millis = Date.parse(start);
  expect(readListDates(ctx, { createdSince: since })).toEqual({ createdSince: millis });
  expect(readListDates(ctx, { modifiedSince: since })).toEqual({ modifiedSince: millis });
});
