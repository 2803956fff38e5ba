import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_TYPES, EVENTS } from '../../../src/domain/events/catalog.ts';
import { compactBody, expandBody, storedMember } from '../../../src/domain/events/compact-body.ts';
import { withoutValues } from '../../../src/domain/events/erase-events.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const LINK = 'https://passes.example.com/p/';

/** Returns a catalog example, as events store it, and with the values of its columns. */
function exampleOf(type: (typeof EVENT_TYPES)[number]) {
  const example = { ...EVENTS[type].example } as Record<string, unknown>;
  if ('linkToPassPage' in example) example.linkToPassPage = LINK;
  const passId = (example.passId ?? example.passInstanceId ?? null) as string | null;
  const templateId = (example.passTemplateGuid ?? example.templateId ?? null) as string | null;
  return { example: JSON.stringify(example), passId, templateId };
}

test.each(EVENT_TYPES.filter((type) => !type.startsWith('pass_template')))(
  'a compact body of %s is expanded to all members except values of a pass',
  async (type) => {
    const { example, ...columns } = exampleOf(type);
    const [row] = await database.look
      .select({
        body: compactBody(type, sql`${example}`).as('body'),
        whole: withoutValues(sql`${example}`).as('whole'),
      })
      .from(sql`(select 1)`);
    const { body, whole } = row as { body: string; whole: string };
    expect(body.length).toBeLessThan(example.length / 2);
    expect(JSON.stringify(expandBody({ type, body, ...columns }, LINK))).toBe(whole);
    expect(expandBody({ type, body: whole, ...columns }, '')).toEqual(JSON.parse(whole));
  },
);

test.each(['compact', 'whole'])('the status of a scan is read from a body that is %s', async (form) => {
  const type = 'app_scan_created';
  const { example } = exampleOf(type);
  const body = form === 'compact' ? compactBody(type, sql`${example}`) : sql`${example}`;
  const [row] = await database.look
    .select({ status: storedMember(type, 'scanStatus', body).as('status') })
    .from(sql`(select 1)`);
  expect(row).toEqual({ status: 0 });
});
