import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { indexPasses } from '../../../src/domain/passes/search-index/index-pass.ts';
import { type Pass, passes } from '../../../src/domain/passes/table.ts';
import { listPasses, type PassListQuery } from '../../../src/domain/search/list-passes.ts';
import { firstUuidAt } from '../../../src/platform/ids.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { insertRows } from '../../support/insert-rows.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from './crowd.ts';

/* The rows that a page of a template's passes reads, by table size. */

const PAGE = 10;
/** Rows besides those of the page: template, definition, and the index words for the total. */
const CONSTANT = 190;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 2, 1);
/** Passes are created a minute apart; one in a hundred was changed at `CHANGED`. */
const CHANGED = Date.UTC(2027, 0, 1);

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
});
afterAll(() => database.close());

/** Creates a template with passes a minute apart, of which `changed`, evenly spaced, were changed later. */
async function crowd(size: number, changed: number): Promise<string> {
  const templateId = await makeTemplate(ctx);
  const { pass: first } = await createPass(ctx, templateId, {}, { wait: false });
  await database.d1.prepare('delete from passes where id = ?').bind(first.id).run();
  await database.d1.prepare('update templates set pass_count = ? where id = ?').bind(size, templateId).run();
  const made = Array.from({ length: size }, (_, i): Pass => {
    const createdAt = START + i * MINUTE_MS;
    return {
      ...first,
      // Ends like its template's identifier, which names the same shard.
      id: `${firstUuidAt(createdAt).slice(0, 19)}${templateId.slice(19)}`,
      generatedId: `${templateId}-${i}`,
      pageToken: `${first.pageToken}${i}`,
      createdAt,
      modifiedAt: i % (size / changed) === 0 ? CHANGED : createdAt,
    };
  });
  for (let at = 0; at < size; at += 250) {
    const part = made.slice(at, at + 250);
    await insertRows(database.d1, passes, part);
    const states = part.map((pass) => ({ pass, version: pass.version }));
    await ctx.db.batch(indexPasses(ctx, states) as never);
  }
  return templateId;
}

/** Returns consecutive pages, and the rows that each one reads. */
async function pagesOf(query: Partial<PassListQuery> & { templateId: string }, count = 3) {
  const seen: string[] = [];
  const read: number[] = [];
  const totals = new Set<number>();
  let afterId: string | undefined;
  for (let page = 0; page < count; page++) {
    const before = ctx.meter.rowsRead;
    const trips = ctx.meter.roundTrips;
    const { rows, total } = await listPasses(ctx, { start: 0, pageSize: PAGE, afterId, ...query });
    read.push(ctx.meter.rowsRead - before);
    expect(ctx.meter.roundTrips - trips).toBe(1);
    totals.add(total);
    seen.push(...rows.map(({ pass }) => pass.id));
    afterId = rows.at(-1)?.pass.id;
  }
  expect(seen).toEqual([...new Set(seen)].sort());
  return { seen, read, totals: [...totals] };
}

const SIZES = [400, 4_000] as const;
const CHANGES = 40;

describe.each(SIZES)('of %i passes', (size) => {
  let templateId: string;
  beforeAll(async () => {
    templateId = await crowd(size, CHANGES);
  });

  test('a page reads its own rows', async () => {
    const { read, totals } = await pagesOf({ templateId });
    expect(Math.max(...read)).toBeLessThanOrEqual(PAGE + 5);
    expect(totals).toEqual([size]);
  });

  test('a page of those created since reads its own rows, and words for its total', async () => {
    for (const minutes of [1, size / 2, size - 3 * PAGE]) {
      const { seen, read, totals } = await pagesOf({ templateId, createdSince: START + minutes * MINUTE_MS });
      expect(totals).toEqual([size - minutes]);
      expect(seen).toHaveLength(3 * PAGE);
      expect(Math.max(...read)).toBeLessThanOrEqual(PAGE + CONSTANT);
      // Later pages read as much as the first.
      expect(Math.max(...read) - Math.min(...read)).toBeLessThanOrEqual(3);
    }
  });

  test('a page of the last ones created since reads little more than these', async () => {
    for (const few of [0, 1, PAGE]) {
      const { seen, read, totals } = await pagesOf({ templateId, createdSince: START + (size - few) * MINUTE_MS }, 1);
      expect([seen.length, ...totals]).toEqual([few, few]);
      expect(Math.max(...read)).toBeLessThanOrEqual(2 * few + 30);
    }
  });

  test('a page of those changed since reads an entry for each of these twice, and its own rows', async () => {
    const { seen, read, totals } = await pagesOf({ templateId, modifiedSince: CHANGED }, 4);
    expect(totals).toEqual([CHANGES]);
    expect(seen).toHaveLength(CHANGES);
    expect(Math.max(...read)).toBeLessThanOrEqual(2 * CHANGES + 3 * PAGE + 5);
  });
});
