import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSubject } from '../../../src/domain/app-scans/find-subject.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { getPass } from '../../../src/domain/passes/find-pass.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withJobs(await database.accountContext());
  templateId = await makeTemplate(ctx);
});
afterAll(() => database.close());

const create = async (sent = {}) => (await createPass(ctx, templateId, sent, { wait: false })).pass;

/** Returns the pass that a value identifies, as a name and as a scanned barcode. */
async function ownersOf(barcode: string): Promise<(string | undefined)[]> {
  const { found } = await findSubject(ctx, { configurationId: '', barcode });
  return [(await getPass(ctx, barcode)).pass.id, found?.pass.id];
}

const setBarcode = (id: string, value: string) =>
  database.d1.prepare('update passes set barcode_value = ? where id = ?').bind(value, id).run();

test('a value identifies the newest pass that shows it', async () => {
  const first = await create({ barcodeValue: 'shown' });
  expect(await ownersOf('shown')).toEqual([first.id, first.id]);
  const second = await create({ barcodeValue: 'shown' });
  expect(await ownersOf('shown')).toEqual([second.id, second.id]);
});

test('a generated identifier identifies its pass, unless a newer one shows it', async () => {
  const older = await create();
  const pass = await create();
  expect(await ownersOf(pass.generatedId)).toEqual([pass.id, pass.id]);
  await setBarcode(older.id, pass.generatedId);
  expect(await ownersOf(pass.generatedId)).toEqual([pass.id, pass.id]);
  const newer = await create({ barcodeValue: pass.generatedId });
  expect(await ownersOf(pass.generatedId)).toEqual([newer.id, newer.id]);
});

test('a generated identifier that its pass does not show identifies it only if no other pass shows it', async () => {
  const older = await create();
  const pass = await create({ barcodeValue: 'another' });
  expect(await ownersOf(pass.generatedId)).toEqual([pass.id, pass.id]);
  await setBarcode(older.id, pass.generatedId);
  expect(await ownersOf(pass.generatedId)).toEqual([older.id, older.id]);
});
