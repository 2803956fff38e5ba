import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webServicePath } from '../../../../src/wallets/apple/pass-file-cache.ts';
import { type Client, type CreatedPass, clientOf, freshAccount, send } from '../../../support/api.ts';
import { costOf, d1, eventually, runScheduled } from '../../../support/control.ts';
import { GoogleStandIn, newSigningKey } from '../../../support/google-stand-in.ts';
import { Device } from '../../apple/web-service/device.ts';
import { deviceEventsOf, countsOf as passCounts } from '../../pass-events.ts';

const CALLBACK = '/wallet/google/callback';
const HOUR_MS = 60 * 60_000;

let google: GoogleStandIn;
let client: Client;
let templateId: string;
beforeAll(async () => {
  google = await GoogleStandIn.open();
  client = await freshAccount();
  await google.admit(client);
  templateId = await client.createTemplate();
});
afterAll(() => google.close());

const newPass = () => client.createPass(templateId);
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

const countsOf = (pass: CreatedPass) => passCounts(client, pass);
const typesOf = async (pass: CreatedPass) => (await deviceEventsOf(pass)).map(({ type }) => type);

/** Returns everything that a callback could change of a pass. */
const stateOf = ({ identifier }: CreatedPass) =>
  Promise.all([
    d1('select number_of_active, number_of_inactive, first_downloaded_at, version from passes where id = ?', [
      identifier,
    ]),
    d1('select * from registrations where pass_id = ?', [identifier]),
    d1('select id from account_events where pass_id = ?', [identifier]),
    d1('select nonce from taken_callbacks where pass_id = ?', [identifier]),
  ]);

describe('a save', () => {
  test('makes the pass active, and creates the same events as a device registration', async () => {
    const pass = await newPass();
    const reply = await google.tell(pass.identifier, 'save');
    expect([reply.status, reply.body]).toEqual([200, undefined]);
    expect(await countsOf(pass)).toEqual([1, 0]);
    const [registered, first, ...more] = await deviceEventsOf(pass);
    expect(more).toEqual([]);
    const facts = {
      identifier: pass.identifier,
      operatingSystem: 'Android',
      noOfActivePasses: 1,
      noOfInactivePasses: 0,
    };
    expect(registered).toMatchObject({ type: 'pushnotification_registered', ...facts });
    expect(first).toMatchObject({ type: 'first_pushnotification_registered', ...facts });
    expect(Object.keys(registered!)).toHaveLength(9 + 3 + 1);
    const { body } = await client.get(`/api/v3/pass/${pass.identifier}`);
    expect(body.data.firstDownloadedAt).toMatch(/^\d{4}-/);
    const active = { groups: [[{ field: 'active', operator: 'isTrue' }]] };
    const found = await client.post('/api/v3/passinstance/search', { query: active });
    expect(found.body.data.map(({ identifier }: { identifier: string }) => identifier)).toContain(pass.identifier);
  });

  test('that is removed makes it inactive, and saving again active', async () => {
    const pass = await newPass();
    await google.tell(pass.identifier, 'save');
    await google.tell(pass.identifier, 'del');
    expect(await countsOf(pass)).toEqual([0, 1]);
    await google.tell(pass.identifier, 'save');
    expect(await countsOf(pass)).toEqual([1, 0]);
    const [, , left, back, ...more] = await deviceEventsOf(pass);
    expect(left).toMatchObject({
      type: 'pushnotification_unregistered',
      operatingSystem: 'Android',
      noOfActivePasses: 0,
      noOfInactivePasses: 1,
    });
    expect(back).toMatchObject({ type: 'pushnotification_registered', noOfActivePasses: 1, noOfInactivePasses: 0 });
    expect(more).toEqual([]);
  });

  test('by a second holder keeps it active until both have removed it', async () => {
    const pass = await newPass();
    await google.tell(pass.identifier, 'save');
    await google.tell(pass.identifier, 'save');
    await google.tell(pass.identifier, 'del');
    expect(await countsOf(pass)).toEqual([1, 0]);
    await google.tell(pass.identifier, 'del');
    expect(await countsOf(pass)).toEqual([0, 1]);
    expect(await typesOf(pass)).toHaveLength(3);
  });

  test('and an Apple device are two registrations, and the earlier one is the first', async () => {
    const pass = await newPass();
    const device = new Device();
    await google.tell(pass.identifier, 'save');
    expect((await device.register(pass)).status).toBe(201);
    expect(await countsOf(pass)).toEqual([2, 0]);
    await google.tell(pass.identifier, 'del');
    expect(await countsOf(pass)).toEqual([1, 1]);
    const told = (await deviceEventsOf(pass)).map(({ type, operatingSystem }) => [type, operatingSystem]);
    expect(told).toEqual([
      ['pushnotification_registered', 'Android'],
      ['first_pushnotification_registered', 'Android'],
      ['pushnotification_registered', 'iOS'],
      ['pushnotification_unregistered', 'Android'],
    ]);
    expect((await device.list()).body.serialNumbers).toEqual([pass.identifier]);
    const path = `${webServicePath(device.shard)}/v1/devices/google-wallet/registrations/google` as '/wallet';
    const library = await send('GET', path);
    expect(library.status).toBe(400);
  });

  test('is allowed beyond the account’s maximum of active passes, but counts towards it', async () => {
    const { body } = await client.post('/api/customer', {
      company_name: 'Limited',
      last_name: 'Lovelace',
      maximum_number_of_active_passes: 1,
    });
    const limited = clientOf(body.customer_identifier, body.apiToken);
    await google.admit(limited);
    const template = await limited.createTemplate();
    const passes = await Promise.all([1, 2, 3].map(() => limited.createPass(template)));
    await Promise.all(passes.slice(0, 2).map(({ identifier }) => google.tell(identifier, 'save')));
    const counted = await d1('select active from active_pass_counts where account_id = ?', [limited.accountId]);
    expect(counted).toEqual([{ active: 2 }]);
    expect((await new Device().register(passes[2]!)).status).toBe(403);
  });

  test('through a link with the object sends Google the pass’s current content', async () => {
    const short = await client.createTemplate({ fields: {}, additionalProperties: [] });
    const pass = await client.createPass(short);
    const { walletSaveUri } = (await client.get(`/api/pass/geturis/${pass.identifier}`)).body;
    expect(google.object(pass.identifier)).toBeUndefined();
    await client.post(`/api/pass/${pass.identifier}?integrationStyle=true`, { barcodeValue: 'changed-since' });
    google.saveByLink(walletSaveUri);
    expect(google.object(pass.identifier).barcode.value).not.toBe('changed-since');
    await google.tell(pass.identifier, 'save');
    await eventually(() => google.object(pass.identifier).barcode.value === 'changed-since');
  });
});

describe('messages', () => {
  test('repeated, 50 at once, count once', async () => {
    const pass = await newPass();
    const nonce = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => google.tell(pass.identifier, 'save', { nonce })),
    );
    expect(statuses(replies)).toEqual(Array(50).fill(200));
    expect(await countsOf(pass)).toEqual([1, 0]);
    await google.tell(pass.identifier, 'del');
    expect(await countsOf(pass)).toEqual([0, 1]);
    expect(await typesOf(pass)).toEqual([
      'pushnotification_registered',
      'first_pushnotification_registered',
      'pushnotification_unregistered',
    ]);
  });

  test('50 at once from 26 holders who save and 24 who remove add up', async () => {
    const pass = await newPass();
    const events = [...Array(26).fill('save'), ...Array(24).fill('del')] as ('save' | 'del')[];
    await Promise.all(events.map((event) => google.tell(pass.identifier, event)));
    const [row] = await d1('select saves, ended_at from registrations where pass_id = ?', [pass.identifier]);
    expect(row).toEqual({ saves: 2, ended_at: null });
    expect(await countsOf(pass)).toEqual([1, 0]);
    const types = await typesOf(pass);
    const count = (type: string) => types.filter((one) => one === type).length;
    expect(count('pushnotification_registered') - count('pushnotification_unregistered')).toBe(1);
    expect(count('first_pushnotification_registered')).toBe(1);
  });

  test.each([
    ['save save del', [1, 0]],
    ['save del save', [1, 0]],
    ['del save save', [1, 0]],
    ['save del', [0, 1]],
    ['del save', [0, 1]],
    ['del del save save', [0, 1]],
    ['del save save del', [0, 1]],
  ])('in the order %s leave the same counts', async (order, counts) => {
    const pass = await newPass();
    for (const event of order.split(' ') as ('save' | 'del')[]) await google.tell(pass.identifier, event);
    expect(await countsOf(pass)).toEqual(counts);
  });

  test('for an unknown pass, or a name that is not ours, are accepted', async () => {
    const unknown = ['01980000-0000-7000-8000-000000000000', 'loyalty-card', '../x'];
    expect(statuses(await Promise.all(unknown.map((id) => google.tell(id, 'save'))))).toEqual([200, 200, 200]);
  });

  test('of an unknown kind change nothing', async () => {
    const pass = await newPass();
    const before = await stateOf(pass);
    expect((await google.tell(pass.identifier, 'save', { eventType: 'activate' })).status).toBe(200);
    expect(await stateOf(pass)).toEqual(before);
  });
});

describe('tenants stay separate', () => {
  test('a message to one issuer changes no pass of an account that has another', async () => {
    const other = await freshAccount();
    const otherGoogle = await GoogleStandIn.open();
    try {
      await otherGoogle.admit(other);
      const pass = await newPass();
      const before = await stateOf(pass);
      // Anyone with an issuer can name an object after our pass, and have Google sign that it was saved.
      expect((await otherGoogle.tell(pass.identifier, 'save')).status).toBe(200);
      expect(await stateOf(pass)).toEqual(before);
    } finally {
      await otherGoogle.close();
    }
  });

  test('an account that shares Google’s keys but not the issuer is separate', async () => {
    const other = await freshAccount();
    const issuerId = '3388000000099999999';
    await google.admit(other, { issuerId });
    const pass = await newPass();
    const before = await stateOf(pass);
    const changes = { recipientId: issuerId, classId: `${issuerId}.c`, objectId: `${issuerId}.${pass.identifier}` };
    await google.tell(pass.identifier, 'save', changes);
    expect(await stateOf(pass)).toEqual(before);
  });
});

describe('a message that Google did not send', () => {
  let pass: CreatedPass;
  let before: unknown;
  beforeAll(async () => {
    pass = await newPass();
    before = await stateOf(pass);
  });
  const post = (body: object | string) => send('POST', CALLBACK, body);

  test.each([
    ['a root key that is not published', { root: newSigningKey() }],
    ['another sender', { senderId: 'GooglePay' }],
    ['another recipient', { recipientId: '3388000000000000009' }],
    ['an expired intermediate key', { keyExpiration: Date.now() - 1 }],
    ['an intermediate key without an end', { keyExpiration: 'never' }],
    ['an expired message', { expTimeMillis: Date.now() - 1 }],
  ])('with %s is rejected with 401', async (_, changes) => {
    const reply = await google.tell(pass.identifier, 'save', changes);
    expect([reply.status, typeof reply.body]).toEqual([401, 'string']);
    expect(await stateOf(pass)).toEqual(before);
  });

  test.each([
    ['the message', 'signedMessage', (text: string) => text.replace('"save"', '"del"')],
    ['the signature', 'signature', (text: string) => `AAAA${text.slice(4)}`],
    ['the signature, which is none', 'signature', () => 'bm90IGEgc2lnbmF0dXJl'],
    ['the signature, which is empty', 'signature', () => ''],
  ])('that was changed in %s is rejected with 401', async (_, member, change) => {
    const tamper = (envelope: Record<string, string>) => {
      envelope[member] = change(envelope[member]!);
    };
    expect((await google.tell(pass.identifier, 'save', { tamper })).status).toBe(401);
    expect(await stateOf(pass)).toEqual(before);
  });

  test('with invalid or no signatures of the intermediate key is rejected', async () => {
    for (const signatures of [[], ['AAAA'], ['']]) {
      const tamper = (envelope: { intermediateSigningKey: object }) =>
        Object.assign(envelope.intermediateSigningKey, { signatures });
      expect((await google.tell(pass.identifier, 'save', { tamper })).status).toBe(401);
    }
    expect(await stateOf(pass)).toEqual(before);
  });

  test.each([
    ['no JSON', 'save'],
    ['no object', '[]'],
    ['nothing in it', {}],
    ['another protocol', { protocolVersion: 'ECv1' }],
    ['a message that is no JSON', { signedMessage: 'save' }],
    [
      'a message without an object',
      { signedMessage: '{"classId":"1.a","eventType":"save","expTimeMillis":1,"nonce":"n"}' },
    ],
    [
      'class and object of two issuers',
      { signedMessage: '{"classId":"1.a","objectId":"2.a","eventType":"save","expTimeMillis":1,"nonce":"n"}' },
    ],
  ])('with %s is rejected with 400', async (_, change) => {
    const body = typeof change === 'string' ? change : { ...google.callback(pass.identifier, 'save'), ...change };
    const sent = Object.keys(change).length === 0 ? {} : body;
    const reply = await post(sent);
    expect([reply.status, typeof reply.body]).toEqual([400, 'string']);
  });

  test('that is too long is rejected with 413', async () => {
    const body = { ...google.callback(pass.identifier, 'save'), padding: 'x'.repeat(16 * 1024) };
    expect((await post(body)).status).toBe(413);
  });

  test('is never accepted, whichever byte differs', async () => {
    const text = JSON.stringify(google.callback(pass.identifier, 'save'));
    const padding = /[=\\]|u003d/;
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => {
        const at = randomInt(1, text.length - 1);
        const other = String.fromCharCode(97 + randomInt(26));
        const changed = text[at] === other || padding.test(text[at]!) ? '' : other;
        return post(text.slice(0, at) + changed + text.slice(at + 1));
      }),
    );
    // A number without a stand-in counts as Google's, whose keys this network can't fetch.
    for (const { status } of replies) expect([400, 401, 503]).toContain(status);
    expect(await stateOf(pass)).toEqual(before);
  });
});

test('a message is accepted once Google’s keys are available again, and is not lost before', async () => {
  const other = await freshAccount();
  const late = await GoogleStandIn.open();
  try {
    await late.admit(other);
    const pass = await other.createPass(await other.createTemplate());
    const body = late.callback(pass.identifier, 'save');
    late.rootKeysFail = true;
    expect((await send('POST', CALLBACK, body)).status).toBe(503);
    late.rootKeysFail = false;
    expect((await send('POST', CALLBACK, body)).status).toBe(200);
    expect((await send('POST', CALLBACK, body)).status).toBe(200);
    const asked = late.rootKeysAsked;
    expect((await late.tell(pass.identifier, 'save')).status).toBe(200);
    expect(late.rootKeysAsked).toBe(asked);
    const { body: read } = await other.get(`/api/pass/${pass.identifier}`);
    expect(read.numberOfActive).toBe(1);
  } finally {
    await late.close();
  }
});

test('the record of a message is deleted once the message has expired', async () => {
  const pass = await newPass();
  const taken = () => d1('select nonce from taken_callbacks where pass_id = ?', [pass.identifier]);
  await google.tell(pass.identifier, 'save', { expTimeMillis: Date.now() + 2_000 });
  await google.tell(pass.identifier, 'save', { expTimeMillis: Date.now() + HOUR_MS });
  await eventually(async () => {
    await runScheduled();
    return (await taken()).length === 1;
  });
});

test('a deleted pass expires at Google, even if somebody saves it through an old link afterwards', async () => {
  const short = await client.createTemplate({ fields: {}, additionalProperties: [] });
  const pass = await client.createPass(short);
  const { walletSaveUri } = (await client.get(`/api/pass/geturis/${pass.identifier}`)).body;
  await client.delete(`/api/pass/${pass.identifier}`);
  await eventually(() => google.callsOf(pass.identifier).some(({ method }) => method === 'GET'));
  expect(google.object(pass.identifier)).toBeUndefined();
  google.saveByLink(walletSaveUri);
  expect(google.object(pass.identifier).state).toBe('ACTIVE');
  expect((await google.tell(pass.identifier, 'save')).status).toBe(200);
  await eventually(() => google.object(pass.identifier).state === 'EXPIRED');
});

test('a callback takes two round trips and few rows, however large the tables are', async () => {
  const pass = await newPass();
  await d1(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, registered_at, saves)
     with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 1000)
     select 'google-wallet', 'google', 'crowd-' || value || ?, ?, 0, 1 from numbers`,
    [pass.identifier, client.accountId],
  );
  await d1(
    `insert into taken_callbacks (pass_id, nonce, taken_by, expires_at)
     with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 1000)
     select ?, 'crowd-' || value, '', 4e12 from numbers`,
    [pass.identifier],
  );
  const body = google.callback(pass.identifier, 'save');
  const first = await costOf(await send('POST', CALLBACK, body));
  expect(first.roundTrips).toBe(2);
  expect(first.rowsRead).toBeLessThanOrEqual(40);
  expect(first.rowsWritten).toBeLessThanOrEqual(18);
  const repeated = await costOf(await send('POST', CALLBACK, body));
  expect([repeated.roundTrips, repeated.rowsWritten]).toEqual([2, 0]);
  const removed = await costOf(await google.tell(pass.identifier, 'del'));
  expect(removed.rowsRead).toBeLessThanOrEqual(40);
  expect(removed.rowsWritten).toBeLessThanOrEqual(13);
});
