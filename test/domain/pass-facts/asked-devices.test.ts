import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { noteDownload, recordAskedDevices } from '../../../src/domain/pass-facts/asked-devices.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { d1Around } from '../../support/d1-over.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());
afterEach(() => {
  vi.useRealTimers();
});

test('a device’s request is written once: with its download, or alone if none follows', async () => {
  let writes = 0;
  const d1 = d1Around(database.d1, (work) => {
    writes += 1;
    return work();
  });
  const waits: Promise<unknown>[] = [];
  const account = await database.accountContext();
  const templateId = await makeTemplate(account);
  const newPass = async () => (await createPass(account, templateId, {}, { wait: false })).pass.id;
  const [answered, unanswered] = [await newPass(), await newPass()];
  const ctx = {
    ...account,
    env: { ...account.env, DB: d1 },
    waitUntil: (work: Promise<unknown>) => void waits.push(work),
  };
  vi.useFakeTimers();
  const asked = [answered, unanswered].map((passId) => ({ passId, fact: '"asked"' }));
  recordAskedDevices(ctx, account.account.id, asked);
  noteDownload(ctx, account.account.id, { passId: answered, fact: '"downloaded"' });
  await vi.runAllTimersAsync();
  while (waits.length > 0) await waits.shift();
  const rows = 'select id, facts from pass_facts inner join passes on passes.key = pass_key order by passes.key';
  expect((await database.d1.prepare(rows).all()).results).toEqual([
    { id: answered, facts: '"asked","downloaded"' },
    { id: unanswered, facts: '"asked"' },
  ]);
  expect(writes).toBe(2);
});
