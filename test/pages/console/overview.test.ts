import { describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

const DAY_MS = 24 * 3_600_000;

async function owned(): Promise<{ account: Client; owner: Visitor; open: () => Promise<string> }> {
  const account = await freshAccount();
  const owner = await visitor(account, ['owner']);
  return { account, owner, open: () => openLight(owner, consolePath(account)) };
}

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the overview', () => {
  test('leads an empty account to its first pass by a command that works', async () => {
    const { account, open } = await owned();
    expect(textOf(await open())).toMatch(
      /Design a template A template defines.*Create an API key Done.*&lt;template identifier/,
    );
    const templateId = await account.createTemplate();
    const html = await open();
    expect(textOf(html)).toContain('Design a template Done');
    const [, sent] = /-d &#39;(.+?)&#39;/.exec(html) ?? [];
    const reply = await account.post('/api/v3/pass?async=false', JSON.parse(sent!.replaceAll('&quot;', '"')));
    expect([reply.status, reply.body.data.templateId ?? templateId]).toEqual([200, templateId]);
    expect(await open()).not.toContain('Your first pass');
  });

  test('shows passes, installs and scans', async () => {
    const { account, open } = await owned();
    const { barcodeValue } = await account.createPass(await account.createTemplate({ name: 'Day' }));
    await scan(account, await createConfiguration(account), barcodeValue, { deviceName: 'Gate 1' });
    const hour = Date.now() - (Date.now() % 3_600_000);
    for (const [metric, count] of [
      ['pushnotification_registered', 1200],
      ['app_scan_created.0', 3],
      ['app_scan_created.other', 4],
    ]) {
      await d1('insert into hourly_counts (account_id, metric, hour_at, count) values (?, ?, ?, ?)', [
        account.accountId,
        metric,
        hour,
        count,
      ]);
    }
    await d1("insert into active_pass_counts (account_id, template_id, active) values (?1, 'one', 0), (?1, 'two', 1)", [
      account.accountId,
    ]);
    const html = await open();
    expect(textOf(html)).toMatch(
      /Passes 1 On a device 1 100% of all Installs, 7 days 1,200 .*Scans, 7 days 7 .*Latest scans.*Accepted, voided .*Gate 1.* Day/,
    );
    expect(html).not.toContain('Needs attention');
  });

  test('names what needs attention', async () => {
    const { account, open } = await owned();
    const { accountId } = account;
    await account.createTemplate();
    const certificate = (id: string, type: string, validTo: number) =>
      d1(
        `insert into certificates (id, account_id, pass_type_id, team_id, certificate_pem, intermediate_pem, private_key_sealed, development, valid_from, valid_to, created_at)
         values (?, ?, ?, 'T', '', '', 'v2.2.', 0, 0, ?, 0)`,
        [`${accountId}-${id}`, accountId, type, validTo],
      );
    await certificate('1', 'pass.example.soon', Date.now() + 29 * DAY_MS);
    await certificate('2', 'pass.example.over', Date.now() - DAY_MS);
    await certificate('3', 'pass.example.renewed', Date.now() + DAY_MS);
    await certificate('4', 'pass.example.renewed', Date.now() + 300 * DAY_MS);
    await certificate('5', 'pass.example.good', Date.now() + 31 * DAY_MS);
    for (const [event, status] of [
      ['pass_created', 'paused'],
      ['pass_updated', 'active'],
    ]) {
      await account.post('/api/hook/subscribe', { event, target_url: `https://${status}.example/hook` });
      await d1('update webhook_subscriptions set status = ? where account_id = ? and event = ?', [
        status,
        accountId,
        event,
      ]);
    }
    await d1(
      "insert into processes (id, account_id, kind, total, current, failed, created_at, mirrored_at) values (?, ?, 'update', 5000, 1234, 0, 1, ?)",
      [`${accountId}-p`, accountId, Date.now() + DAY_MS],
    );
    await d1("insert into hourly_counts (account_id, metric, hour_at, count) values (?, 'message_failed', ?, 2)", [
      accountId,
      Date.now() - (Date.now() % 3_600_000),
    ]);
    const html = textOf(await open());
    expect(html).toMatch(/Needs attention Expired The certificate of pass.example.over .*Expires .*pass.example.soon/);
    expect(html).toContain('Webhook: paused pass_created to paused.example');
    expect(html).toContain('2 messages failed in the last 7 days');
    expect(html).toContain('1,234 of 5,000 passes processed');
    expect(html).not.toMatch(/pass.example.(renewed|good)|active.example/);
    await d1('delete from processes where account_id = ?', [accountId]);
  });

  test('shows nothing of another account', async () => {
    const { account } = await owned();
    const { owner, open } = await owned();
    await account.createPass(await account.createTemplate({ name: 'Theirs' }));
    expect(await open()).not.toContain('Theirs');
    expect((await owner.get(consolePath(account))).status).toBe(404);
  });
});
