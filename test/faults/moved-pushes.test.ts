import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* An account moves to another database while Apple receives a push. */

const PASS_TYPE_ID = 'pass.com.example.moved';

let service: ServiceInProcess;
let pushes: number;

beforeEach(async () => {
  pushes = 0;
  service = await new ServiceInProcess({ databases: 3 }).open();
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const id = await service.importCertificate(PASS_TYPE_ID);
  await service.admin('certificate push', { id, p8: privateKey, 'key-id': 'ABCDEFGHIJ', 'team-id': 'TESTTEAM01' });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

test('a push that Apple has accepted while its account moved is not sent again', async () => {
  const { accountId, apiKey } = await service.newAccount('DB_1');
  const send = async (method: string, path: string, body: object) =>
    (await service.request(method, path, body, { Authorization: apiKey })).body.data;
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', sampleTemplate({}));
  const { identifier } = await send('POST', '/api/v3/pass', { data: { templateId } });
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'a', ?, id, account_id, 'token', 1, null from passes where id = ?`,
    [PASS_TYPE_ID, identifier],
  );
  await service.rows('update passes set number_of_active = 1 where id = ?', [identifier]);
  await service.minutes(1);
  vi.stubGlobal('fetch', async () => {
    pushes += 1;
    if (pushes === 1) await service.admin('account move', { id: accountId, to: 'DB_2' });
    return new Response('');
  });
  await send('PATCH', `/api/v3/pass/${identifier}`, { data: { 'Full name': 'Ada' } });
  await service.until(async () => pushes > 0);
  await service.minutes(20);
  expect(pushes).toBe(1);
  expect(await service.count('select count(*) from requested_pushes where account_id = ?', [accountId])).toBe(0);
});
