import { expect, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';
import { ended } from '../../support/processes.ts';

test('a person is found by a phone number in any form, and no other person is', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const forms = [
    '+491705550123',
    '0049 170 5550123',
    '+49 (170) 555-0123',
    '+49 (0) 170 555 01 2 3',
    ' +49-170-555-01-2-3 ',
    '+49.170.555.01.23',
    '+49 170 555 01 2\u20113',
  ];
  for (const phoneRecipient of [...forms, '+491705550124', '+491705550023', '+4917055501233']) {
    await client.createPass(templateId, { phoneRecipient });
  }
  const count = async (phoneRecipient: string) => {
    const reply = await client.post('/api/v3/person/erase', { match: { phoneRecipient }, dryRun: true });
    return (await ended(client, reply)).result?.passes;
  };
  for (const form of forms) expect(await count(form), form).toBe(forms.length);
  expect(await count('+49 170 555 00 23')).toBe(1);

  await ended(client, await client.post('/api/v3/person/erase', { match: { phoneRecipient: forms[0] } }));
  const left = await client.post('/api/v3/passinstance/search', { query: { templateId } });
  expect(left.body.data.map(({ phoneRecipient }: { phoneRecipient: string }) => phoneRecipient).sort()).toEqual([
    '+491705550023',
    '+4917055501233',
    '+491705550124',
  ]);
});

test('a person is found by an email address, whatever spaces are around it', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const address = `ada.${crypto.randomUUID()}@example.com`;
  const forms = [address, ` ${address.toUpperCase()} `, `\t${address}`];
  for (const emailRecipient of [...forms, `x${address}`, `${address}.org`]) {
    await client.createPass(templateId, { emailRecipient });
  }
  for (const emailRecipient of forms) {
    const reply = await client.post('/api/v3/person/export', { match: { emailRecipient } });
    expect(await ended(client, reply), emailRecipient).toMatchObject({ result: { passes: forms.length } });
  }
});

test('a person is found by a userProvidedId or a property with spaces around it, as it was sent', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate({ additionalProperties: [{ name: 'Name', type: 'text' }] });
  const described = await client.get(`/api/v2/pass-template/${templateId}/describe`);
  const { id } = described.body.data.additionalProperties[0];
  await client.createPass(templateId, { userProvidedId: ' 4711 ', Name: 'Ada ' });
  for (const match of [{ userProvidedId: ' 4711 ' }, { property: { id, value: 'Ada ' } }]) {
    const reply = await client.post('/api/v3/person/erase', { match, dryRun: true });
    expect(await ended(client, reply), JSON.stringify(match)).toMatchObject({ result: { passes: 1 } });
  }
  const blank = await client.post('/api/v3/person/erase', { match: { userProvidedId: ' ' }, dryRun: true });
  expect([blank.status, blank.body.errors]).toEqual([400, ['match.userProvidedId: must not be empty']]);
});

test('a dry run of an export counts the data, without an archive or an entry in the audit log', async () => {
  const client = await freshAccount();
  await client.createPass(await client.createTemplate(), { userProvidedId: 'ada' });
  const match = { userProvidedId: 'ada' };
  const reply = await client.post('/api/v3/person/export', { match, dryRun: true });
  expect(reply.body).toMatchObject({ statusCode: 202, description: 'The data is being counted' });
  const process = await ended(client, reply);
  expect(process.result).toMatchObject({ passes: 1 });
  expect(process.result).not.toHaveProperty('url');
  expect((await client.get('/api/v3/audit-log?action=person.export')).body.data).toEqual([]);
  const invalid = await client.post('/api/v3/person/export', { match, dryRun: 'yes' });
  expect([invalid.status, invalid.body.errors]).toEqual([400, ['dryRun: must be true or false']]);
});
