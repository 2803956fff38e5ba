import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPasses } from '../../../src/domain/passes/bulk/bulk-create.ts';
import { updatePasses } from '../../../src/domain/passes/bulk/bulk-update.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { PassFields } from '../../../src/domain/passes/values/pass-fields.ts';
import { ledgerOf } from '../../../src/domain/processes/ledger.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type BoundStatement, d1Over } from '../../support/d1-over.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/*
 * The reason why a write was rejected can be gone by the time its name is looked up. Then nothing is in the way, and
 * every message would be wrong.
 */

const BACKGROUND = { wait: false };
const SEAT = { Seat: '1' };

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withJobs(await database.accountContext());
});
afterAll(() => database.close());

const writesPasses = ({ sql }: BoundStatement) => /^(insert into|update) "passes"/.test(sql);

/**
 * Returns the context. After the next batch that writes passes, `work` runs once, before anybody sees the batch's
 * result.
 */
function meanwhile(work: () => Promise<unknown>): AccountContext {
  let isDone = false;
  const d1 = d1Over(async (statements) => {
    try {
      return await database.d1.batch(statements as never);
    } finally {
      if (!isDone && statements.some(writesPasses)) {
        isDone = true;
        await work();
      }
    }
  });
  return { ...ctx, ...openDatabase(d1) };
}

const created = async (templateId: string, sent = {}) => (await createPass(ctx, templateId, sent, BACKGROUND)).pass.id;

const ledger = (some: AccountContext) => ledgerOf(some, uuidv7(), { first: 0, last: 0 });

/** Ways to put a pass into a template, possibly from another one. Each returns its errors. */
const WRITES = {
  create: async (some: AccountContext, templateId: string) => {
    await createPass(some, templateId, SEAT, BACKGROUND);
    return [];
  },
  'bulk create': (some: AccountContext, templateId: string) =>
    createPasses(some, templateId, [{ seq: 0, passId: uuidv7(), sent: SEAT }], ledger(some)),
  move: async (some: AccountContext, templateId: string) => {
    await patchPass(some, await belowTier(templateId), { storedValue: 9 }, BACKGROUND);
    return [];
  },
  'bulk move': async (some: AccountContext, templateId: string) => {
    const sent = { storedValue: 9 };
    const update = { mode: 'patch' as const, sent, fields: PassFields.parse(sent) };
    return updatePasses(some, [{ seq: 0, name: await belowTier(templateId), update }], ledger(some));
  },
};

async function belowTier(templateId: string): Promise<string> {
  const tiers = [{ minimumValue: 9, templateId }];
  const additionalProperties = [{ name: 'Seat', type: 'text' as const }];
  return created(
    await makeTemplate(ctx, { additionalProperties, passFunctionality: { type: 'loyalty', tiers } }),
    SEAT,
  );
}

describe.each([
  ['the maximum of a template', { maxPasses: 1 }],
  ['a unique value', { additionalProperties: [{ name: 'Seat', type: 'text', unique: true }] }],
] as const)('a pass in the way because of %s', (_, rule) => {
  test.each(Object.entries(WRITES))('that is deleted meanwhile lets a %s succeed', async (_, write) => {
    const templateId = await makeTemplate(ctx, rule as object);
    const rival = await created(templateId, SEAT);
    expect(
      await write(
        meanwhile(() => deletePass(ctx, rival, async () => {})),
        templateId,
      ),
    ).toEqual([]);
    const held = await database.look.select({ id: passes.id }).from(passes).where(eq(passes.templateId, templateId));
    expect(held).toEqual([{ id: expect.not.stringMatching(rival) }]);
  });
});
