import { expect, inject, test } from 'vitest';
import { readZip } from '../../../scripts/read-zip.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { fetchWorker } from '../../support/fetch-worker.ts';
import { ended } from '../../support/processes.ts';
import { columnsHolding } from '../../support/remains.ts';

/* Messages to a person about passes of others. */

const MAIL = { subject: 'Your pass', emailTemplate: 'Hello' };

const remains = (text: string) => columnsHolding([text], (table) => !/^(outbox_items|pass_terms|metric_)/.test(table));
const ask = async (client: Client, what: 'erase' | 'export', body: object) =>
  ended(client, await client.post(`/api/v3/person/${what}`, body));
const recipientsAbout = async (passId: string) => {
  const rows = await d1<{ recipient: string }>('select recipient from messages where pass_id = ?', [passId]);
  return rows.map(({ recipient }) => recipient).sort();
};

/** Creates an account in which a pass of Bob was sent to Ada, too. */
async function passOfBob() {
  const client = await freshAccount();
  await client.post('/api/hook/subscribe', { event: 'message_sent', pullMode: true });
  const templateId = await client.createTemplate({
    sendoutOptions: { passCreationNotification: MAIL, adHoc: MAIL },
  });
  const name = `ada-${crypto.randomUUID()}`;
  const [ada, bob] = [`${name}@example.com`, `bob-${crypto.randomUUID()}@example.com`];
  const { identifier: id } = await client.createPass(templateId, { emailRecipient: bob });
  const sent = await client.post(`/api/pass/deliver/${id}/email/${encodeURIComponent(` ${ada.toUpperCase()}`)}`);
  expect(sent.status).toBe(200);
  await eventually(async () => (await remains(name)).includes('account_events.body'));
  return { client, templateId, id, name, ada, bob };
}

test.each([true, false])('are erased with the person (who has a pass: %s)', async (hasPass) => {
  const { client, templateId, id, name, ada, bob } = await passOfBob();
  if (hasPass) await client.createPass(templateId, { emailRecipient: ada });
  const match = { emailRecipient: ada };
  const counted = await ask(client, 'erase', { match, dryRun: true });
  expect(counted).toMatchObject({ status: 'finished', result: { messages: hasPass ? 2 : 1, passes: hasPass ? 1 : 0 } });
  expect(await recipientsAbout(id)).toHaveLength(2);
  expect(await ask(client, 'erase', { match })).toMatchObject({ result: { messages: hasPass ? 2 : 1 } });
  expect(await remains(name)).toEqual([]);
  expect(await recipientsAbout(id)).toEqual([bob]);
  const events = await d1<{ recipient: string }>(
    "select body ->> '$.recipient' as recipient from account_events where pass = unhex(replace(?, '-', '')) and type = 'message_sent'",
    [id],
  );
  expect(events.map(({ recipient }) => recipient).sort()).toEqual(['', bob]);
});

test('are erased with a person who is known by another value', async () => {
  const { client, templateId, id, name, ada, bob } = await passOfBob();
  const phoneRecipient = '+43 664 1234567';
  await client.createPass(templateId, { userProvidedId: 'ada', emailRecipient: ada, phoneRecipient });
  expect(await ask(client, 'erase', { match: { userProvidedId: 'ada' } })).toMatchObject({ errors: null });
  expect(await remains(name)).toEqual([]);
  expect(await recipientsAbout(id)).toEqual([bob]);
});

test('stay if they are to somebody else', async () => {
  const { client, id, ada } = await passOfBob();
  await ask(client, 'erase', { match: { emailRecipient: `x${ada}` } });
  const stranger = await freshAccount();
  await ask(stranger, 'erase', { match: { emailRecipient: ada } });
  expect(await recipientsAbout(id)).toHaveLength(2);
});

test.each([true, false])('are in an export (of a person with a pass: %s)', async (hasPass) => {
  const { client, templateId, id, ada } = await passOfBob();
  if (hasPass) await client.createPass(templateId, { emailRecipient: ada });
  const { result } = await ask(client, 'export', { match: { emailRecipient: ada } });
  expect(result).toMatchObject({ messages: hasPass ? 2 : 1 });
  const { pathname } = new URL(String(result!.url));
  const reply = await fetchWorker(new URL(pathname, inject('worker').origin), { method: 'GET', headers: {} });
  expect(reply.status).toBe(200);
  const files = readZip(Buffer.from(await reply.arrayBuffer()));
  const sent = JSON.parse(files.get('messages.json')!.toString()) as { passId: string; recipient: string }[];
  expect(sent.filter(({ passId }) => passId === id)).toMatchObject([{ subject: 'Your pass' }]);
  expect(sent).toHaveLength(hasPass ? 2 : 1);
});

test('to a number are found in any form, and after the pass got another recipient', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate({ sendoutOptions: { sms: { text: 'Your pass' } } });
  const { identifier: id } = await client.createPass(templateId, {
    phoneRecipient: '0043 (0) 664\u00a0123\u201145\u00a06\u20137',
  });
  await client.patch(`/api/v3/pass/${id}`, { data: { phoneRecipient: '+436641234568' } });
  expect(await recipientsAbout(id)).toHaveLength(2);
  const match = { phoneRecipient: '+43 664 1234567' };
  expect(await ask(client, 'erase', { match })).toMatchObject({ result: { messages: 1, passes: 0 } });
  expect(await recipientsAbout(id)).toEqual(['+436641234568']);
});
