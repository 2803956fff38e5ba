import type { BatchItem } from 'drizzle-orm/batch';
import { expect, test } from 'vitest';
import { bothOf, EMPTY_PART, rowsOf } from '../../src/platform/batch-part.ts';

/** Stands in for a query: a part forwards it without running it. */
const query = () => Promise.resolve(['a row']) as unknown as BatchItem<'sqlite'> & Promise<string[]>;

test('parts of a batch each get the results of their own queries', () => {
  const part = bothOf(bothOf(rowsOf(query()), EMPTY_PART), rowsOf(query()));
  expect(part.queries).toHaveLength(2);
  expect(part.read([['first'], ['second']])).toEqual([[['first'], undefined], ['second']]);
});
