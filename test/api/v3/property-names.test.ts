import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

test('a property with the name of a member is keyed by its ID, so a read by name can be sent back', async () => {
  const templateId = await client.createTemplate({
    additionalProperties: [{ name: 'voided' }, { name: 'createdOn' }, { name: 'constructor' }, { name: 'Seat' }],
  });
  const { fieldMapping: ids } = (
    await client.get(`/api/pass/${(await client.createPass(templateId)).identifier}?includeFieldMapping=true`)
  ).body;
  const sent = { [ids.voided]: 'by mistake', [ids.createdOn]: 'a Monday', constructor: 'Ada', Seat: '12' };
  const { identifier } = await client.createPass(templateId, sent);

  const path = `/api/v3/pass/${identifier}` as const;
  const byName = (await client.get(`${path}?formatKeyAdditionalProperties=name`)).body.data;
  expect(byName).toMatchObject({ ...sent, voided: false, createdOn: expect.stringMatching(/^\d{4}-/) });
  const listed = await client.post('/api/v3/passinstance/search', {
    query: { templateId, groups: [[{ field: 'identifier', operator: 'equals', value: identifier }]] },
    formatKeyAdditionalProperties: 'name',
    fields: ['voided', ids.createdOn, 'Seat'],
  });
  expect(listed.body.data).toEqual([
    { voided: false, [ids.voided]: 'by mistake', [ids.createdOn]: 'a Monday', Seat: '12' },
  ]);

  const before = (await client.get(path)).body.data;
  expect((await client.post(`${path}?async=false`, { data: byName })).status).toBe(200);
  const { walletSaveUri: _, ...after } = (await client.get(path)).body.data;
  expect(before).toMatchObject(after);
});
