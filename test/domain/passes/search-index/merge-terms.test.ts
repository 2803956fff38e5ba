import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPass } from '../../../../src/domain/passes/create-pass.ts';
import { mergeTerms } from '../../../../src/domain/passes/search-index/maintain-index.ts';
import { searchPasses } from '../../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../../local-database.ts';
import { makeTemplate } from '../../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const HALF_WEEK_MS = 3.5 * 24 * 60 * 60_000;
/** The minute in which a merge begins. */
const BEGINS_AT = 1_000 * HALF_WEEK_MS;
const PASSES = 20_000;

/** Returns how many blocks contain the word. */
async function blocksWith(word: string): Promise<number> {
  const count = 'select count(*) as blocks from pass_terms_data where instr(block, cast(? as blob)) > 0';
  return (await database.d1.prepare(count).bind(word).first<{ blocks: number }>())!.blocks;
}

/** Indexes passes that don't exist, with random words, like the digits of barcodes. */
async function indexCrowd(): Promise<void> {
  const word = "printf('%08x%08x ', random() & 0xffffffff, random() & 0xffffffff)";
  for (let from = 1_000; from < PASSES; from += 1_000) {
    await database.d1
      .prepare(
        `insert into pass_terms (rowid, terms) select ? + key, ${Array(20).fill(word).join(' || ')}
          from json_each('[' || substr(replace(printf('%999s', ''), ' ', '1,'), 1, 1997) || ']') limit 999`,
      )
      .bind(from * 1_000)
      .run();
  }
}

test('the terms of deleted passes leave the blocks of the index twice a week, in pages', async () => {
  const ctx = withJobs(await database.accountContext());
  const template = await makeTemplate(ctx);
  await createPass(ctx, template, { barcodeAlternativeText: 'Row 7' }, { wait: false });
  await database.d1.prepare("insert into pass_terms (rowid, terms) values (999999999, 'erasedterm')").run();
  await indexCrowd();
  await database.d1.prepare('delete from pass_terms where rowid = 999999999').run();
  // A block has only the end of a term that begins like the one before it.
  expect(await blocksWith('rasedterm')).toBe(1);
  // At any other time, the task costs nothing.
  const before = { ...ctx.meter };
  await mergeTerms(ctx, BEGINS_AT - 60_000);
  expect(ctx.meter).toEqual(before);
  await mergeTerms(ctx, BEGINS_AT);
  for (let minute = 1; minute < 4; minute++) await mergeTerms(ctx, BEGINS_AT + minute * 60_000);
  expect(await blocksWith('rasedterm')).toBe(0);
  const pages = ctx.meter.roundTrips - before.roundTrips;
  expect(pages).toBeGreaterThan(5);
  expect(pages).toBeLessThan(40);
  expect((await searchPasses(ctx, { query: { searchPhrase: 'row 7' }, pageSize: 5 })).total).toBe(1);
});
