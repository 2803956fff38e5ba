import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { getDefinedPass } from '../../../src/domain/passes/find-pass.ts';
import { passEventBody } from '../../../src/domain/passes/pass-event.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('each member of the body of a pass event has its own value', async () => {
  const ctx = await database.accountContext('Europe/Vienna');
  const templateId = await makeTemplate(ctx, { name: 'Season ticket' });
  const sent = { userProvidedId: 'my-id', barcodeValue: 'my-code', 'Full name': 'Ada' };
  const { id } = (await createPass(ctx, templateId, sent, { wait: false })).pass;
  const { pass, definition } = await getDefinedPass(ctx, id);
  const [{ generatedId } = {}] = await database.look.select({ generatedId: passes.generatedId }).from(passes);
  const row = { ...pass, createdAt: Date.UTC(2026, 6, 1, 22, 30) };
  expect(passEventBody(ctx, row, definition)).toMatchObject({
    identifier: id,
    passId: id,
    uniqueIdentifier: generatedId,
    createdOn: '2026-07-02 00:30:00',
    passTemplate: 'Season ticket',
    userProvidedId: 'my-id',
    passTemplateGuid: templateId,
    genericProperties: { 'Full name': 'Ada' },
  });
});
