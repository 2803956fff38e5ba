import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* An account moves to another database while its devices are notified. */

const PASS_TYPE_ID = 'pass.com.example.moved';

let service: ServiceInProcess;
/** Pushes by token. */
let pushes: Record<string, number>;

beforeEach(async () => {
  pushes = {};
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

const ACCEPTED = () => new Response('');
const BUSY = () => Response.json({ reason: 'ServiceUnavailable' }, { status: 503 });
const GONE = () => Response.json({ reason: 'Unregistered' }, { status: 410 });

/** Answers pushes as Apple does. */
function answer(respond: (token: string) => Promise<Response> | Response): void {
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const token = new URL(address).pathname.split('/').at(-1)!;
    pushes[token] = (pushes[token] ?? 0) + 1;
    return respond(token);
  });
}

/** An account with passes, each on the device with one of these tokens. */
async function accountWith(tokens: string[]) {
  const { accountId, apiKey } = await service.newAccount('DB_1');
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', sampleTemplate({}));
  const passIds: string[] = [];
  for (const token of tokens) {
    const { identifier } = await send('POST', '/api/v3/pass', { data: { templateId } });
    await service.rows(
      `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
       select ?, ?, id, account_id, ?, 1, null from passes where id = ?`,
      [`device of ${token}`, PASS_TYPE_ID, token, identifier],
    );
    await service.rows('update passes set number_of_active = 1 where id = ?', [identifier]);
    passIds.push(identifier);
  }
  await service.minutes(1);
  const notify = () =>
    send('POST', `/api/pass-template/${templateId}/notification`, {
      pushNotificationText: 'Doors open',
      publicationDate: '2026-11-01 08:00',
    });
  const move = () => service.admin('account move', { id: accountId, to: 'DB_2' });
  return { accountId, passIds, send, notify, move };
}

test('a push that Apple has accepted while its account moved is not sent again', async () => {
  const { accountId, passIds, send, move } = await accountWith(['token']);
  answer(async () => {
    if (pushes.token === 1) await move();
    return ACCEPTED();
  });
  await send('PATCH', `/api/v3/pass/${passIds[0]}`, { data: { 'Full name': 'Ada' } });
  await service.until(async () => pushes.token! > 0);
  await service.minutes(20);
  expect(pushes).toEqual({ token: 1 });
  expect(await service.count('select count(*) from requested_pushes where account_id = ?', [accountId])).toBe(0);
});

test('a push to a pass whose other device is gone is not sent again if the account moved meanwhile', async () => {
  const { passIds, send, move } = await accountWith(['token']);
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'gone', pass_type_id, pass_id, account_id, 'gone', 1, null from registrations`,
  );
  answer(async (token) => {
    if (token === 'gone') return GONE();
    if (pushes.token === 1) await move();
    return ACCEPTED();
  });
  await send('PATCH', `/api/v3/pass/${passIds[0]}`, { data: { 'Full name': 'Ada' } });
  await service.until(async () => pushes.token! > 0);
  await service.minutes(20);
  expect(pushes).toEqual({ token: 1, gone: 1 });
  expect(await service.rows('select device_id from registrations where ended_at is not null')).toEqual([
    { device_id: 'gone' },
  ]);
});

test('of a notification that many passes get while their account moves, only refused pushes are sent again', async () => {
  const { notify, move } = await accountWith(['first', 'busy', 'second', 'gone', 'third']);
  answer(async (token) => {
    if (token === 'first' && pushes.first === 1) await move();
    if (token === 'gone') return GONE();
    return token === 'busy' && pushes.busy === 1 ? BUSY() : ACCEPTED();
  });
  await notify();
  await service.until(async () => pushes.first! > 0);
  await service.minutes(30);
  expect(pushes).toEqual({ first: 1, busy: 2, second: 1, gone: 1, third: 1 });
  for (const table of ['push_pages', 'push_fan_outs']) {
    expect(await service.count(`select count(*) from ${table}`)).toBe(0);
  }
});

test('pushes of a notification that wait for Apple when the account moves are sent alone', async () => {
  const { notify, move } = await accountWith(['busy', 'accepted', 'busy2']);
  let isBusy = true;
  answer((token) => (isBusy && token.startsWith('busy') ? BUSY() : ACCEPTED()));
  await notify();
  await service.until(async () => pushes.accepted! > 0);
  await move();
  isBusy = false;
  await service.minutes(30);
  expect(pushes.accepted).toBe(1);
  expect(await service.count('select count(*) from push_pages')).toBe(0);
});
