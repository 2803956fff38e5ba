import { expect, test } from 'vitest';
import { freshAccount } from '../support/api.ts';
import { unzip } from '../wallets/apple/tools.ts';

/* A pass's dates are in its template's time zone; the account uses UTC here. */

const DATES = {
  expirationDate: '2027-06-19 06:00:00',
  relevantDate: '2027-06-18 19:00:00',
  validAsOfDate: '2027-06-18 00:00:00',
};

test('a template’s time zone applies to dates that are sent, read, written back, shown and sent to wallets', async () => {
  const client = await freshAccount({ timezone: 'UTC' });
  const templateId = await client.createTemplate({
    timezone: 'Europe/Berlin',
    relevantDateDifferentForEachPass: true,
    expiration: { expirationDateDifferentForEachPass: true },
    fields: { backFields: [{ key: 'end', label: 'End', value: '{expirationDate}' }] },
  });
  const { identifier, linkToPassFile } = await client.createPass(templateId, DATES);
  const shown = (await client.get(`/api/v3/pass/${identifier}`)).body.data;
  expect(shown).toMatchObject({ ...DATES, effectiveExpirationDate: DATES.expirationDate });
  expect((await client.get(`/api/pass/${identifier}`)).body.expirationDate).toBe(DATES.expirationDate);
  const { results } = (await client.get(`/api/pass/list/${templateId}`)).body;
  expect(results[0].expirationDate).toBe(DATES.expirationDate);

  const { body } = await client.get(linkToPassFile as '/');
  const file = JSON.parse(unzip(body).get('pass.json')!.toString());
  expect([file.expirationDate, file.relevantDate, file.generic.backFields[0].value]).toEqual([
    '2027-06-19T06:00:00+02:00',
    '2027-06-18T19:00:00+02:00',
    '2027-06-19 06:00',
  ]);

  await client.put(`/api/v3/pass/${identifier}`, { data: shown });
  const after = (await client.get(`/api/v3/pass/${identifier}`)).body.data;
  // The save link contains its creation time.
  expect(after).toEqual({ ...shown, walletSaveUri: expect.anything() });
});

test('an unknown time zone is rejected', async () => {
  const client = await freshAccount();
  const { status, body } = await client.post('/api/v2/pass-template', { timezone: 'Europe/Atlantis' });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('timezone')]);
});

test('a search in the account’s time zone finds an expiration set in the template’s', async () => {
  const client = await freshAccount({ timezone: 'UTC' });
  const templateId = await client.createTemplate({
    timezone: 'Europe/Berlin',
    expiration: { expirationDate: '2027-06-19 06:00' },
  });
  const { identifier } = await client.createPass(templateId);
  const found = async (value: string) => {
    const groups = [[{ field: 'effectiveExpirationDate', operator: 'equals', value }]];
    const { body } = await client.post('/api/v3/passinstance/search', { query: { templateId, groups } });
    return body.data.map((row: { identifier: string }) => row.identifier);
  };
  expect([await found('2027-06-19 04:00'), await found('2027-06-19 06:00')]).toEqual([[identifier], []]);
});
