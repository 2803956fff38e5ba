import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../../src/domain/context.ts';
import { createPass } from '../../../../src/domain/passes/create-pass.ts';
import { removeDocuments } from '../../../../src/domain/passes/search-index/maintain-index.ts';
import { patchPass } from '../../../../src/domain/passes/update-pass.ts';
import { searchPasses } from '../../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../../local-database.ts';
import { makeTemplate, PROPERTIES } from '../../search/crowd.ts';

/* Earlier releases stored a document per pass: its folded texts and their positions. */

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  templateId = await makeTemplate(ctx);
});
afterAll(() => database.close());

const run = async (statement: string, ...params: unknown[]) =>
  (
    await database.d1
      .prepare(statement)
      .bind(...params)
      .all<Record<string, unknown>>()
  ).results;

const NAME = PROPERTIES[0]!.id;
const code = NAME.replace('.', '');

/** Creates a pass as an earlier release left it. */
async function earlierPass(name: string): Promise<string> {
  const { pass } = await createPass(ctx, templateId, { 'Full name': name }, { wait: false });
  const fields = JSON.stringify({ [code]: [8, name.length] });
  await run('update passes set folded_values = null where id = ?', pass.id);
  await run(
    'insert into pass_documents (key, content, fields) select key, ?, ? from passes where id = ?',
    `true\n\u0002\n${name.toLowerCase()}`,
    fields,
    pass.id,
  );
  return pass.id;
}

async function found(name: string): Promise<number[]> {
  const groups = (operator: string, value: string) => ({
    templateId,
    groups: [[{ field: 'Full name', operator, value }], [{ field: 'Full name', operator: 'equals', value: 'nobody' }]],
  });
  const queries = [groups('equals', name), groups('contains', name.slice(1, -1)), { searchPhrase: name.toLowerCase() }];
  const pages = queries.map(async (query) => (await searchPasses(ctx, { query, pageSize: 5 })).total);
  return Promise.all(pages);
}

const documents = async () => (await run('select count(*) as rows from pass_documents'))[0]!.rows;
const folded = async (id: string) => (await run('select folded_values from passes where id = ?', id))[0]!.folded_values;

test('passes of an earlier release are found by their documents, and without them after the cron', async () => {
  const names = ['Änne Öztürk', 'Ada Lovelace'];
  const ids: string[] = [];
  for (const name of names) ids.push(await earlierPass(name));
  for (const name of names) expect(await found(name)).toEqual([1, 1, 1]);
  await removeDocuments(ctx);
  expect(await documents()).toBe(0);
  expect([await folded(ids[0]!), await folded(ids[1]!)]).toEqual([JSON.stringify({ [code]: ['änne öztürk'] }), null]);
  for (const name of names) expect(await found(name)).toEqual([1, 1, 1]);
  const before = { ...ctx.meter };
  await removeDocuments(ctx);
  expect(ctx.meter.roundTrips - before.roundTrips).toBe(1);
  expect(ctx.meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(1);
});

test('a document from before a change no longer applies', async () => {
  const id = await earlierPass('Émile Zola');
  await patchPass(ctx, id, { 'Full name': 'Éric Rohmer' }, { wait: false });
  for (const _ of ['before the cron has come by', 'after']) {
    expect(await found('Émile Zola')).toEqual([0, 0, 0]);
    expect(await found('Éric Rohmer')).toEqual([1, 1, 1]);
    await removeDocuments(ctx);
  }
  expect(await documents()).toBe(0);
});
