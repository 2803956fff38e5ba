import { beforeAll, describe, expect, test } from 'vitest';
import { shardOf, uuidv7 } from '../../../src/platform/ids.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { actionsOf } from '../../support/audit.ts';
import { allLogged, buryJobs, costOf, d1, eventually, runScheduled } from '../../support/control.ts';
import { inboxOf } from '../../support/dev-inbox.ts';
import { deletedBefore } from '../../support/earlier-events.ts';
import { subscribed } from '../../support/webhooks.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

let account: Client;
let owner: Visitor;
let template: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  owner = await visitor(account, ['owner']);
  template = await mailingTemplate(account);
});

const pathOf = (client: Client) => consolePath(client, 'failed-jobs');
const base = () => pathOf(account);

/** Creates failed jobs of an account, and returns their references in order. */
async function buried(client: Client, ...named: object[]): Promise<string[]> {
  const jobs = named.map((job) => ({ ...job, accountId: client.accountId }));
  await buryJobs(jobs);
  const letterOf = 'select id from dead_letters where body = ?';
  return Promise.all(
    jobs.map((job) =>
      eventually(async () => (await d1<{ id: string }>(letterOf, [JSON.stringify(job)], client))[0]?.id),
    ),
  );
}

/** Creates a template whose messages can be sent. */
function mailingTemplate(client: Client): Promise<string> {
  const passCreationNotification = { subject: 'Your ticket', emailTemplate: 'Hello' };
  return client.createTemplate({ sendoutOptions: { passCreationNotification } } as never);
}

/** Creates a job that sends an e-mail when it runs: the message waits for this job only. */
async function messageJob(client: Client, templateId: string) {
  // A message's age comes from its identifier: without a real time it would count as old, and the next cron would
  // process it.
  const [id, recipient] = [uuidv7(shardOf(client.accountId)), `${crypto.randomUUID()}@example.com`];
  const { identifier } = await client.createPass(templateId);
  await d1(
    `insert into messages (id, account_id, pass_id, template_id, channel, kind, recipient, status, attempts, created_at)
     values (?, ?, ?, ?, 'email', 'creation', ?, 'queued', 0, ?)`,
    [id, client.accountId, identifier, templateId, recipient, Date.now()],
  );
  return { job: { type: 'send-message', messageId: id }, recipient };
}

const lettersOf = (client: Client) => d1('select id from dead_letters where account_id = ?', [client.accountId]);

describe('failed jobs', () => {
  test('are listed with their work, and link to their subject', async () => {
    const own = await freshAccount();
    const member = await visitor(own, ['owner']);
    expect((await member.get(pathOf(own))).body).toContain('No failed jobs');
    const ownTemplate = await own.createTemplate();
    const { identifier } = await own.createPass(ownTemplate);
    const gone = await deletedBefore(own, ownTemplate);
    const webhook = await subscribed(own, 'https://shop.example.com/hook');
    const { job: message } = await messageJob(own, ownTemplate);
    const [reference] = await buried(
      own,
      { type: 'push-to-google', passId: identifier },
      { type: 'push-passes', passIds: [identifier] },
      { type: 'recover-webhooks', subscriptionId: webhook.identifier },
      { type: 'delete-pass-files', passId: gone },
      { type: '<b>of another version</b>', templateId: ownTemplate },
      message,
    );
    const html = await openLight(member, pathOf(own));
    const rowOf = (words: string) =>
      [...html.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).find((row) => row.includes(words));
    for (const [words, ...parts] of [
      ['Update a pass in Google Wallet', 'passes', identifier],
      ['Notify devices of changed passes', 'passes', identifier],
      ['Recover missed webhook events', 'webhooks', webhook.identifier],
      ['Send a pass by e-mail or SMS', 'messages', message.messageId],
      ['&lt;b&gt;of another version&lt;/b&gt;', 'templates', ownTemplate],
    ] as const) {
      expect(rowOf(words), words).toContain(`href="${consolePath(own, ...parts)}"`);
      expect((await member.get(consolePath(own, ...parts))).status, words).toBe(200);
    }
    expect(rowOf('Remove the stored files of a deleted pass')).toContain('data-label="Subject">–<');
    expect(rowOf('Update a pass in Google Wallet')).toContain(`<code>${reference}</code>`);
    expect(rowOf('Update a pass in Google Wallet')).toMatch(/<time datetime="20/);
  });

  test('run when retried, and leave the list', async () => {
    const { job, recipient } = await messageJob(account, template);
    const [id] = await buried(account, job);
    const reply = await owner.post(`${base()}/${id}/retry`);
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, `${base()}?done=retry`]);
    await eventually(async () => (await inboxOf(recipient)).length > 0);
    expect(await d1('select id from dead_letters where id = ?', [id], account)).toEqual([]);
    expect((await owner.get(`${base()}?done=retry`)).body).toContain('Job scheduled');
    const audit = (await owner.get(consolePath(account, 'audit-log'))).body;
    expect(audit).toMatch(new RegExp(`${owner.email}.*send-message.*${id}`, 's'));
  });

  test('are sent once, even if many retry at once', async () => {
    const type = `nobody-does-${crypto.randomUUID()}`;
    const { identifier } = await account.createPass(template);
    const [id] = await buried(account, { type, passId: identifier });
    const replies = await Promise.all(Array.from({ length: 50 }, () => owner.post(`${base()}/${id}/retry`)));
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 303 && status !== 404)).toEqual([]);
    expect(statuses).toContain(303);
    const gone = replies.find(({ status }) => status === 404) ?? (await owner.post(`${base()}/${id}/retry`));
    expect(gone.body).toContain('was already retried or discarded');
    const firstTries = { event: 'job', job: type, attempt: 1 };
    await eventually(async () => (await allLogged(firstTries)).length > 0);
    // A second message would have arrived before that of a job sent later.
    const { job, recipient } = await messageJob(account, template);
    const [marker] = await buried(account, job);
    await owner.post(`${base()}/${marker}/retry`);
    await eventually(async () => (await inboxOf(recipient)).length > 0);
    expect(await allLogged(firstTries)).toHaveLength(1);
  });

  test('are retried all at once by the cron', async () => {
    const own = await freshAccount();
    const member = await visitor(own, ['owner']);
    const ownTemplate = await mailingTemplate(own);
    const sent = await Promise.all(Array.from({ length: 3 }, () => messageJob(own, ownTemplate)));
    await buried(own, ...sent.map(({ job }) => job));
    expect((await member.get(pathOf(own))).body).toContain('Retry all');
    const reply = await member.post(`${pathOf(own)}/retry`);
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, `${pathOf(own)}?done=retry-all`]);
    expect((await actionsOf(own.accountId)).filter((one) => one === 'failed_job.retry_all')).toHaveLength(1);
    await runScheduled();
    for (const { recipient } of sent) await eventually(async () => (await inboxOf(recipient)).length > 0);
    expect(await lettersOf(own)).toEqual([]);
  });

  test('are discarded once, after a confirmation', async () => {
    const { job, recipient } = await messageJob(account, template);
    const [id] = await buried(account, job);
    const question = await owner.get(`${base()}/${id}/discard`);
    expect(question.body).toMatch(/Discard this job\?.*The job is removed from this list and won’t be retried/s);
    expect(await d1('select id from dead_letters where id = ?', [id], account)).toHaveLength(1);
    expect((await owner.post(`${base()}/${id}/discard`)).headers.get('Location')).toBe(`${base()}?done=discard`);
    expect(await d1('select id from dead_letters where id = ?', [id], account)).toEqual([]);
    for (const reply of [await owner.post(`${base()}/${id}/discard`), await owner.get(`${base()}/${id}/discard`)]) {
      expect([reply.status, reply.body.includes('was already retried or discarded')]).toEqual([404, true]);
    }
    expect((await actionsOf(account.accountId)).filter((one) => one === 'failed_job.discard')).toHaveLength(1);
    expect(await inboxOf(recipient)).toEqual([]);
  });

  test('are only for the account’s owners', async () => {
    const { job, recipient } = await messageJob(account, template);
    const [id] = await buried(account, job);
    const actions = ['retry', 'discard'].map((verb) => `${id}/${verb}`);
    const editor = await visitor(account, ['passes.edit', 'templates.edit', 'api_keys.manage', 'scan', 'read']);
    expect((await editor.get(base())).status).toBe(403);
    for (const action of [...actions, 'retry']) expect((await editor.post(`${base()}/${action}`)).status).toBe(403);
    const overview = (await editor.get(consolePath(account))).body;
    expect(overview).not.toMatch(/failed-jobs|jobs? failed/);

    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    expect((await other.get(base())).status).toBe(404);
    for (const path of [base(), pathOf(stranger)]) {
      for (const action of actions) expect((await other.post(`${path}/${action}`)).status).toBe(404);
      expect((await other.get(`${path}/${id}/discard`)).body).not.toContain('Discard this job?');
    }
    expect((await other.get(pathOf(stranger))).body).toContain('No failed jobs');
    await other.post(`${pathOf(stranger)}/retry`);
    await runScheduled();
    expect(await d1('select due_at from dead_letters where id = ?', [id], account)).toEqual([{ due_at: null }]);
    expect(await inboxOf(recipient)).toEqual([]);
    expect((await owner.get(base())).body).toContain(id);
  });

  test('are paged, and shown on the overview, at a constant cost', async () => {
    const own = await freshAccount();
    const member = await visitor(own, ['owner']);
    const overview = () => openLight(member, consolePath(own));
    expect(await overview()).not.toMatch(/jobs? failed/);
    const insert = (rows: number) =>
      d1(
        `insert into dead_letters (id, account_id, type, body, failed_at)
         with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?2)
         select ?1 || '-' || cast(?2 as integer) || '-' || cast(value as integer), ?1, 'send-message', '{}', 1000 + value / 7 from numbers`,
        [own.accountId, rows],
      );
    await insert(1);
    expect(await overview()).toContain('1 job failed');
    await insert(30);
    expect(await overview()).toContain('31 jobs failed');
    await insert(2_000);
    const told = await member.get(consolePath(own));
    expect(told.body).toMatch(/More than 99 jobs failed.*href="[^"]*\/failed-jobs">View</s);
    expect((await costOf(told)).rowsRead).toBeLessThan(1_000);
    const seen: string[] = [];
    let next: string | undefined = pathOf(own);
    while (next) {
      const reply: Awaited<ReturnType<typeof member.get>> = await member.get(next);
      const cost = await costOf(reply);
      expect(cost.roundTrips).toBeLessThanOrEqual(3 + member.apart);
      expect(cost.rowsRead).toBeLessThan(51 * 5 + 20);
      seen.push(...[...String(reply.body).matchAll(/<code>([^<]+)<\/code>/g)].map(([, id]) => id!));
      next = /href="([^"]*before=[^"]+)"/.exec(reply.body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect([seen.length, new Set(seen).size]).toEqual([2_031, 2_031]);
    expect((await member.get(`${pathOf(own)}?before=nonsense`)).status).toBe(400);
    await d1('delete from dead_letters where account_id = ?', [own.accountId]);
  });
});
