import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually, objectSql, runScheduled } from '../../support/control.ts';
import { ended } from '../../support/processes.ts';

const DAY_MS = 24 * 3_600_000;
const TABLES = ['process', 'facts', 'ranges', 'failures', 'selection_attempts'];

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const nameOf = (processId: string) => ({ binding: 'PROCESSES' as const, name: processId });
const read = (processId: string) => client.get(`/api/v3/process/${processId}`);

/** Creates a process that ended this many days ago, with a failed item. */
async function endedProcess(daysAgo: number): Promise<string> {
  const { identifier } = await client.createPass(templateId);
  const filter = { identifiers: [identifier, 'unknown'] };
  const started = await client.patch('/api/v3/pass/bulk', { data: { storedValue: 5 }, filter });
  await ended(client, started);
  const { processId } = started.body.data;
  await eventually(async () => {
    const [row] = await d1('select finished_at from processes where id = ?', [processId]);
    return row?.finished_at;
  });
  const finishedAt = Date.now() - daysAgo * DAY_MS;
  await objectSql(nameOf(processId), `update process set finished_at = ${finishedAt}`);
  await d1('update processes set finished_at = ? where id = ?', [finishedAt, processId]);
  return processId;
}

async function isEmpty(processId: string): Promise<boolean> {
  const rows = await Promise.all(TABLES.map((table) => objectSql(nameOf(processId), `select * from ${table}`)));
  return rows.every((some) => some.length === 0);
}

describe('90 days after its end, a process', () => {
  test('is deleted, with all data in its object', async () => {
    const [old, young] = [await endedProcess(91), await endedProcess(89)];
    expect(await isEmpty(old)).toBe(false);
    await runScheduled();
    expect((await read(old)).status).toBe(404);
    expect(await isEmpty(old)).toBe(true);
    expect((await client.post(`/api/v3/process/${old}/retry`)).status).toBe(404);
    expect((await read(young)).body.data).toMatchObject({ status: 'finished with errors', current: 2 });
    expect(await isEmpty(young)).toBe(false);
  });

  test('stays if somebody has retried it since, and shows when it ended', async () => {
    const processId = await endedProcess(91);
    const now = Date.now();
    await objectSql(nameOf(processId), `update process set finished_at = ${now}`);
    await runScheduled();
    expect((await read(processId)).body.data).toMatchObject({ status: 'finished with errors' });
    await eventually(async () => {
      const [row] = await d1('select finished_at from processes where id = ?', [processId]);
      return row?.finished_at === now;
    });
  });
});
