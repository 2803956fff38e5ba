import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { VIEW_ENTRY } from '../../support/audit.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { failedMail } from '../../support/failed-messages.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let editor: Visitor;
let template: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  editor = await visitor(account, ['passes.edit', 'personal_data']);
  template = await account.createTemplate({
    sendoutOptions: { passCreationNotification: { subject: 'Your <ticket>', emailTemplate: 'Hello' } },
  } as never);
});

const base = () => consolePath(account, 'messages');

/** Returns the message to a recipient once it has a status. */
function messageTo(recipient: string, status: string) {
  return eventually(async () => {
    const [row] = await d1<{ id: string; status: string }>(
      'select id, status from messages where account_id = ? and recipient = ?',
      [account.accountId, recipient],
    );
    return row?.status === status && row.id;
  });
}

describe('messages', () => {
  test('are listed with their outcome, and link to their pass', async () => {
    const { identifier } = await account.createPass(template, { emailRecipient: 'ada@example.com' });
    const id = await messageTo('ada@example.com', 'sent');
    expect((await editor.get(base())).body).toMatch(/>ada@example\.com<.*>Sent<.*>E-mail<.*>New recipient</s);
    const { body } = await editor.get(`${base()}/${id}`);
    expect(body).toContain('Your &lt;ticket&gt;');
    expect(body).toContain(`href="${consolePath(account, 'passes', identifier)}"`);
    expect(body).toMatch(/Requested.*Sent to provider/s);
    expect(body).not.toContain('Resend message');
  });

  test('are resent once if they failed, however often requested', async () => {
    const id = await failedMail(account, template, 'no address');
    const { body } = await editor.get(`${base()}/${id}`);
    expect(body).toContain('is not a valid e-mail address');
    await d1(`update messages set recipient = 'bea@again.example.com' where id = ?`, [id]);
    const asked = await Promise.all(Array.from({ length: 20 }, () => editor.post(`${base()}/${id}/again`)));
    expect(asked.map(({ status }) => status).sort()).toEqual([303, ...Array(19).fill(400)].sort());
    await messageTo('bea@again.example.com', 'sent');
    const mails = await d1('select recipient from outbox_items where recipient = ?', ['bea@again.example.com']);
    expect(mails).toHaveLength(1);
    expect((await editor.post(`${base()}/${id}/again`)).body).toContain('Only failed messages can be sent again');
  });

  test('are filtered and paged at a constant cost, even if few match', async () => {
    const own = await freshAccount();
    const reader = await visitor(own, ['read', 'personal_data']);
    const path = consolePath(own, 'messages');
    expect((await reader.get(path)).body).toContain('No messages yet');
    await d1(
      `insert into messages (id, account_id, pass_id, template_id, channel, kind, recipient, status, attempts, created_at)
       with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 3000)
       select substr(?1, 1, 24) || printf('%012d', value), ?1, 'x', 'y', iif(value % 1500 = 7, 'sms', 'email'), 'creation',
         'to ' || cast(value as integer), iif(value % 50 = 0, 'failed', 'sent'), 1, 1 from numbers`,
      [own.accountId],
    );
    for (const [query, rows] of [
      ['', 3_000],
      ['?state=failed', 60],
      ['?channel=sms', 2],
      ['?channel=sms&kind=adhoc', 0],
    ] as const) {
      const seen = new Set<string>();
      let next: string | undefined = path + query;
      let pages = 0;
      while (next && pages++ < 70) {
        const reply: Awaited<ReturnType<typeof reader.get>> = await reader.get(next);
        for (const [, to] of String(reply.body).matchAll(/>to (\d+)</g)) seen.add(to!);
        if (pages === 1) {
          const cost = await costOf(reply);
          expect(cost.roundTrips).toBeLessThanOrEqual(2 + VIEW_ENTRY + reader.apart);
          expect(cost.rowsRead, query).toBeLessThan(5_000);
        }
        next = /href="([^"]*before=[^"]+)"/.exec(reply.body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen.size, query).toBe(rows);
    }
  });

  test('are shown to members, resent by editors of passes, and not found by other accounts', async () => {
    const id = await failedMail(account, template, 'still none');
    const reader = await visitor(account, ['read', 'scan', 'personal_data']);
    expect((await reader.get(`${base()}/${id}`)).body).not.toContain('Resend message');
    expect((await reader.post(`${base()}/${id}/again`)).status).toBe(403);
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    for (const path of [base(), consolePath(stranger, 'messages')] as const) {
      expect((await other.get(`${path}/${id}`)).status).toBe(404);
      expect((await other.post(`${path}/${id}/again`)).status).toBe(404);
    }
    expect((await editor.get(`${base()}/${id}`)).body).toContain('>Failed<');
  });
});
