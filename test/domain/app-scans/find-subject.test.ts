import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSubject } from '../../../src/domain/app-scans/find-subject.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { openScanner, type Scanner } from './scanner-samples.ts';

/* A scanner that an isolate caches belongs to its account, whoever names it. */

const BARCODE = 'the-same-code';

let database: LocalDatabase;
let [mine, foreign]: Scanner[] = [];
beforeAll(async () => {
  database = await openLocalDatabase();
  const open = async (name: string) => openScanner(await database.accountContext(), {}, undefined, { name });
  [mine, foreign] = [await open('Mine'), await open('Foreign')];
  for (const { createPass } of [mine, foreign]) await createPass({ barcodeValue: BARCODE });
});
afterAll(() => database.close());

/** Scans with the account's scanner; returns the result and its cost. */
async function scan({ account }: AccountContext) {
  const ctx = database.context();
  const question = { configurationId: mine!.configurationId, barcode: BARCODE };
  const { configuration, found } = await findSubject({ ...ctx, account }, question);
  return { scanner: configuration?.id, template: found?.definition.name, rowsRead: ctx.meter.rowsRead };
}

test('another account that names the scanner finds its own pass with its own template, and no scanner', async () => {
  const [first, again] = [await scan(mine!.ctx), await scan(mine!.ctx)];
  expect(first).toMatchObject({ scanner: mine!.configurationId, template: 'Mine' });
  // The definition is transferred once.
  expect(again).toEqual({ ...first, rowsRead: first.rowsRead - 1 });
  expect(await scan(foreign!.ctx)).toMatchObject({ scanner: undefined, template: 'Foreign' });
  expect(await scan(mine!.ctx)).toEqual(again);
});
