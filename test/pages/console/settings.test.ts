import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT_LANGUAGES } from '../../../src/domain/accounts/create-account.ts';
import { messageWords } from '../../../src/wallets/messages/words.ts';
import { admin, type Client, freshAccount } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { costOf, d1 } from '../../support/control.ts';
import { FURTHER_DATABASES } from '../../support/database-of.ts';
import { inboxOf } from '../../support/dev-inbox.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let owner: Visitor;
beforeAll(async () => {
  account = await freshAccount();
  owner = await visitor(account, ['owner']);
});

const base = (...parts: string[]) => consolePath(account, 'settings', ...parts);

const SETTINGS = {
  ...{ name: 'Aurora <Rail>', timezone: 'Asia/Tokyo', language: 'de' },
  ...{ logoUrl: 'https://img.example.com/logo.png', iconUrl: '', replyTo: 'desk@example.com' },
};

describe('the settings of an account', () => {
  test('are saved, and take effect with the next request', async () => {
    const template = await account.createTemplate();
    await account.createPass(template, { userProvidedId: 'one' });
    const saved = await owner.post(base(), SETTINGS);
    expect([saved.status, saved.headers.get('Location')]).toEqual([303, `${base()}?saved`]);
    const { body } = await owner.get(base());
    for (const text of ['Aurora &lt;Rail&gt;', 'Asia/Tokyo', 'logo.png', 'desk@example.com'])
      expect(body).toContain(text);
    const [row] = await d1('select * from accounts where id = ?', [account.accountId]);
    expect(row).toMatchObject({ name: SETTINGS.name, language: 'de', icon_url: null, user_provided_links: 0 });
    expect((await account.get(`/p/${account.accountId}/one`)).status).toBe(404);
    await owner.post(base(), { ...SETTINGS, userProvidedLinks: 'true' });
    expect((await account.get(`/p/${account.accountId}/one`)).status).toBe(200);
  });

  test('are saved unchanged without an entry about retention', async () => {
    const company = await freshAccount();
    const boss = await visitor(company, ['owner']);
    const path = consolePath(company, 'settings');
    expect((await boss.post(path, { ...SETTINGS, 'retention.scansDays': '' })).status).toBe(303);
    const changed = async () =>
      (await auditEntries(company.accountId)).map(({ changes }) => JSON.stringify(changes)).at(-1);
    expect(await changed()).toContain('Aurora');
    expect(await changed()).not.toContain('retention');
    await boss.post(path, { ...SETTINGS, 'retention.scansDays': '30' });
    expect(await changed()).toContain('retention');
    await boss.post(path, SETTINGS);
    expect(await changed()).toContain('retention');
  });

  test.each(ACCOUNT_LANGUAGES)('take the language %s, which e-mails to holders then have', async (language) => {
    const company = await freshAccount();
    const boss = await visitor(company, ['owner']);
    expect((await boss.post(consolePath(company, 'settings'), { ...SETTINGS, language })).status).toBe(303);
    const passCreationNotification = { subject: 'Your pass', emailTemplate: 'Hello' };
    const template = await company.createTemplate({ sendoutOptions: { passCreationNotification } });
    const email = `${crypto.randomUUID()}@example.com`;
    await company.createPass(template, { emailRecipient: email });
    const [mail] = await inboxOf(email);
    expect(mail!.html).toContain(`<html lang="${language}">`);
    expect(mail!.html).toContain(messageWords(language).attached);
  });

  test.each([
    [{ name: ' ' }, 'Name: must not be empty'],
    [{ timezone: 'Mars/Base' }, 'Time zone: must be an IANA time zone'],
    [{ language: 'xx' }, 'Language: '],
    [{ logoUrl: 'http://10.0.0.1/logo.png' }, 'Logo URL: '],
    [{ iconUrl: 'javascript:alert(1)' }, 'Icon URL: must be a URL such as https://example.com/logo.png'],
    [{ replyTo: 'nobody' }, 'Reply-to address: must be an e-mail address'],
  ])('reject %o, keep the input and save nothing', async (fields, message) => {
    const before = await d1('select * from accounts where id = ?', [account.accountId]);
    const reply = await owner.post(base(), { ...SETTINGS, name: 'Other', ...fields });
    expect([reply.status, reply.body.includes(message)], reply.body).toEqual([400, true]);
    if (!('language' in fields)) expect(reply.body).toContain(`value="${Object.values(fields)[0]}"`);
    expect(await d1('select * from accounts where id = ?', [account.accountId])).toEqual(before);
  });

  test('show how many passes may be on devices, without a way to change it', async () => {
    await admin('account update', { id: account.accountId, 'active-passes-max': '1234' });
    expect((await owner.get(base())).body).toContain('>1,234<');
    await owner.post(base(), { ...SETTINGS, 'active-passes-max': '9' });
    expect((await owner.get(base())).body).toContain('>1,234<');
  });
});

describe('the signing key', () => {
  test('is shown with earlier ones, and rotated after a warning', async () => {
    const keyOf = (body: string) => /-----BEGIN PUBLIC KEY-----[^<]+/.exec(body)![0].trim();
    const before = keyOf((await owner.get(base('signing-key'))).body);
    expect((await owner.get(base('signing-key', 'rotate'))).body).toContain('You can’t undo this');
    await owner.post(base('signing-key', 'rotate'));
    const { body } = await owner.get(base('signing-key'));
    expect(keyOf(body)).not.toBe(before);
    expect(body).toContain(before);
    expect(body).toMatch(/>Active<.*>Verifies only</s);
    expect((await account.get('/api/hook/publickey')).body.publicKey.trim()).toBe(keyOf(body));
  });
});

describe('sub-customers', () => {
  test('are listed in pages, at a constant cost', async () => {
    await d1(
      `insert into accounts (id, name, parent_account_id, created_at) with recursive numbers(value) as
         (select 1 union all select value + 1 from numbers where value < 51)
       select substr(?1, 1, 24) || printf('%012d', value), 'Branch ' || value, ?1, 1 from numbers`,
      [account.accountId],
    );
    const first = await owner.get(base('sub-customers'));
    expect(first.body).toContain('>Branch 51<');
    const cost = await costOf(first);
    // Once other tests have moved an account, sub-customers may live in any database.
    const moved = await d1('select 1 from shard_places limit 1');
    const elsewhere = moved.length > 0 ? FURTHER_DATABASES.length : 0;
    expect(cost.roundTrips).toBeLessThanOrEqual(3 + owner.apart + elsewhere);
    expect(cost.rowsRead).toBeLessThan(130);
    const second = await owner.get(/href="([^"]*\?before=[^"]+)"/.exec(first.body)![1]!);
    expect(second.body).toContain('>Branch 1<');
    expect(String(second.body).match(/<tr><th scope="row">/g)).toHaveLength(1);
  });
});

describe('settings', () => {
  test('are shown to members, changed only by owners, and not found by other accounts', async () => {
    const reader = await visitor(account, ['read', 'templates.edit', 'passes.edit', 'api_keys.manage']);
    for (const part of [[], ['signing-key'], ['sub-customers']]) {
      const { status, body } = await reader.get(base(...part));
      expect([status, /<form|\/rotate/.test(body)]).toEqual([200, false]);
    }
    const changes = [base(), base('signing-key', 'rotate')];
    for (const path of changes) expect((await reader.post(path, SETTINGS)).status).toBe(403);
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    for (const path of changes) expect((await other.post(path, SETTINGS)).status).toBe(404);
  });
});
