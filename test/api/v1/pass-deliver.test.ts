import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { inboxOf } from '../../support/dev-inbox.ts';
import { keepValues } from '../../support/kept-values.ts';

const adHoc = { subject: 'Once more: {Full name}', emailTemplate: 'Your pass again, {Full name}.' };

let client: Client;
let templateId: string;
let identifier: string;
beforeAll(async () => {
  client = await freshAccount();
  await keepValues(d1, client.accountId);
  templateId = await client.createTemplate({ sendoutOptions: { adHoc } });
  identifier = (await client.createPass(templateId, { 'Full name': 'Ada', userProvidedId: 'ada/1' })).identifier;
});

const deliver = (name: string, address: string, as = client) =>
  as.post(`/api/pass/deliver/${encodeURIComponent(name)}/email/${encodeURIComponent(address)}`);

describe('deliver', () => {
  test('sends the ad hoc mail to the address in the path, each time', async () => {
    const address = `ada+${crypto.randomUUID()}@example.com`;
    const first = await deliver(identifier, address);
    const again = await deliver('ada/1', address);
    expect([first.status, again.status]).toEqual([200, 200]);
    const mails = await inboxOf(address);
    expect(mails).toHaveLength(2);
    expect(mails[0]).toMatchObject({ subject: 'Once more: Ada', to: address });
    expect(mails[0]!.text).toContain('Your pass again, Ada.');
    expect(mails[0]!.attachments).toMatchObject([{ filename: 'pass.pkpass' }]);
    const [event] = await d1<{ body: string }>(
      `select body from account_events where type = 'message_sent' and body ->> '$.messageId' = ?`,
      [first.body.messageId],
    );
    expect(JSON.parse(event!.body)).toMatchObject({ recipient: address, status: 'sent', passInstanceId: identifier });
  });

  test('repeats nothing with the same idempotency key', async () => {
    const address = `ada+${crypto.randomUUID()}@example.com`;
    const ask = () =>
      client.post(`/api/pass/deliver/${identifier}/email/${encodeURIComponent(address)}`, undefined, {
        'Idempotency-Key': 'once',
      });
    const [first, again] = [await ask(), await ask()];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(await inboxOf(address)).toHaveLength(1);
  });

  test.each([
    'nobody',
    'ada@',
    'a b@example.com',
    'ada@example.com,eve@example.com',
    'ada@example.com\nBcc: x@y.example',
  ])('rejects the address %j and names it', async (address) => {
    const { status, body } = await deliver(identifier, address);
    expect([status, body]).toEqual([
      400,
      { ErrorMessage: 'recipientMail: must be an e-mail address such as ada@example.com' },
    ]);
  });

  test('rejects a pass whose template has no ad hoc e-mail template', async () => {
    const creationOnly = await client.createTemplate({ sendoutOptions: { passCreationNotification: adHoc } });
    const other = await client.createPass(creationOnly);
    const { status, body } = await deliver(other.identifier, 'ada@example.com');
    expect([status, body]).toEqual([400, { ErrorMessage: 'The pass template has no ad hoc e-mail template' }]);
  });

  test('finds neither an unknown pass nor one of another account', async () => {
    const stranger = await freshAccount();
    const replies = [
      await deliver('nobody', 'ada@example.com'),
      await deliver(identifier, 'ada@example.com', stranger),
    ];
    for (const { status, body } of replies) expect([status, body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
  });
});
