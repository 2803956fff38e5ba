import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, clientOf, freshAccount, send } from '../support/api.ts';
import { costOf, d1, eventually, runScheduled, sendJobs } from '../support/control.ts';
import { inboxFile, inboxOf } from '../support/dev-inbox.ts';
import { keepValues } from '../support/kept-values.ts';
import { headerOf, parseMail } from '../support/mime.ts';
import { unzip, verifySignature } from '../wallets/apple/tools.ts';

const CREATION = { subject: 'Welcome, {Full name}', emailTemplate: '<p>Hello {Full name}, level {Level}.</p>' };
const SENDOUTS = { passCreationNotification: CREATION, sms: { text: 'Your pass, {Full name}:' } };

let client: Client;
let templateId: string;
let number = 100_000;

beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  await keepValues(d1, client.accountId);
  templateId = await client.createTemplate({ sendoutOptions: SENDOUTS });
});

/** Returns an address and a number that nobody else uses. */
const someone = () => {
  number += 1;
  const phone = `+43664${Date.now() % 10_000}${number}`;
  return { email: `ada.${crypto.randomUUID()}@example.com`, phone };
};

interface MessageRow {
  id: string;
  channel: string;
  status: string;
  status_details: string | null;
  attempts: number;
}

const messagesOf = (passId: string) =>
  d1<MessageRow>('select id, channel, status, status_details, attempts from messages where pass_id = ? order by id', [
    passId,
  ]);

const eventsOf = async (passId: string) =>
  (
    await d1<{ type: string; body: string }>(
      `select type, body from account_events where pass_id = ? and type like 'message_%' order by id`,
      [passId],
    )
  ).map(({ type, body }) => ({ type, body: JSON.parse(body) }));

describe('a create with recipients', () => {
  test('in v1 sends e-mail and SMS before the reply', async () => {
    const { email, phone } = someone();
    const sent = { 'Full name': 'Ada', emailRecipient: email, phoneRecipient: phone };
    const pass = await client.createPass(templateId, sent);
    const [mail, ...mails] = await inboxOf(email);
    const [sms, ...more] = await inboxOf(phone);
    expect([...mails, ...more]).toEqual([]);
    expect(mail).toMatchObject({ kind: 'email', subject: 'Welcome, Ada', from: 'Test <passes@localhost>' });
    expect(mail!.text).toContain('Hello Ada, level Basic.');
    expect(mail!.text).toContain(pass.linkToPassPage);
    expect(sms).toMatchObject({ kind: 'sms', text: `Your pass, Ada: ${pass.linkToPassPage}`, segments: 1 });
    expect(await messagesOf(pass.identifier)).toMatchObject([
      { channel: 'email', status: 'sent', attempts: 1 },
      { channel: 'sms', status: 'sent', attempts: 1 },
    ]);
  });

  test('in v3 sends them before the reply with async=false, and once in the background by default', async () => {
    const [now, later] = [someone(), someone()];
    const data = { templateId, 'Full name': 'Ada' };
    await client.post('/api/v3/pass?async=false', { data: { ...data, emailRecipient: now.email } });
    expect(await inboxOf(now.email)).toHaveLength(1);
    const reply = await client.post('/api/v3/pass', {
      data: { ...data, emailRecipient: later.email, phoneRecipient: later.phone },
    });
    await eventually(async () => (await inboxOf(later.email)).length > 0 && (await inboxOf(later.phone)).length > 0);
    const rows = await messagesOf(reply.body.data.identifier);
    await sendJobs(
      rows.flatMap(({ id }) => Array.from({ length: 10 }, () => ({ type: 'send-message', messageId: id }))),
      client,
    );
    await runScheduled();
    expect(await inboxOf(later.email)).toHaveLength(1);
    expect(await inboxOf(later.phone)).toHaveLength(1);
  });

  test('creates an event for each message', async () => {
    const { email } = someone();
    const { identifier } = await client.createPass(templateId, { 'Full name': 'Ada', emailRecipient: email });
    const [row] = await messagesOf(identifier);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(await eventsOf(identifier)).toEqual([
      {
        type: 'message_sent',
        body: {
          messageId: row!.id,
          channel: 'email',
          recipient: email,
          status: 'sent',
          statusDetails: null,
          subject: 'Welcome, Ada',
          passInstanceId: identifier,
          templateId,
          createdOn: time,
          submittedOn: time,
        },
      },
    ]);
  });

  test('sends nothing when the template has no send-out, or the pass no recipient', async () => {
    const { email, phone } = someone();
    const silent = await client.createTemplate();
    const passes = [
      await client.createPass(silent, { emailRecipient: email, phoneRecipient: phone }),
      await client.createPass(templateId),
    ];
    for (const { identifier } of passes) expect(await messagesOf(identifier)).toEqual([]);
    expect([...(await inboxOf(email)), ...(await inboxOf(phone))]).toEqual([]);
  });

  test('succeeds even if stored recipients are invalid: the messages fail with a reason', async () => {
    const { email, phone } = someone();
    const pass = await client.createPass(templateId, { emailRecipient: email, phoneRecipient: phone });
    await d1(
      `update messages set recipient = iif(channel = 'email', 'ada at home', '0664 123'), status = 'queued', due_at = 0, submitted_at = null,
        id = replace(id, '-7', '-8') where pass_id = ?`,
      [pass.identifier],
    );
    await runScheduled();
    await eventually(async () => (await messagesOf(pass.identifier)).every(({ status }) => status === 'failed'));
    expect(await messagesOf(pass.identifier)).toMatchObject([
      { channel: 'email', status: 'failed', status_details: '"ada at home" is not a valid e-mail address' },
      { channel: 'sms', status: 'failed', status_details: expect.stringContaining('"0664 123" is not a phone number') },
    ]);
    const told = (await eventsOf(pass.identifier)).filter(({ type }) => type === 'message_failed');
    expect(told.map(({ body }) => body.recipient).sort()).toEqual(['0664 123', 'ada at home']);
    expect(told[0]!.body).toMatchObject({ status: 'failed', submittedOn: null });
  });

  test('that is rejected sends nothing', async () => {
    const { email } = someone();
    const full = await client.createTemplate({ sendoutOptions: SENDOUTS, maxPasses: 0 });
    const reply = await client.post(`/api/pass?passtemplate=${full}`, { emailRecipient: email });
    expect(reply.status).toBe(400);
    expect(await d1('select id from messages where recipient = ?', [email], client)).toEqual([]);
  });

  test('costs nothing more without recipients, and no round trip more with them', async () => {
    const cost = async (template: string, fields: object) =>
      costOf(await client.post('/api/v3/pass', { data: { templateId: template, ...fields } }));
    const [silent, talkative] = [
      await client.createTemplate(),
      await client.createTemplate({ sendoutOptions: SENDOUTS }),
    ];
    for (const id of [silent, talkative]) await cost(id, {});
    const plain = await cost(silent, {});
    const unaddressed = await cost(talkative, {});
    expect(unaddressed.roundTrips).toBe(plain.roundTrips);
    expect(unaddressed.rowsWritten).toBe(plain.rowsWritten);
    // May differ by one, depending on index pages.
    expect(Math.abs(unaddressed.rowsRead - plain.rowsRead)).toBeLessThanOrEqual(1);
    const { email, phone } = someone();
    const addressed = await cost(talkative, { emailRecipient: email, phoneRecipient: phone });
    expect(addressed.roundTrips).toBe(plain.roundTrips);
    // Two rows, each with the table's four indexes, and the quota's counter row, at first with its index.
    expect(addressed.rowsWritten - plain.rowsWritten).toBeLessThanOrEqual(12);
  });
});

describe('an update', () => {
  test('sends to a recipient that is new, and to nobody twice', async () => {
    const [first, second] = [someone(), someone()];
    const { identifier } = await client.createPass(templateId, { 'Full name': 'Ada' });
    const patch = (data: object) => client.patch(`/api/v3/pass/${identifier}?async=false`, { data });
    await patch({ emailRecipient: first.email });
    await patch({ emailRecipient: first.email, storedValue: 1 });
    await patch({ 'Full name': 'Grace' });
    await client.post(`/api/v3/pass/${identifier}?async=false`, { data: { emailRecipient: first.email } });
    expect(await inboxOf(first.email)).toHaveLength(1);
    await patch({ emailRecipient: second.email, 'Full name': 'Grace' });
    expect(await inboxOf(second.email)).toMatchObject([{ subject: 'Welcome, Grace' }]);
    await patch({ emailRecipient: null });
    expect(await messagesOf(identifier)).toHaveLength(2);
  });

  test('in v1 sends before the reply, and in v3 in the background by default', async () => {
    const [now, later] = [someone(), someone()];
    const { identifier } = await client.createPass(templateId);
    await client.post(`/api/pass/${identifier}?integrationStyle=true`, { phoneRecipient: now.phone });
    expect(await inboxOf(now.phone)).toHaveLength(1);
    await client.patch(`/api/v3/pass/${identifier}`, { data: { phoneRecipient: later.phone } });
    await eventually(async () => (await inboxOf(later.phone)).length === 1);
  });

  test('sends once if fifty requests set the same recipient at once', async () => {
    const { email } = someone();
    const { identifier } = await client.createPass(templateId);
    const patches = Array.from({ length: 50 }, () =>
      client.patch(`/api/v3/pass/${identifier}?async=false`, { data: { emailRecipient: email } }),
    );
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200);
    expect(await inboxOf(email)).toHaveLength(1);
    expect((await eventsOf(identifier)).map(({ type }) => type)).toEqual(['message_sent']);
  });
});

describe('bulk', () => {
  const finished = (processId: string) =>
    eventually(async () => {
      const { body } = await client.get(`/api/v3/process/${processId}`);
      return body.data.status !== 'in progress' && body.data;
    });

  test('creates and updates send one message to each recipient', async () => {
    const people = Array.from({ length: 120 }, someone);
    const passes = people.map(({ email }, i) => ({ userProvidedId: `${email}-${i}`, emailRecipient: email }));
    const created = await client.post('/api/v3/pass/bulk/create', { templateId, passes });
    expect((await finished(created.body.data.processId)).errors).toBeNull();
    const countSent = async (channel: string) => {
      const [row] = await d1<{ n: number; people: number }>(
        `select count(*) as n, count(distinct recipient) as people from messages
         where channel = ? and status = 'sent' and recipient in (select value from json_each(?))`,
        [channel, JSON.stringify(people.map(({ email, phone }) => (channel === 'sms' ? phone : email)))],
        client,
      );
      return row!;
    };
    await eventually(async () => (await countSent('email')).n >= people.length, 60_000);
    const changed = await client.patch('/api/v3/pass/bulk', {
      passes: passes.map(({ userProvidedId }, i) => ({
        identifier: userProvidedId,
        data: { phoneRecipient: people[i]!.phone, emailRecipient: people[i]!.email },
      })),
    });
    expect((await finished(changed.body.data.processId)).errors).toBeNull();
    await eventually(async () => (await countSent('sms')).n >= people.length, 60_000);
    await runScheduled();
    expect(await countSent('email')).toEqual({ n: people.length, people: people.length });
    expect(await countSent('sms')).toEqual({ n: people.length, people: people.length });
    expect(await inboxOf(people[7]!.email)).toHaveLength(1);
  }, 180_000);
});

describe('a message whose job was lost', () => {
  test('is sent by the cron, once', async () => {
    const { email } = someone();
    const { identifier } = await client.createPass(templateId, { emailRecipient: email });
    // As if the process had crashed between the commit and the queue.
    await d1(`update messages set status = 'queued', attempts = 0, due_at = 1 where pass_id = ?`, [identifier]);
    await Promise.all(Array.from({ length: 5 }, () => runScheduled()));
    await eventually(async () => (await messagesOf(identifier))[0]!.status === 'sent');
    await runScheduled();
    expect(await inboxOf(email)).toHaveLength(2);
  });

  test('is deleted with its pass', async () => {
    const { identifier } = await client.createPass(templateId, { emailRecipient: someone().email });
    await d1(`update messages set status = 'queued', due_at = 1 where pass_id = ?`, [identifier]);
    await client.delete(`/api/pass/${identifier}`);
    expect(await messagesOf(identifier)).toEqual([]);
  });
});

describe('the mail', () => {
  const mailOf = async (fields: object, template = templateId) => {
    const { email } = someone();
    const pass = await client.createPass(template, { ...fields, emailRecipient: email });
    const [mail] = await inboxOf(email);
    return { pass, email, mail: mail! };
  };

  test('is parsed without defects by another parser, and its pass is signed', async () => {
    const { pass, email, mail } = await mailOf({ 'Full name': 'Ädä 🎟️ "Quote"\r\nBcc: eve@example.com' });
    const read = await parseMail(await inboxFile(mail.source!));
    expect(read).toMatchObject({ defects: [], bareLineEnds: 0, ascii: true });
    expect(read.structure.map((line) => line.trim())).toEqual([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'application/vnd.apple.pkpass',
    ]);
    expect(headerOf(read, 'To')).toBe(email);
    expect(headerOf(read, 'Subject')).toBe('Welcome, Ädä 🎟️ "Quote" Bcc: eve@example.com');
    expect(read.headers.map(([name]) => name.toLowerCase())).not.toContain('bcc');
    const file = read.parts[2]!;
    expect(file).toMatchObject({ disposition: 'attachment', filename: 'pass.pkpass' });
    const files = unzip(new Uint8Array(Buffer.from(file.base64, 'base64')));
    verifySignature(files.get('manifest.json')!, files.get('signature')!, inject('worker').trust.rootPem);
    const json = JSON.parse(new TextDecoder().decode(files.get('pass.json')));
    expect(json.serialNumber).toBe(pass.identifier);
    const attached = await inboxFile(mail.attachments![0]!.url);
    expect(attached.toString('base64')).toBe(file.base64);
  });

  test('escapes values only in HTML, and links to both wallets', async () => {
    const { mail } = await mailOf({ 'Full name': '<img src=x onerror="alert(1)">&amp;' });
    expect(mail.html).toContain('Hello &lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;amp;, level');
    expect(mail.html).not.toContain('<img');
    expect(mail.text).toContain('Hello <img src=x onerror="alert(1)">&amp;, level');
    const links = [...mail.html!.matchAll(/<a class="button" href="([^"]+)"/g)].map(([, url]) => url!);
    expect(links).toHaveLength(2);
    const file = await send('GET', links[0] as '/');
    expect([file.status, file.headers.get('Content-Type')]).toEqual([200, 'application/vnd.apple.pkpass']);
    expect(links[1]).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\//);
  });

  test('from a plain template is plain, with paragraphs and links in its HTML', async () => {
    const emailTemplate = 'Hello {Full name} <friend>,\nsee {downloadPage}\n\nBye & thanks';
    const sendoutOptions = { passCreationNotification: { subject: 'Hi', emailTemplate } };
    const { pass, mail } = await mailOf({ 'Full name': 'A & B' }, await client.createTemplate({ sendoutOptions }));
    expect(mail.text).toContain(`Hello A & B <friend>,\nsee ${pass.linkToPassPage}\n\nBye & thanks`);
    const url = pass.linkToPassPage;
    expect(mail.html).toContain(`<p>Hello A &amp; B &lt;friend&gt;,<br>\nsee <a href="${url}">${url}</a></p>`);
  });

  test('keeps a template that is a whole document, and puts the buttons where it wants them', async () => {
    const documentOf = (inner: string) =>
      `<!DOCTYPE html><html><body><p>{Full name}</p>${inner}<i>end</i></body></html>`;
    const templateOf = (emailTemplate: string) =>
      client.createTemplate({ sendoutOptions: { passCreationNotification: { subject: 'Hi', emailTemplate } } });
    const placed = await mailOf({ 'Full name': 'Ada' }, await templateOf(documentOf('{walletButtons}')));
    expect(placed.mail.html).toMatch(
      /^<!DOCTYPE html><html><body><p>Ada<\/p><a class="button"[\s\S]*<\/a><i>end<\/i><\/body>/,
    );
    const last = await mailOf({ 'Full name': 'Ada' }, await templateOf(documentOf('')));
    expect(last.mail.html).toMatch(/<i>end<\/i><div><a class="button"[\s\S]*<\/a><\/div><\/body><\/html>$/);
    const fragment = await mailOf({ 'Full name': 'Ada' }, await templateOf('<p>x</p>{walletButtons}<p>y</p>'));
    expect(fragment.mail.html!.match(/class="button"/g)).toHaveLength(2);
    expect(fragment.mail.text).toContain('Add to Apple Wallet');
  });

  test('fills in signatures of the values, not of their HTML', async () => {
    const emailTemplate = '<p>{sign({Full name})}</p>';
    const sendoutOptions = { passCreationNotification: { subject: '{sign({Full name})}', emailTemplate } };
    const { mail } = await mailOf({ 'Full name': 'A & B' }, await client.createTemplate({ sendoutOptions }));
    expect(mail.subject).toMatch(/^30[0-9a-f]{130,}$/);
    expect(mail.html).toContain(`<p>${mail.subject}</p>`);
  });

  test('has the account’s reply-to address, if it has one', async () => {
    const account = await freshAccount();
    const command = { command: 'account update', options: { id: account.accountId, 'reply-to': 'desk@example.com' } };
    const { adminToken } = inject('worker');
    await send('POST', '/admin/commands', command, { Authorization: `Bearer ${adminToken}` });
    const template = await account.createTemplate({ sendoutOptions: SENDOUTS });
    const { email } = someone();
    await account.createPass(template, { emailRecipient: email });
    const [mail] = await inboxOf(email);
    expect(headerOf(await parseMail(await inboxFile(mail!.source!)), 'Reply-To')).toBe('desk@example.com');
  });

  test('of a pass with a PIN has only the link to its page', async () => {
    const template = await client.createTemplate({ sendoutOptions: SENDOUTS, downloadPinEnabled: true });
    const { mail, pass } = await mailOf({ downloadPin: '4711' }, template);
    expect(mail.attachments).toEqual([]);
    expect((await parseMail(await inboxFile(mail.source!))).structure).toEqual([
      'multipart/alternative',
      '  text/plain',
      '  text/html',
    ]);
    expect(mail.html).not.toMatch(/pkpass|pay\.google\.com|4711/);
    expect(mail.text).toContain('PIN');
    expect([...mail.html!.matchAll(/<a [^>]*href="([^"]+)"/g)].every(([, url]) => url === pass.linkToPassPage)).toBe(
      true,
    );
  });

  test('of a pass whose download is closed has no file, either', async () => {
    const template = await client.createTemplate({ sendoutOptions: SENDOUTS, preventDownloadWhenActive: true });
    const { identifier } = await client.createPass(template);
    await d1('update passes set number_of_active = 1 where id = ?', [identifier]);
    const { email } = someone();
    await client.patch(`/api/v3/pass/${identifier}?async=false`, { data: { emailRecipient: email } });
    const [mail] = await inboxOf(email);
    expect(mail!.attachments).toEqual([]);
    expect(mail!.html).not.toMatch(/pkpass|pay\.google\.com/);
  });

  test('offers only the wallets that the template is for', async () => {
    const templateOf = (walletApps: object) => client.createTemplate({ sendoutOptions: SENDOUTS, walletApps });
    const google = await mailOf({}, await templateOf({ apple: false }));
    expect(google.mail.attachments).toEqual([]);
    expect(google.mail.html).not.toContain('Add to Apple Wallet');
    expect(google.mail.html).toContain('Add to Google Wallet');
    const apple = await mailOf({}, await templateOf({ google: false }));
    expect(apple.mail.attachments).toHaveLength(1);
    expect(apple.mail.html).not.toContain('Add to Google Wallet');
  });

  test('is in the account’s language', async () => {
    const names = { first_name: 'Ada', last_name: 'L' };
    const customer = { company_name: 'Bühne', email: 'ada@example.com', ...names, system_language: 'de' };
    const { body } = await client.post('/api/customer', customer);
    const german = clientOf(body.customer_identifier, body.apiToken);
    const template = await german.createTemplate({ sendoutOptions: SENDOUTS });
    const { email } = someone();
    await german.createPass(template, { emailRecipient: email });
    const [mail] = await inboxOf(email);
    expect(mail!.html).toContain('Zu Apple Wallet hinzufügen');
    expect(mail!.html).toContain('<html lang="de">');
    expect(mail!.from).toBe('Bühne <passes@localhost>');
  });
});
