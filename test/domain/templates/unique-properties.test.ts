import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { checkCreates } from '../../../src/domain/passes/bulk/bulk-check.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { patchTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { releaseUniqueProperties } from '../../../src/domain/template-changes/paged-claims.ts';
import { deleteTemplate } from '../../../src/domain/templates/delete-template.ts';
import { getTemplate } from '../../../src/domain/templates/get-template.ts';
import type { TemplatePatch } from '../../../src/domain/templates/template-patch.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { type BoundStatement, d1Over } from '../../support/d1-over.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const SEAT = '000000000000b.00000001';
const GATE = '000000000000b.00000002';
const PASSES = 2_500;
const LATER_MS = 61_000;
const TAKEN = { kind: 'invalid', message: 'Seat: the value must be unique' };

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
});
afterAll(() => database.close());

/**
 * Returns the context with `before` and `after` run around its round trips. `most` is the largest number of rows that
 * one statement changed.
 */
function watched(around: Partial<Record<'before' | 'after', (texts: string[]) => Promise<unknown>>> = {}) {
  const seen = { most: 0, pages: 0 };
  const d1 = d1Over(async (statements: BoundStatement[]) => {
    const texts = statements.map((statement) => statement.sql);
    await around.before?.(texts);
    const results = await database.d1.batch(statements as never);
    seen.most = Math.max(seen.most, ...results.map(({ meta }) => meta.changes));
    if (isPage(texts)) seen.pages += 1;
    await around.after?.(texts);
    return results;
  });
  return { seen, ctx: { ...ctx, ...openDatabase(d1) } as AccountContext };
}

const isPage = (texts: string[]) =>
  texts.length === 4 && texts.some((text) => text.startsWith('insert into "unique_property_values"'));

/** Runs `work` once, after the page with this number. */
function behindPage(number: number, work: () => Promise<unknown>) {
  let pages = 0;
  return {
    after: async (texts: string[]) => {
      if (isPage(texts) && ++pages === number) await work();
    },
  };
}

/**
 * Creates a template with this many passes; `seat` is the SQL for the value of each but the first, using
 * `numbers.value`.
 */
async function makeCrowd({
  seat = "'' || numbers.value",
  passes = PASSES,
  unique = false,
}: {
  seat?: string;
  passes?: number;
  unique?: boolean;
} = {}): Promise<string> {
  const additionalProperties = [
    { id: SEAT, name: 'Seat', type: 'text' as const, unique },
    { id: GATE, name: 'Gate', type: 'text' as const },
  ];
  const templateId = await makeTemplate(ctx, { additionalProperties });
  const { pass } = await createPass(ctx, templateId, { Seat: '0' }, { wait: false });
  await copyRow(rows, {
    table: 'passes',
    where: 'id = ?',
    params: [pass.id],
    rows: passes - 1,
    own: { ...COPIED_PASS, properties: `json_object('${SEAT}', ${seat})` },
  });
  await rows('update templates set pass_count = ? where id = ?', [passes, templateId]);
  return templateId;
}

async function rows<Row>(statement: string, params: unknown[] = []): Promise<Row[]> {
  const { results } = await database.d1
    .prepare(statement)
    .bind(...params)
    .all<Row>();
  return results;
}

const patched = (acting: AccountContext, templateId: string, unique: boolean, more: TemplatePatch = {}) =>
  patchTemplate(acting, templateId, { ...more, additionalProperties: [{ id: SEAT, unique }] });

const create = (templateId: string, seat: string) => createPass(ctx, templateId, { Seat: seat }, { wait: false });

const claimsOf = async (templateId: string) => {
  const [row] = await rows<{ n: number }>('select count(*) as n from unique_property_values where template_id = ?', [
    templateId,
  ]);
  return row!.n;
};
const changesOf = (templateId: string) =>
  rows<{ property_id: string; run: string | null }>(
    'select property_id, run from unique_property_changes where template_id = ?',
    [templateId],
  );
const isUnique = async (templateId: string) => {
  const { definition } = await getTemplate(ctx, templateId);
  return definition.additionalProperties.find(({ id }) => id === SEAT)!.unique;
};
async function expectAsBefore(templateId: string): Promise<void> {
  expect(await isUnique(templateId)).toBe(false);
  const [row] = await rows('select version, unique_properties as held from templates where id = ?', [templateId]);
  expect(row).toEqual({ version: 1, held: '[]' });
}

describe('a property of many passes that becomes unique', () => {
  test('claims their values a thousand at a time', async () => {
    const templateId = await makeCrowd();
    const { seen, ctx: acting } = watched();
    await patched(acting, templateId, true);
    expect(seen).toEqual({ most: 1_000, pages: 3 });
    expect([await claimsOf(templateId), await changesOf(templateId)]).toEqual([PASSES, []]);
    expect(await isUnique(templateId)).toBe(true);
    await expect(create(templateId, '2499')).rejects.toMatchObject(TAKEN);
    await create(templateId, '2500');
  });

  test('shares the pages with another one', async () => {
    const templateId = await makeCrowd({ passes: 1_200 });
    await rows('update passes set properties = json_set(properties, ?, key) where template_id = ?', [
      `$."${GATE}"`,
      templateId,
    ]);
    const { seen, ctx: acting } = watched();
    const both = [SEAT, GATE].map((id) => ({ id, unique: true }));
    await patchTemplate(acting, templateId, { additionalProperties: both });
    expect(seen).toEqual({ most: 1_000, pages: 3 });
    expect(await claimsOf(templateId)).toBe(2_400);
  });

  test('is one batch while there are a thousand values', async () => {
    const templateId = await makeCrowd({ passes: 1_000 });
    const { seen, ctx: acting } = watched();
    await patched(acting, templateId, true);
    expect([seen, acting.meter.roundTrips, await claimsOf(templateId)]).toEqual([{ most: 1_000, pages: 0 }, 2, 1_000]);
  });

  test('is rejected by name if values repeat far apart, and may become unique once they do not', async () => {
    const templateId = await makeCrowd({ seat: "'' || min(numbers.value, 2498)" });
    await expect(patched(ctx, templateId, true)).rejects.toMatchObject(TAKEN);
    await expectAsBefore(templateId);
    await create(templateId, '1');
    await rows(
      'delete from passes where template_id = ?1 and key = (select max(key) from passes where template_id = ?1)',
      [templateId],
    );
    await rows(
      `update passes set properties = json_set(properties, '$."${SEAT}"', 'last') where template_id = ?1
      and key = (select max(key) from passes where template_id = ?1)`,
      [templateId],
    );
    await patched(ctx, templateId, true);
    expect([await claimsOf(templateId), await changesOf(templateId)]).toEqual([PASSES, []]);
  });

  test('rejects a value that a page has claimed, and is rejected if a value appears before its page', async () => {
    const templateId = await makeCrowd();
    const [first] = await rows<{ seat: string }>(
      `select properties ->> '$."${SEAT}"' as seat from passes where template_id = ? order by id limit 1`,
      [templateId],
    );
    let refused: unknown;
    const once = watched(
      behindPage(1, async () => {
        refused = await create(templateId, first!.seat).catch((error: unknown) => error);
      }),
    );
    await patched(once.ctx, templateId, true);
    expect(refused).toMatchObject(TAKEN);
    const other = await makeCrowd();
    const [last] = await rows<{ seat: string }>(
      `select properties ->> '$."${SEAT}"' as seat from passes where template_id = ? order by id desc limit 1 offset 5`,
      [other],
    );
    const late = watched(behindPage(1, () => create(other, last!.seat)));
    await expect(patched(late.ctx, other, true)).rejects.toMatchObject(TAKEN);
    await expectAsBefore(other);
  });

  test('includes passes that change their value before or after their page', async () => {
    const templateId = await makeCrowd();
    const ids = await rows<{ id: string }>('select id from passes where template_id = ? order by id', [templateId]);
    const [head, tail] = [ids[0]!.id, ids.at(-1)!.id];
    const { ctx: acting } = watched(
      behindPage(1, async () => {
        for (const id of [head, tail]) await patchPass(ctx, id, { Seat: `new ${id}` }, { wait: false });
      }),
    );
    await patched(acting, templateId, true);
    expect(await claimsOf(templateId)).toBe(PASSES);
    for (const id of [head, tail]) await expect(create(templateId, `new ${id}`)).rejects.toMatchObject(TAKEN);
  });

  test('applies to 50 passes created at the same time', async () => {
    const templateId = await makeCrowd();
    const creates = Array.from({ length: 50 }, (_, i) => create(templateId, `same ${i % 5}`));
    const [changed, ...created] = await Promise.allSettled([patched(ctx, templateId, true), ...creates]);
    const made = created.filter(({ status }) => status === 'fulfilled').length;
    if (changed!.status === 'fulfilled') expect([made, await claimsOf(templateId)]).toEqual([5, PASSES + 5]);
    else expect([changed!.reason, made > 5]).toEqual([expect.objectContaining(TAKEN), true]);
  });

  test('continues after another edit, and loses none of its claims', async () => {
    const templateId = await makeCrowd();
    const { seen, ctx: acting } = watched(
      behindPage(2, async () => {
        await patchTemplate(ctx, templateId, { name: 'Renamed' });
        await create(templateId, 'meanwhile');
      }),
    );
    await patched(acting, templateId, true);
    expect([seen.pages, await claimsOf(templateId), await changesOf(templateId)]).toEqual([3, PASSES + 1, []]);
    const { definition } = await getTemplate(ctx, templateId);
    expect([definition.name, await isUnique(templateId)]).toEqual(['Renamed', true]);
  });

  test('is claimed by one request at a time', async () => {
    const templateId = await makeCrowd();
    let refused: unknown;
    const { ctx: acting } = watched(
      behindPage(2, async () => {
        refused = await patched(ctx, templateId, true).catch((error: unknown) => error);
      }),
    );
    await patched(acting, templateId, true);
    expect(refused).toMatchObject({ kind: 'conflict' });
    expect(await claimsOf(templateId)).toBe(PASSES);
  });

  test('whose request crashes is released by the cron, page by page', async () => {
    const templateId = await makeCrowd();
    await diesBehindPage(2, templateId);
    await releaseUniqueProperties(ctx);
    expect(await claimsOf(templateId)).toBe(2_000);
    const cron = watched();
    await releaseUniqueProperties(cron.ctx, Date.now() + LATER_MS);
    expect([cron.seen.most, await claimsOf(templateId), await changesOf(templateId)]).toEqual([1_000, 0, []]);
    await expectAsBefore(templateId);
    await create(templateId, '1');
  });

  test('restarts a run that the cron has released', async () => {
    const templateId = await makeCrowd();
    const { seen, ctx: acting } = watched(behindPage(2, () => releaseUniqueProperties(ctx, Date.now() + LATER_MS)));
    await patched(acting, templateId, true);
    expect([seen.pages, await claimsOf(templateId), await changesOf(templateId)]).toEqual([6, PASSES, []]);
    await expect(create(templateId, '7')).rejects.toMatchObject(TAKEN);
  });

  test('leaves nothing behind when its template is deleted meanwhile', async () => {
    const templateId = await makeCrowd();
    const { ctx: acting } = watched(behindPage(1, () => deleteTemplate(ctx, templateId)));
    await expect(patched(acting, templateId, true)).rejects.toMatchObject({ kind: 'not_found' });
    await releaseUniqueProperties(ctx, Date.now() + LATER_MS);
    expect([await claimsOf(templateId), await changesOf(templateId)]).toEqual([0, []]);
  });
});

describe('a property of many passes that is no longer unique', () => {
  async function ended(): Promise<string> {
    const templateId = await makeCrowd();
    await patched(ctx, templateId, true);
    const { seen, ctx: acting } = watched();
    await patched(acting, templateId, false);
    expect([seen.most <= 1_000, await claimsOf(templateId)]).toEqual([true, PASSES]);
    return templateId;
  }

  test('is free at once, and its values are released a thousand at a time', async () => {
    const templateId = await ended();
    expect(await checkCreates(ctx, templateId, [{ seq: 0, passId: crypto.randomUUID(), sent: { Seat: '1' } }])).toEqual(
      [],
    );
    await create(templateId, '1');
    const cron = watched();
    await releaseUniqueProperties(cron.ctx);
    expect([cron.seen.most, await claimsOf(templateId), await changesOf(templateId)]).toEqual([1_000, 0, []]);
  });

  test('may become unique again between two pages of the cron, which then deletes no new claim', async () => {
    const templateId = await ended();
    let isUniqueAgain = false;
    const cron = watched({
      after: async (texts) => {
        if (isUniqueAgain || !texts[0]!.startsWith('delete from "unique_property_values"')) return;
        isUniqueAgain = true;
        await patched(ctx, templateId, true);
      },
    });
    await releaseUniqueProperties(cron.ctx);
    expect([isUniqueAgain, await claimsOf(templateId), await changesOf(templateId)]).toEqual([true, PASSES, []]);
    await expect(create(templateId, '2499')).rejects.toMatchObject(TAKEN);
  });

  test('may become unique again before all are released', async () => {
    const templateId = await ended();
    await rows(
      `update passes set properties = json_set(properties, '$."${SEAT}"', 'other') where template_id = ?1
      and key = (select max(key) from passes where template_id = ?1)`,
      [templateId],
    );
    await patched(ctx, templateId, true);
    expect([await claimsOf(templateId), await changesOf(templateId)]).toEqual([PASSES, []]);
    await create(templateId, '2499');
  });
});

/** Runs an edit whose isolate crashes after a page. */
async function diesBehindPage(number: number, templateId: string): Promise<void> {
  let isDead = false;
  const dying = watched({
    before: async () => {
      if (isDead) throw new Error('D1_ERROR: the isolate is gone');
    },
    ...behindPage(number, async () => {
      isDead = true;
    }),
  });
  await expect(patched(dying.ctx, templateId, true)).rejects.toThrow();
}
