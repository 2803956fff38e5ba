import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GoogleCall, GoogleStandIn } from '../support/google-stand-in.ts';
import { openServer } from '../support/outside-server.ts';
import { sampleTemplate, type TemplateInput } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* An account moves to another database while its devices and Google are notified. */

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
async function accountWith(tokens: string[], template: Partial<TemplateInput> = {}) {
  const { accountId, apiKey } = await service.newAccount('DB_1');
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', sampleTemplate(template));
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

describe('an object that Google takes while the account moves', () => {
  const LIVES_HERE = 'account_id in (select id from accounts where lives_in is null)';
  let google: GoogleStandIn;
  beforeEach(async () => {
    google = await GoogleStandIn.open(openServer);
  });
  afterEach(() => google.close());

  /** A pass that a holder has saved by its link, so the service has not sent its object to Google yet. */
  async function savedPass() {
    const { accountId, send, move } = await accountWith([], {
      type: 'storeCard',
      fields: { primaryFields: [{ key: 'member', type: 'text', label: 'Member', value: '{Full name}' }] },
      google: { notifyPreference: 'NOTIFY_ON_UPDATE' },
    });
    await service.admin('google-issuer import', { account: accountId, ...google.newIssuer() });
    const [template] = await service.rows<{ id: string }>('select id from templates where account_id = ?', [accountId]);
    const pass = await send('POST', '/api/v3/pass', { data: { templateId: template!.id } });
    const passId: string = pass.identifier;
    google.saveByLink(pass.walletSaveUri);
    await service.rows('update passes set number_of_active = 1 where id = ?', [passId]);
    const card = () => google.object(passId, 'loyaltyObject');
    /** Does `work` once, before Google answers the first call for which `isNext` holds. */
    const during = (isNext: (call: Omit<GoogleCall, 'status'>) => boolean, work: () => Promise<unknown>) => {
      google.beforeAnswer = async (call) => {
        if (!isNext(call)) return;
        google.beforeAnswer = undefined;
        await work();
      };
    };
    return { accountId, passId, send, move, card, during };
  }

  const isUpdate = ({ method, path }: Omit<GoogleCall, 'status'>) =>
    method === 'PUT' && path.startsWith('/loyaltyObject/');
  const notified = () =>
    google.calls.filter(
      ({ body, status }) =>
        status === 200 && [body?.notifyPreference, body?.message?.messageType].some((one) => /NOTIFY/.test(one)),
    ).length;

  test('notifies its holder once', async () => {
    const { accountId, passId, send, move, during, card } = await savedPass();
    during(isUpdate, move);
    await send('PATCH', `/api/v3/pass/${passId}`, { data: { 'Full name': 'Ada' } });
    await service.until(async () => notified() > 0);
    await service.minutes(20);
    expect(notified()).toBe(1);
    expect(card().loyaltyPoints.balance.string).toBe('Ada');
    expect(await service.count('select count(*) from requested_pushes where account_id = ?', [accountId])).toBe(0);
    const known = `select count(*) from passes where google_published_at > 0 and id = ? and ${LIVES_HERE}`;
    expect(await service.count(known, [passId])).toBe(1);
  });

  test('notifies its holder once of a text', async () => {
    const { passId, send, move, during, card } = await savedPass();
    during(isUpdate, move);
    await send('POST', `/api/pass/${passId}/sendpushnotification`, { pushNotificationText: 'Doors open' });
    await service.until(async () => notified() > 0);
    await service.minutes(20);
    expect([notified(), card().messages.length]).toEqual([1, 1]);
    await send('PATCH', `/api/v3/pass/${passId}`, { data: { 'Full name': 'Ada' } });
    await service.until(async () => card().loyaltyPoints.balance.string === 'Ada');
    // The update keeps the messages of an object that is known to have some.
    expect(card().messages).toHaveLength(1);
  });

  test('expires if the pass was deleted after the move', async () => {
    const { passId, send, move, during, card } = await savedPass();
    during(isUpdate, async () => {
      await move();
      // As after its deletion, once the object that Google had before was ended.
      await service.rows(`delete from passes where id = ? and ${LIVES_HERE}`, [passId]);
    });
    await send('PATCH', `/api/v3/pass/${passId}`, { data: { 'Full name': 'Ada' } });
    await service.until(async () => card().state === 'EXPIRED', 2);
  });

  test('is replaced if the pass changed after the move', async () => {
    const { passId, send, move, during, card } = await savedPass();
    during(isUpdate, async () => {
      await move();
      await send('PATCH', `/api/v3/pass/${passId}`, { data: { 'Full name': 'Bo' } });
      // As if the push of this change had overtaken the other one.
      await service.rows(`delete from requested_pushes where ${LIVES_HERE}`);
    });
    await send('PATCH', `/api/v3/pass/${passId}`, { data: { 'Full name': 'Ada' } });
    await service.until(async () => card().loyaltyPoints.balance.string === 'Bo', 2);
  });
});
