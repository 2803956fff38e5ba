import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPasses } from '../../../src/domain/passes/bulk/bulk-create.ts';
import { ledgerOf } from '../../../src/domain/processes/ledger.ts';
import { listPasses } from '../../../src/domain/search/list-passes.ts';
import { firstUuidAt, uuidv7 } from '../../../src/platform/ids.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from './crowd.ts';

const HOUR_MS = 3_600_000;
/** In Vienna, the hour starting at midnight UTC repeats afterwards. */
const START = Date.UTC(2026, 9, 25);
/** Passes ten seconds apart, and the same an hour later. */
const TIMES = [0, HOUR_MS].flatMap((hour) => [0, 10_000, 20_000, 30_000].map((millis) => START + hour + millis));

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext('Europe/Vienna'));
});
afterAll(() => database.close());

/** Creates a template with a pass at each of the times. */
async function crowdedTemplate(times: number[]): Promise<string> {
  const templateId = await makeTemplate(ctx);
  const items = times.map((at, seq) => ({ seq, passId: uuidAt(at, seq), sent: {} }));
  await createPasses(ctx, templateId, items, ledgerOf(ctx, uuidv7(), { first: 0, last: times.length - 1 }));
  return templateId;
}

/** Identifiers of the same time differ at the end. */
const uuidAt = (at: number, seq: number) => `${firstUuidAt(at).slice(0, -4)}${seq.toString(16).padStart(2, '0')}00`;

describe('startAt', () => {
  test('starts at the first pass of that time, whatever start says; an identifier takes precedence', async () => {
    const day = START + 24 * HOUR_MS;
    const times = [0, 400, 900, 1_000, 2_500].map((millis) => day + millis);
    const templateId = await crowdedTemplate(times);
    const created = async (query: object) => {
      const { rows, total } = await listPasses(ctx, { templateId, start: 3, pageSize: 100, ...query });
      expect(total).toBe(times.length);
      return rows.map(({ pass }) => pass.createdAt);
    };
    expect(await created({})).toEqual(times.slice(3));
    expect(await created({ startAt: day })).toEqual(times);
    expect(await created({ startAt: day + 1_000 })).toEqual(times.slice(3));
    expect(await created({ startAt: day, afterId: uuidAt(times[2]!, 2) })).toEqual(times.slice(3));
    const both = await listPasses(ctx, {
      templateId,
      start: 0,
      pageSize: 1,
      startAt: day + 1_000,
      createdSince: day,
    });
    expect([both.rows[0]!.pass.createdAt, both.hasMore, both.total]).toEqual([times[3], true, times.length]);
  });
});

describe('modifiedSince', () => {
  test('lists changed passes, oldest first, from an identifier or a time', async () => {
    const day = START + 48 * HOUR_MS;
    // The last one was requested before the others, and stored after them.
    const times = [1_000, 2_000, 3_000, 4_000, 500].map((millis) => day + millis);
    const templateId = await crowdedTemplate(times);
    const ids = times.map(uuidAt);
    await crowdedTemplate([day + 1_500, day + 9_000]);
    const changed = [ids[4], ids[0], ids[2], ids[3]];
    await database.d1
      .prepare(
        'update passes set modified_at = iif(id in (select value from json_each(?2)), ?3, 0) where template_id = ?1',
      )
      .bind(templateId, JSON.stringify(changed), day)
      .run();
    const listed = async (query: object, pageSize = 100) => {
      const page = await listPasses(ctx, { templateId, start: 0, pageSize, modifiedSince: day, ...query });
      expect(page.total).toBe(4);
      return page.rows.map(({ pass }) => pass.id);
    };
    expect(await listed({})).toEqual(changed);
    expect(await listed({ start: 1 }, 2)).toEqual(changed.slice(1, 3));
    const pages: string[] = [];
    for (let i = 0; i < 4; i++) pages.push(...(await listed({ afterId: pages.at(-1) }, 1)));
    expect(pages).toEqual(changed);
    expect(await listed({ afterId: pages.at(-1) })).toEqual([]);
    expect(await listed({ startAt: day + 1_000 })).toEqual(changed.slice(1));
    expect(await listed({ startAt: day + 2_000 })).toEqual(changed.slice(2));
    expect(await listed({ startAt: day + 10_000 })).toEqual([]);
    // After passes that are gone, unchanged, or older than all.
    expect(await listed({ afterId: uuidAt(day + 2_500, 9) })).toEqual(changed.slice(2));
    expect(await listed({ afterId: ids[1] })).toEqual(changed.slice(2));
    expect(await listed({ afterId: uuidAt(day, 0) })).toEqual(changed);
  });
});

describe('createdSince', () => {
  test('applies by second to the page and the total, and for bulk passes to the time of the request', async () => {
    const templateId = await makeTemplate(ctx);
    const items = TIMES.map((at, seq) => ({ seq, passId: firstUuidAt(at), sent: {} }));
    await createPasses(ctx, templateId, items, ledgerOf(ctx, uuidv7(), { first: 0, last: TIMES.length - 1 }));
    const listed = async (createdSince: number, pageSize: number) => {
      const { rows, total } = await listPasses(ctx, { templateId, start: 0, pageSize, createdSince });
      return { created: rows.map(({ pass }) => pass.createdAt), total };
    };
    for (const [place, since] of TIMES.entries()) {
      const later = TIMES.slice(place);
      expect(await listed(since, 100)).toEqual({ created: later, total: later.length });
    }
    // Means the first of the two hours with the same local time.
    expect(await listed(TIMES[2]!, 1)).toEqual({ created: [TIMES[2]], total: 6 });
  });
});
