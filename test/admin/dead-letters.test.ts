import { describe, expect, inject, test } from 'vitest';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { admin, freshAccount, send } from '../support/api.ts';
import { buryJobs, d1, eventually, runScheduled } from '../support/control.ts';

interface Listed {
  letterId: string;
  accountId: string | null;
  job: string;
  failedOn: string;
  retryOn: string | null;
  position: string;
}

/** Makes a job fail for the last time, and returns how the operator sees it. */
async function buried(job: object, filter: object = {}): Promise<Listed> {
  await buryJobs([job]);
  return eventually(async () => {
    const listed = await admin<Listed[]>('dead-letter list', { limit: '1000', ...filter });
    return listed.find((one) => one.job === JSON.stringify(job));
  });
}

const refused = async (command: string, options: object) => {
  const headers = { Authorization: `Bearer ${inject('worker').adminToken}` };
  const { status, body } = await send('POST', '/admin/commands', { command, options }, headers);
  return [status, body.error];
};

describe('dead letters', () => {
  test('are listed for the operator in pages, including those without an account', async () => {
    const client = await freshAccount();
    const { accountId } = client;
    const { identifier } = await client.createPass(await client.createTemplate());
    const own = await buried({ type: 'push-to-google', accountId, passId: identifier }, { account: accountId });
    expect(own).toMatchObject({
      accountId: client.accountId,
      retryOn: null,
      failedOn: expect.stringMatching(/^20.*Z$/),
    });
    const nobodys = await buried({ type: 'fan-out-events', mark: crypto.randomUUID() });
    expect(nobodys.accountId).toBeNull();
    expect(await admin('dead-letter list', { account: client.accountId })).toEqual([own]);
    const [behind] = await admin<Listed[]>('dead-letter list', { limit: '1', before: nobodys.position });
    expect(behind!.letterId).not.toBe(nobodys.letterId);
    expect(behind!.failedOn <= nobodys.failedOn).toBe(true);
  });

  test('are resent by the service’s cron, because a command may not reach its queues', async () => {
    const client = await freshAccount();
    const { accountId } = client;
    const { identifier } = await client.createPass(await client.createTemplate());
    // A run of this job deletes its row.
    const id = crypto.randomUUID();
    await d1(
      'insert into template_deletions (template_id, account_id, published_version, resumed_at) values (?, ?, 1, ?)',
      [id, client.accountId, Date.now() + 3_600_000],
    );
    const { letterId } = await buried({ type: 'delete-template-passes', accountId, templateId: id });
    await buried({ type: 'push-to-google', accountId, passId: identifier });
    expect(await admin('dead-letter retry', { id: letterId })).toEqual({ requested: 1 });
    const [asked] = (await admin<Listed[]>('dead-letter list', { account: client.accountId })).filter(
      ({ retryOn }) => retryOn,
    );
    expect(asked!.letterId).toBe(letterId);
    const deletions = () => d1('select 1 from template_deletions where template_id = ?', [id], client);
    expect(await deletions()).toHaveLength(1);
    expect(await admin('dead-letter retry', { account: client.accountId })).toEqual({ requested: 1 });
    await runScheduled();
    await eventually(async () => (await deletions()).length === 0);
    expect(await admin('dead-letter list', { account: client.accountId })).toEqual([]);
  });

  test('are discarded', async () => {
    const { letterId } = await buried({ type: 'delete-pass-files', passId: crypto.randomUUID() });
    expect(await admin('dead-letter discard', { id: letterId })).toEqual({ discarded: 1 });
    expect(await d1('select 1 from dead_letters where id = ?', [letterId], DIRECTORY)).toEqual([]);
  });

  test.each([
    ['dead-letter discard', { id: 'none' }, 404, 'Not found: --id none'],
    ['dead-letter retry', { id: 'none' }, 404, 'Not found: --id none'],
    ['dead-letter retry', { account: 'none' }, 404, 'Not found: --account none'],
    ['dead-letter retry', {}, 400, 'id, account or all: one of them is required'],
    ['dead-letter retry', { id: 'a', all: true }, 400, 'id, account or all: one of them is required'],
    ['dead-letter list', { limit: '0' }, 400, expect.stringContaining('limit: ')],
    ['dead-letter list', { before: 'x' }, 400, 'before: must be the position of a dead letter'],
  ])('%s with %o answers %i', async (command, options, status, message) => {
    expect(await refused(command, options)).toEqual([status, message]);
  });
});
