import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RATES } from '../../src/domain/rate-limits.ts';
import { send } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { type DeployedWorker, startDeployedWorker, TWILIO } from '../support/deployed-worker.ts';
import { headerOf, parseMail } from '../support/mime.ts';
import { type From, hit, statusesOf, stranger } from '../support/rate-limits.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * The Worker without ADMIN_TOKEN, like a deployment: there is no dev inbox; mails go through the binding and SMS
 * through the provider.
 */

let worker: DeployedWorker;
let templateId: string;
beforeAll(async () => {
  worker = await startDeployedWorker();
  const sendoutOptions = {
    passCreationNotification: { subject: 'Grüße, {Full name}', emailTemplate: '<p>Hello {Full name}</p>' },
    sms: { text: 'Hello {Full name}' },
  };
  const reply = await worker.client.post(at('/api/v2/pass-template'), sampleTemplate({ sendoutOptions }));
  templateId = reply.body.data.identifier;
}, 180_000);
afterAll(() => worker?.close());

const at = (path: string) => `${worker.origin}${path}` as `http://${string}`;

async function create(fields: object): Promise<{ identifier: string; linkToPassPage: string }> {
  const reply = await worker.client.post(at(`/api/pass?passtemplate=${templateId}`), { 'Full name': 'Ada', ...fields });
  expect(reply.status).toBe(201);
  return reply.body;
}

describe('a deployment', () => {
  test.each([
    '/dev/inbox',
    '/dev/inbox/1',
    '/dev/outbox',
    '/dev/outbox/1',
    '/dev/inbox/1/mail',
    '/dev/inbox/1/files/0/x',
    '/dev/clock',
    '/dev/demo/passes',
    '/admin/commands',
  ])('has no %s', async (path) => {
    const [page, json] = await Promise.all(
      ['text/html', '*/*'].map((Accept) => send('GET', at(path), undefined, { Accept })),
    );
    expect([page!.status, page!.body]).toEqual([404, expect.stringContaining('Page not found')]);
    expect([json!.status, json!.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    expect((await send('DELETE', at(path))).status).toBe(404);
    expect((await send('POST', at(path), '', { Origin: worker.origin })).status).toBe(404);
  });

  test('has a front page without the demo, which runs no script', async () => {
    const { status, headers, body } = await send('GET', at('/'));
    expect(status).toBe(200);
    expect(body).toContain('href="/console/sign-in"');
    expect(body).not.toMatch(/id="demo"|<script|\/dev\//);
    expect(headers.get('Content-Security-Policy')).not.toContain('script-src');
  });

  test('sends mail through the send_email binding, from its own address with the account’s name', async () => {
    await create({ emailRecipient: 'ada@example.com' });
    const mail = await parseMail((await eventually(() => worker.mails().length > 0 && worker.mails()))[0]!);
    expect(mail.defects).toEqual([]);
    expect(headerOf(mail, 'From')).toBe('Aurora Rail <passes@example.org>');
    expect(headerOf(mail, 'To')).toBe('ada@example.com');
    expect(headerOf(mail, 'Subject')).toBe('Grüße, Ada');
    // The platform adds its own.
    expect(headerOf(mail, 'Message-ID')).toMatch(/^<\S+@example\.org>$/);
    expect(mail.parts.map(({ type }) => type)).toContain('application/vnd.apple.pkpass');
  });

  test('sends SMS through the provider, with a callback URL', async () => {
    const pass = await create({ phoneRecipient: '0043 664 1234567' });
    expect(worker.sms).toHaveLength(1);
    const { path, form } = worker.sms[0]!;
    expect(path).toBe(`/2010-04-01/Accounts/${TWILIO.TWILIO_ACCOUNT_SID}/Messages.json`);
    expect(form.get('To')).toBe('+436641234567');
    expect(form.get('Body')).toBe(`Hello Ada ${pass.linkToPassPage}`);
    expect(form.get('StatusCallback')).toMatch(new RegExp(`^${worker.origin}/messages/[0-9a-f-]{36}/status$`));
  });
});

describe('a status from the provider', () => {
  const callback = (url: string, form: URLSearchParams, token: string = TWILIO.TWILIO_AUTH_TOKEN) => {
    const signed =
      url +
      [...form]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => name + value)
        .join('');
    return send('POST', url as 'http://x', form.toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': createHmac('sha1', token).update(signed).digest('base64'),
    });
  };
  const says = (status: string) =>
    new URLSearchParams({ MessageStatus: status, MessageSid: 'SM1', To: '+436641234567' });
  const address = () => worker.sms[0]!.form.get('StatusCallback')!;

  test('is accepted, even twice and out of order', async () => {
    for (const status of ['delivered', 'sent', 'delivered', 'something new']) {
      expect((await callback(address(), says(status))).status).toBe(204);
    }
  });

  test('without the provider’s signature is rejected', async () => {
    expect((await callback(address(), says('failed'), 'guessed')).status).toBe(403);
    expect((await send('POST', address() as 'http://x', says('failed').toString())).status).toBe(403);
  });

  test('without the provider’s signature counts for the sender’s address', async () => {
    const form = says('failed').toString();
    const forge = (from: From) => send('POST', address() as 'http://x', form, from);
    const from = stranger();
    const { admitted } = await hit(RATES.ATTEMPT_RATE_LIMITER, () => forge(from));
    expect(statusesOf(admitted)).toEqual([403]);
    expect((await forge(stranger())).status).toBe(403);
    expect((await callback(address(), says('delivered'))).status).toBe(204);
  });

  test('of an unknown message is not found', async () => {
    for (const id of ['0198f000-0000-7000-8000-000000000000', 'x']) {
      expect((await callback(at(`/messages/${id}/status`), says('sent'))).status).toBe(404);
    }
  });

  test('may not be large', async () => {
    const huge = await callback(address(), new URLSearchParams({ MessageStatus: 'sent', Body: 'x'.repeat(70_000) }));
    expect(huge.status).toBe(413);
  });
});

test('an unreachable provider fails no create, and is retried later', async () => {
  worker.answer(503, {});
  const before = worker.sms.length;
  await create({ phoneRecipient: '+43 664 7654321' });
  expect(worker.sms).toHaveLength(before + 1);
  await worker.cron();
  expect(worker.sms, 'before its time').toHaveLength(before + 1);
});
