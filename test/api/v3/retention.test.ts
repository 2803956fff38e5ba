import { expect, test } from 'vitest';
import { admin, freshAccount } from '../../support/api.ts';
import { createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { d1, eventually, runScheduled } from '../../support/control.ts';

/* What an account no longer keeps. */

const DAY_MS = 24 * 60 * 60_000;

/** Runs the cron's check of the account now. */
async function look(accountId: string): Promise<void> {
  await d1('update accounts set retention_due_at = 0 where id = ?', [accountId]);
  await runScheduled();
}

test('data is deleted after the account’s days, with the usual events, and the rest stays', async () => {
  const client = await freshAccount();
  const mail = { subject: 'Your pass', emailTemplate: 'Here it is' };
  const templateId = await client.createTemplate({ sendoutOptions: { passCreationNotification: mail } });
  const day = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 16).replace('T', ' ');
  const expired = await client.createPass(templateId, { expirationDate: day(11), userProvidedId: 'expired' });
  const young = await client.createPass(templateId, { expirationDate: day(9) });
  const voided = await client.createPass(templateId);
  const valid = await client.createPass(templateId, { emailRecipient: 'ada@example.com' });
  const scanner = await createConfiguration(client, { passTemplateIds: [templateId], scanMode: 1 });
  await scan(client, scanner, valid.barcodeValue ?? '');
  await client.patch(`/api/v3/pass/${voided.identifier}`, { data: { voided: true } });
  const { accountId } = client;
  expect(
    await admin('account update', {
      id: accountId,
      'retention-expired-passes-days': '10',
      'retention-voided-passes-days': '20',
      'retention-scans-days': '30',
      'retention-messages-days': 'none',
    }),
  ).toMatchObject({
    retention: { expiredPassesDays: 10, voidedPassesDays: 20, scansDays: 30, messagesDays: null },
  });
  await runScheduled();
  const stands = async (id: string) => (await client.get(`/api/v3/pass/${id}`)).status === 200;
  await eventually(async () => !(await stands(expired.identifier)));
  expect(await Promise.all([young, voided, valid].map(({ identifier }) => stands(identifier)))).toEqual([
    true,
    true,
    true,
  ]);
  const [last] = (await eventsOf(expired.identifier)).slice(-1);
  expect(last?.type).toBe('pass_deleted');

  await d1('update passes set modified_at = ? where id = ?', [Date.now() - 21 * DAY_MS, voided.identifier]);
  await d1('update app_scans set created_at = ? where account_id = ?', [Date.now() - 31 * DAY_MS, accountId]);
  await look(accountId);
  await eventually(async () => !(await stands(voided.identifier)));
  expect(await d1('select id from app_scans where account_id = ?', [accountId])).toEqual([]);
  expect(await d1('select count(*) as n from messages where account_id = ?', [accountId])).toEqual([{ n: 1 }]);
  expect(await stands(valid.identifier)).toBe(true);
});

test('the total of a list of scans excludes those that are deleted by age', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const [entrance, bar] = [await createConfiguration(client), await createConfiguration(client)];
  const passes = [];
  for (let scans = 0; scans < 4; scans++) {
    const pass = await client.createPass(templateId);
    await scan(client, entrance, pass.barcodeValue ?? '');
    await scan(client, bar, pass.barcodeValue ?? '');
    passes.push(pass.identifier);
  }
  const list = ({ configurationId }: typeof bar) => client.get(`/api/appscan/list/${configurationId}`);
  const { accountId } = client;
  const { configurationId } = entrance;
  const old = [Date.now() - 31 * DAY_MS, configurationId, passes[0]!];
  await d1('update app_scans set created_at = ? where configuration_id = ? and pass_id <> ?', old);
  // An undone scan isn't in the total.
  await d1('update app_scans set undone_at = 1 where configuration_id = ? and pass_id = ?', [
    configurationId,
    passes[1]!,
  ]);
  await d1('update app_configurations set scan_count = 3 where id = ?', [configurationId]);
  await admin('account update', { id: accountId, 'retention-scans-days': '30' });
  await look(accountId);
  await eventually(async () => (await list(entrance)).body.results.length === 1);
  expect((await list(entrance)).body.total).toBe(1);
  expect((await list(bar)).body.total).toBe(4);
});

test('the setting none keeps data again, and invalid numbers of days are rejected', async () => {
  const { accountId } = await freshAccount();
  const set = (days: string) => admin('account update', { id: accountId, 'retention-scans-days': days });
  await set('30');
  expect(await set('none')).toMatchObject({ retention: { scansDays: null } });
  expect(await d1('select retention_due_at as due from accounts where id = ?', [accountId])).toEqual([{ due: null }]);
  for (const wrong of ['0', '1.5', 'soon', '', '3651']) await expect(set(wrong), wrong).rejects.toThrow('whole number');
});
