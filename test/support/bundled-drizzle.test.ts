import { entityKind, is } from 'drizzle-orm';
import { expect, test } from 'vitest';

test('unit tests compare classes as the bundled drizzle does: by identity, not by name', () => {
  class Original {
    static readonly [entityKind] = 'Original';
    column = 'id';
  }
  class Namesake {
    static readonly [entityKind] = 'Original';
    column = 'id';
  }
  expect([is(new Original(), Original), is(new Namesake(), Original)]).toEqual([true, false]);
});
