import { expect, test } from 'vitest';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';

test('numbers assigned before they were stored as intervals are never assigned again', () => {
  const { database, migrate } = openFirstSchema();
  const template = (id: string, counter: number | null, ranges: ({ prefix: string; from: number } | null)[]) => {
    const columns =
      'id, account_id, name, published_at, unique_properties, created_at, modified_at, next_custom_number';
    database.prepare(`insert into templates (${columns}) values (?, 'a', 'n', 0, '[]', 0, 0, ?)`).run(id, counter);
    for (const [i, customNumberRange] of ranges.entries()) {
      database
        .prepare('insert into template_versions (template_id, version, definition, created_at) values (?, ?, ?, 0)')
        .run(id, i + 1, JSON.stringify({ customNumberRange }));
    }
  };
  template('used', 4, [{ prefix: '', from: 2 }]);
  template('renamed', 4, [{ prefix: 'A', from: 1 }, { prefix: 'A', from: 3 }, { prefix: 'B', from: 1 }, null]);
  template('raised', 4, [{ prefix: '', from: 4 }]);
  template('unused', null, [{ prefix: '', from: 1 }]);
  migrate('0002_custom_number_intervals');
  const rows = rowsOf(database, 'select template_id as id, prefix, first, next from custom_numbers order by 1, 2');
  expect(rows).toEqual([
    { id: 'renamed', prefix: 'A', first: 1, next: 4 },
    { id: 'renamed', prefix: 'B', first: 1, next: 4 },
    { id: 'used', prefix: '', first: 2, next: 4 },
  ]);
});
