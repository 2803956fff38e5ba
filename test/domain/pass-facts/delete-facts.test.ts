import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deleteAccountPasses, deleteTemplatePasses } from '../../../src/domain/passes/deletion/delete-all-passes.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { deleteTemplate } from '../../../src/domain/templates/delete-template.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { d1Around } from '../../support/d1-over.ts';
import { withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const ROWS = 2_500;
const PAGE_ROWS = 1_000;
const DELETES_FACTS = /^delete from "pass_facts"/;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const noFiles = async () => {};

/** Ways to delete passes, each with two passes that have many facts and one with few. */
const WAYS: Record<string, (ctx: AccountContext, templateId: string, passIds: string[]) => Promise<unknown>> = {
  'one by one': async (ctx, _, passIds) => {
    for (const id of passIds) await deletePass(ctx, id, noFiles);
  },
  'with their template': async (ctx, templateId) => {
    await deleteTemplate(ctx, templateId);
    await deleteTemplatePasses(ctx, { accountId: ctx.account.id, templateId }, noFiles);
  },
  'with their account': (ctx) => {
    const { id: accountId, ancestorIds } = ctx.account;
    return deleteAccountPasses(ctx, { accountId, ancestorIds, deletedAt: 0 } as never, noFiles);
  },
};

test.each(Object.entries(WAYS))('passes with 2,500 rows of facts are deleted %s, a page at a time', async (_, work) => {
  const changes: number[] = [];
  const d1 = d1Around(database.d1, async (run, statements) => {
    const results = await run();
    for (const [i, { meta }] of results.entries()) {
      if (DELETES_FACTS.test(statements[i]!.sql)) changes.push(meta.changes);
    }
    return results;
  });
  const account = await database.accountContext();
  const ctx = withQueue({ ...account, ...openDatabase(d1) }, { jobs: [], isDown: false });
  const templateId = await makeTemplate(ctx);
  const passIds: string[] = [];
  for (const rows of [ROWS, ROWS, 5]) {
    const { pass } = await createPass(ctx, templateId, {}, { wait: false });
    passIds.push(pass.id);
    const many = `insert into pass_facts (pass_key, began_at, facts)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2) select key, i, '[1,5]' from n, passes where id = ?1`;
    await database.d1.prepare(many).bind(pass.id, rows).run();
  }
  const left = async () => (await database.d1.prepare('select 1 from pass_facts').all()).results.length;
  expect(await left()).toBe(2 * ROWS + 5);
  await work(ctx, templateId, passIds);
  expect(await left()).toBe(0);
  expect(Math.max(...changes)).toBeLessThanOrEqual(PAGE_ROWS);
});
