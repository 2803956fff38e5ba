import { describe, expect, test } from 'vitest';
import { consolePath, visitor } from '../pages/console/browser-session.ts';
import { admin, type Client, clientOf, freshAccount, type Reply } from '../support/api.ts';
import { costOf, d1, eventually, runScheduled } from '../support/control.ts';
import { keepValues } from '../support/kept-values.ts';

/* Account quotas from a caller's point of view. */

const CUSTOMER = { company_name: 'Harbour Theatre', last_name: 'Hopper' };
const SENDS = { sendoutOptions: { sms: { text: 'Your pass' } } };

async function accountWith(quotas: Record<string, string>): Promise<Client> {
  const client = await freshAccount();
  await admin('account update', { id: client.accountId, ...quotas });
  return client;
}

async function subCustomerOf(client: Client): Promise<Client> {
  const { body } = await client.post('/api/customer', CUSTOMER);
  return clientOf(body.customer_identifier, body.apiToken);
}

const fifty = (work: (i: number) => Promise<Reply>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(i)));
const countOf = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length;

describe('the quota of passes', () => {
  test('returns 403 and names itself in each version, even for a sub-customer, and holds under 50 simultaneous requests', async () => {
    const client = await accountWith({ 'passes-max': '7' });
    const sub = await subCustomerOf(client);
    const templateId = await sub.createTemplate();
    const replies = await fifty(() => sub.post('/api/v3/pass', { data: { templateId } }));
    expect([countOf(replies, 200), countOf(replies, 403)]).toEqual([7, 43]);
    expect(replies.find(({ status }) => status === 403)!.body).toMatchObject({
      success: false,
      errors: ['quota exceeded: passes'],
    });
    const own = await client.createTemplate();
    const v1 = await client.post(`/api/pass?passtemplate=${own}&integrationStyle=true`, {});
    expect([v1.status, v1.body]).toEqual([403, { ErrorMessage: 'quota exceeded: passes' }]);
  });

  test('comes after errors in the pass itself', async () => {
    const client = await accountWith({ 'passes-max': '0' });
    const templateId = await client.createTemplate({ maxPasses: 0 });
    const reply = await client.post('/api/v3/pass', { data: { templateId } });
    expect([reply.status, reply.body.errors]).toEqual([400, [expect.stringContaining('maximum number of passes')]]);
  });

  test('is shown in the console’s form', async () => {
    const client = await accountWith({ 'passes-max': '0' });
    const templateId = await client.createTemplate();
    const editor = await visitor(client, ['read', 'passes.edit']);
    const { status, body } = await editor.post(consolePath(client, 'passes'), { template: templateId });
    expect([status, body.includes('quota exceeded: passes')]).toEqual([400, true]);
  });

  test('costs a create no round trip, and few rows', async () => {
    const client = await accountWith({ 'passes-max': '100' });
    const templateId = await client.createTemplate();
    const cost = await costOf(await client.post('/api/v3/pass', { data: { templateId } }));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    // One is another account's webhook, after this account's in the index.
    expect(cost.rowsRead).toBeLessThanOrEqual(23);
    expect(cost.rowsWritten).toBeLessThanOrEqual(17);
  });
});

describe('the quota of messages', () => {
  test('makes further ones fail with the reason quota, and creates their event', async () => {
    const client = await accountWith({ 'messages-per-day': '1' });
    await keepValues(d1, client.accountId);
    const templateId = await client.createTemplate(SENDS);
    for (const wait of [true, false]) {
      const data = { templateId, phoneRecipient: '+436641234567' };
      expect((await client.post(`/api/v3/pass?async=${!wait}`, { data })).status).toBe(200);
    }
    const rows = () =>
      d1<{ status: string; details: string | null }>(
        'select status, status_details as details from messages where account_id = ? order by id',
        [client.accountId],
      );
    await eventually(async () => (await rows()).every(({ status }) => ['sent', 'failed'].includes(status)));
    expect((await rows()).map(({ status }) => status)).toEqual(['sent', 'failed']);
    expect((await rows())[1]!.details).toBe('quota');
    const events = await d1<{ type: string; body: string }>(
      "select type, body from account_events where account_id = ? and type like 'message_%' order by id",
      [client.accountId],
    );
    expect(events.map(({ type, body }) => [type, JSON.parse(body).statusDetails])).toEqual([
      ['message_sent', null],
      ['message_failed', 'quota'],
    ]);
  });
});

describe('the quota of requests', () => {
  test('is shared by all keys and sub-customers; beyond it, requests get 429 with Retry-After', async () => {
    const client = await accountWith({ 'requests-per-minute': '7' });
    const second = await admin<{ apiKey: string }>('api-key create', { account: client.accountId, name: 'Second' });
    const callers = [client, clientOf(client.accountId, second.apiKey)];
    const replies = await fifty((i) => callers[i % 2]!.get('/api/v3/project'));
    expect([countOf(replies, 200), countOf(replies, 429)]).toEqual([7, 43]);
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.body.errors).toEqual(['quota exceeded: requests']);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    await admin('account update', { id: client.accountId, 'requests-per-minute': 'none' });
    expect((await client.get('/api/v3/project')).status).toBe(200);
  });

  test('notifies the owners once when it is used up', async () => {
    const client = await accountWith({ 'requests-per-minute': '5' });
    const { email } = await visitor(client, ['owner']);
    await fifty(() => client.get('/api/v3/project'));
    const told = async () => {
      await runScheduled();
      return d1<{ subject: string }>(
        "select subject from outbox_items where recipient = ? and subject like '%quota%' order by key",
        [email],
      );
    };
    await eventually(async () => (await told()).some(({ subject }) => subject === 'Quota used up: requests'));
    const before = await told();
    await fifty(() => client.get('/api/v3/project'));
    expect(await told()).toEqual(before);
  });

  test('of the parent account applies to its sub-customers', async () => {
    const client = await freshAccount();
    const sub = await subCustomerOf(client);
    await admin('account update', { id: client.accountId, 'requests-per-minute': '3' });
    await admin('account update', { id: sub.accountId, 'requests-per-minute': '40' });
    const replies = await fifty((i) => (i % 2 === 0 ? client : sub).get('/api/v3/project'));
    expect(countOf(replies, 200)).toBe(3);
  });
});

describe('the quota of sub-customers', () => {
  test('returns 403 and names itself', async () => {
    const client = await accountWith({ 'sub-customers-max': '7' });
    const replies = await fifty(() => client.post('/api/customer', CUSTOMER));
    expect([countOf(replies, 201), countOf(replies, 403)]).toEqual([7, 43]);
    const refused = replies.find(({ status }) => status === 403)!;
    expect(refused.body).toEqual({ ErrorMessage: 'quota exceeded: sub-customers' });
  });

  test('is 100 by default', async () => {
    const client = await freshAccount();
    const replies = [...(await fifty(() => client.post('/api/customer', CUSTOMER)))];
    replies.push(...(await fifty(() => client.post('/api/customer', CUSTOMER))));
    expect(countOf(replies, 201)).toBe(100);
    expect((await client.post('/api/customer', CUSTOMER)).status).toBe(403);
  });
});

describe('account update', () => {
  test('returns the quotas in effect, and rejects values that are not numbers', async () => {
    const client = await accountWith({ 'passes-max': '20' });
    const sub = await subCustomerOf(client);
    const set = { id: sub.accountId, 'passes-max': '30', 'active-passes-max': '5', 'messages-per-day': 'none' };
    expect(await admin('account update', set)).toEqual({
      accountId: sub.accountId,
      'passes-max': 20,
      'active-passes-max': 5,
      'messages-per-day': 1_000,
      'requests-per-minute': 3_000,
      'sub-customers-max': 100,
    });
    for (const value of ['-1', '1.5', 'many', '']) {
      const tried = admin('account update', { id: client.accountId, 'passes-max': value });
      await expect(tried).rejects.toThrow('passes-max: must be a whole number such as 5000, or none');
    }
  });

  test('is shown in the console with its usage', async () => {
    const client = await accountWith({ 'passes-max': '1234', 'active-passes-max': 'none' });
    await client.createPass(await client.createTemplate());
    const { body } = await (await visitor(client, ['read'])).get(consolePath(client, 'settings'));
    const row = (title: string) =>
      new RegExp(`${title}</th><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>`).exec(body)?.slice(1);
    expect(row('Passes')).toEqual(['1', '1,234']);
    expect(row('Active passes \\(on a device\\)')).toEqual(['Not counted', 'Unlimited']);
    expect(row('E-mails and text messages per day')).toEqual(['0', '1,000']);
    expect(row('API requests per minute, all keys')).toEqual(['Not counted', '3,000']);
    expect(row('Sub-customers')).toEqual(['0', '100']);
  });
});
