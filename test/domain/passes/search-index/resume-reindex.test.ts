import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPass } from '../../../../src/domain/passes/create-pass.ts';
import { resumeReindex } from '../../../../src/domain/passes/search-index/maintain-index.ts';
import { searchPasses } from '../../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../../support/fake-queue.ts';
import { openFirstSchema, rowsOf } from '../../../support/migrations.ts';
import { type LocalDatabase, openLocalDatabase } from '../../local-database.ts';
import { makeTemplate } from '../../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

test('the cron reindexes what was stored before an upgrade, and then reads one row', async () => {
  const ctx = withJobs(await database.accountContext());
  const template = await makeTemplate(ctx);
  const { pass } = await createPass(ctx, template, { barcodeAlternativeText: 'Row 7' }, { wait: false });
  const total = async () => (await searchPasses(ctx, { query: { searchPhrase: 'row 7' }, pageSize: 5 })).total;
  // As an earlier release left it.
  const key = '(select key from passes where id = ?)';
  await database.d1.prepare(`delete from pass_terms where rowid = ${key}`).bind(pass.id).run();
  await database.d1.prepare('insert into search_reindex (after_key) values (0)').run();
  expect(await total()).toBe(0);
  await resumeReindex(ctx);
  expect(await total()).toBe(1);
  const left = await database.d1.prepare('select count(*) as rows from search_reindex').first();
  expect(left).toEqual({ rows: 0 });
  const before = { ...ctx.meter };
  await resumeReindex(ctx);
  expect(ctx.meter.roundTrips - before.roundTrips).toBe(1);
  expect(ctx.meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(1);
});

test('an upgrade requests it if passes are stored', () => {
  for (const passes of [0, 1]) {
    const { database: old, migrate } = openFirstSchema();
    migrate('0003_images_of_passes');
    const columns = `id, account_id, template_id, template_version, generated_id, barcode_value, properties, appearance, page_token,
      file_token, authentication_token, created_at, modified_at`;
    const insert = old.prepare(
      `insert into passes (${columns}) values (?1, 'a', 't', 1, ?1, '', '{}', '{}', ?1, ?1, ?1, 0, 0)`,
    );
    for (let i = 0; i < passes; i++) insert.run(`p${i}`);
    migrate('0006_search_phrases');
    const asked = passes === 0 ? [] : [{ after_key: 0 }];
    expect(rowsOf(old, 'select after_key from search_reindex')).toEqual(asked);
    // A release in between has started.
    old.exec('update search_reindex set after_key = 5000');
    migrate('0023_own_barcode_values');
    migrate('0035_fewer_bytes_of_passes');
    expect(rowsOf(old, 'select after_key from search_reindex')).toEqual(asked);
  }
});
