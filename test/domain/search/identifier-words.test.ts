import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { changePass } from '../../../src/domain/passes/change-pass.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { reindexPasses } from '../../../src/domain/passes/search-index/maintain-index.ts';
import { documentOf } from '../../../src/domain/passes/search-index/pass-document.ts';
import { accountScope, hexOf } from '../../../src/domain/passes/search-index/search-terms.ts';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { searchPasses } from '../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from './crowd.ts';

/* The index words of generated identifiers contain their beginning; a barcode value that is an identifier has none. */

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
const made: Pass[] = [];

beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  templateId = await makeTemplate(ctx);
  const make = async (sent = {}) => made.push((await createPass(ctx, templateId, sent, { wait: false })).pass);
  for (let i = 0; i < 5; i++) await make();
  await make({ barcodeValue: 'short-1' });
  await make({ barcodeValue: `${made[0]!.generatedId}X` });
  await make({ barcodeValue: made[1]!.generatedId.slice(0, 8) });
  await make({ barcodeValue: '0000000000000000' });
});
afterAll(() => database.close());

const FIELDS = { identifier: 'id', generatedId: 'generatedId', barcodeValue: 'barcodeValue' } as const;
type Field = keyof typeof FIELDS;

const HOLDS: Record<string, (value: string, operand: string) => boolean> = {
  equals: (value, operand) => value === operand,
  notEquals: (value, operand) => value !== operand,
  beginsWith: (value, operand) => value.startsWith(operand),
  greaterThan: (value, operand) => value > operand,
  lowerThanOrEquals: (value, operand) => value <= operand,
};

async function found(field: Field, operator: string, value: unknown): Promise<string[]> {
  const query = { templateId, groups: [[{ field, operator, value }]] };
  const { rows, total } = await searchPasses(ctx, { query, pageSize: 100 });
  expect(total).toBe(rows.length);
  return rows.map(({ pass }) => pass.id).sort();
}

/** Checks each operator with whole values, prefixes of several lengths, and other values. */
async function expectAll(): Promise<void> {
  for (const field of Object.keys(FIELDS) as Field[]) {
    const textOf = (pass: Pass) => pass[FIELDS[field]].toLowerCase();
    const values = made.map(textOf);
    const parts = [1, 8, 9, 16, 18, 19].map((chars) => values[1]!.slice(0, chars));
    for (const operand of new Set([...values.slice(-6), ...parts, 'm', `${values[2]}z`])) {
      for (const [operator, holds] of Object.entries(HOLDS)) {
        const wanted = made.filter((pass) => holds(textOf(pass), operand)).map(({ id }) => id);
        expect(await found(field, operator, operand.toUpperCase()), `${field} ${operator} ${operand}`).toEqual(
          wanted.sort(),
        );
      }
    }
    expect(await found(field, 'equals', [values[0], values[5], 'nothing'])).toEqual([made[0]!.id, made[5]!.id].sort());
  }
}

/** Returns a pass's words as releases before 0.2.0 built them. */
function earlierTerms(pass: Pass): string[] {
  const words = Object.entries(FIELDS).map(
    ([field, column]) => `v${accountScope(pass.accountId)}${field.toLowerCase()}z${hexOf(pass[column].toLowerCase())}`,
  );
  const own = words.map((word) => word.slice(0, word.indexOf('z') + 1));
  return [...documentOf(pass).terms.filter((term) => !own.some((start) => term.startsWith(start))), ...words];
}

const valueWords = (pass: Pass, field: Field) =>
  documentOf(pass).terms.filter((term) => term.startsWith(`v${accountScope(pass.accountId)}${field.toLowerCase()}z`));

test('a word contains the beginning of an identifier, and a generated barcode value has none', () => {
  const scope = accountScope(ctx.account.id);
  const [pass, own] = [made[0]!, made[5]!];
  expect(valueWords(pass, 'identifier')).toEqual([`v${scope}identifierz${hexOf(pass.id.slice(0, 18))}`]);
  const generated = hexOf(pass.generatedId.toLowerCase().slice(0, 8));
  expect(valueWords(pass, 'generatedId')).toEqual([`v${scope}generatedidz${generated}`]);
  expect(valueWords(pass, 'barcodeValue')).toEqual([]);
  expect(valueWords(own, 'barcodeValue')).toEqual([`v${scope}barcodevaluez${hexOf('short-1')}`]);
});

describe('every operator finds passes by their identifiers', () => {
  test('with the current words', expectAll);

  test('with those of an earlier release, mixed with current ones, and after the cron has replaced them', async () => {
    for (const pass of made.filter((_, i) => i % 2 === 0)) {
      await database.d1
        .prepare('insert or replace into pass_terms (rowid, terms) select key, ? from passes where id = ?')
        .bind(earlierTerms(pass).join(' '), pass.id)
        .run();
    }
    await expectAll();
    await reindexPasses(ctx, { afterKey: 0 });
    await expectAll();
  });

  test('and by a barcode value that was or becomes the generated identifier', async () => {
    const change = async (at: number, barcodeValue: string) => {
      const next = ({ pass }: { pass: Pass }) => ({ pass: { ...pass, barcodeValue } });
      made[at] = (await changePass(ctx, made[at]!.id, next)).pass;
    };
    await change(3, 'another');
    await change(5, made[5]!.generatedId);
    await expectAll();
  });
});
