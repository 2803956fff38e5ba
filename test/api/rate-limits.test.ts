import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { RATES } from '../../src/domain/rate-limits.ts';
import { consolePath, OWN_FORM, visitor } from '../pages/console/browser-session.ts';
import { type Client, type CreatedPass, freshAccount, send } from '../support/api.ts';
import { costOf, d1 } from '../support/control.ts';
import { type From, hit, statusesOf, stranger } from '../support/rate-limits.ts';
import { createScanner, type ScannerLink } from '../support/scanner.ts';
import { subscribed } from '../support/webhooks.ts';
import { authorizationOf, Device } from '../wallets/apple/web-service/device.ts';

/*
 * Limits by address and by resource, through the real Worker. Local callers, as in all other tests, aren't counted, so
 * each caller here has its own address.
 */

type Path = `/${string}`;

const { origin } = inject('worker');
const [REGISTRATION, ATTEMPT, RECIPIENT] = [
  RATES.REGISTRATION_RATE_LIMITER,
  RATES.ATTEMPT_RATE_LIMITER,
  RATES.RECIPIENT_RATE_LIMITER,
];

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

describe('invalid keys', () => {
  const unknownKey = () => `pk_${randomUUID().replaceAll('-', '').slice(0, 16)}_${'x'.repeat(43)}`;
  const withKey = (Authorization: string, from: From = {}, path: Path = '/api/v3/project') =>
    send('GET', path, undefined, { Authorization, ...from });

  test('are rejected without a database query once their address has sent too many', async () => {
    await client.get('/api/v3/project');
    const from = stranger();
    const { admitted } = await hit(ATTEMPT, () => withKey(unknownKey(), from));
    expect(statusesOf(admitted)).toEqual([401]);
    const refused = await withKey(unknownKey(), from);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    expect((await costOf(refused)).roundTrips).toBe(0);
    // A valid key from the same address still works, and so do other addresses.
    expect((await withKey(client.apiKey, from)).status).toBe(200);
    expect((await withKey(unknownKey(), stranger())).status).toBe(401);
  });

  test('are rejected in the format of their API version', async () => {
    const from = stranger();
    await hit(ATTEMPT, () => withKey('pk_short', from));
    const message = 'Too many requests; try again later';
    expect((await withKey('pk_short', from, '/api/v3/project')).body).toMatchObject({
      success: false,
      errors: [message],
    });
    expect((await withKey('pk_short', from, '/api/v2/pass-bundle/x')).body).toMatchObject({ errors: [message] });
    expect((await withKey('pk_short', from, '/api/hook')).body).toEqual({ ErrorMessage: message });
  });

  test.each(['pk_short', 'Bearer nothing', `pk_${'x'.repeat(200)}`])(
    'of a wrong format, %o, never reach the database, and count',
    async (key) => {
      const from = stranger();
      const first = await withKey(key, from);
      expect([first.status, (await costOf(first)).roundTrips]).toEqual([401, 0]);
      expect(
        statusesOf((await hit({ ...ATTEMPT, limit: ATTEMPT.limit - 1 }, () => withKey(key, from))).admitted),
      ).toEqual([401]);
    },
  );

  test('that were valid before count like others', async () => {
    const account = await freshAccount();
    const from = stranger();
    expect((await withKey(account.apiKey, from)).status).toBe(200);
    await d1('update api_keys set active = 0 where account_id = ?', [account.accountId]);
    const { admitted } = await hit(ATTEMPT, () => withKey(account.apiKey, from));
    expect(statusesOf(admitted)).toEqual([401]);
    const refused = await withKey(account.apiKey, from);
    expect([refused.status, (await costOf(refused)).roundTrips]).toEqual([429, 0]);
  });

  test('of a foreign address count like others, although they exist', async () => {
    const account = await freshAccount();
    const addresses = JSON.stringify(['192.0.2.0/24']);
    await d1('update api_keys set allowed_ips = ? where account_id = ?', [addresses, account.accountId]);
    const from = stranger();
    const search = () => withKey(account.apiKey, from, '/api/v3/pass/list');
    const { admitted } = await hit(ATTEMPT, search);
    expect(statusesOf(admitted)).toEqual([403]);
    const refused = await search();
    expect([refused.status, (await costOf(refused)).roundTrips]).toEqual([429, 0]);
    // Neither a valid key nor another address is affected.
    expect((await withKey(client.apiKey, from)).status).toBe(200);
    expect((await withKey(account.apiKey, stranger())).status).toBe(403);
  });

  test('do not include requests without a key, which query nothing', async () => {
    const from = stranger();
    for (let i = 0; i <= ATTEMPT.limit; i++) {
      const reply = await send('GET', '/api/v3/project', undefined, from);
      expect([reply.status, (await costOf(reply)).roundTrips]).toEqual([401, 0]);
    }
  });

  test('of callers on the same machine are not counted while LIMITS_BY_ADDRESS is off, as it is here', async () => {
    for (const from of [{}, { 'CF-Connecting-IP': '127.0.0.1' }] as From[]) {
      for (let i = 0; i <= ATTEMPT.limit; i++) expect((await withKey('pk_short', from)).status).toBe(401);
    }
  });

  test('of neighbors in the same network are counted, whatever LIMITS_BY_ADDRESS says', async () => {
    const from = { 'CF-Connecting-IP': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` };
    await hit(ATTEMPT, () => withKey('pk_short', from));
  });

  test('do not change the cost of a valid key', async () => {
    await client.get('/api/v3/project');
    const [counted, exempt] = [await withKey(client.apiKey, stranger()), await withKey(client.apiKey)];
    expect((await costOf(counted)).roundTrips).toBe((await costOf(exempt)).roundTrips);
  });
});

describe('devices', () => {
  const register = async (pass: CreatedPass, from: From, device = new Device()) => {
    const path: Path = `${device.path()}/${pass.identifier}`;
    return send('POST', path, { pushToken: device.pushToken }, { ...(await authorizationOf(pass)), ...from });
  };
  const newPass = () => client.createPass(templateId);

  test('that register for one pass from one address are limited; other addresses and passes are not', async () => {
    const [pass, other] = [await newPass(), await newPass()];
    const [from, device] = [stranger(), new Device()];
    await register(pass, from, device);
    const { admitted } = await hit({ ...REGISTRATION, limit: REGISTRATION.limit - 1 }, () => register(pass, from), 20);
    expect(statusesOf(admitted)).toEqual([201]);
    // Registering a known device again isn't counted.
    expect((await register(pass, from, device)).status).toBe(200);
    expect((await register(pass, stranger())).status).toBe(201);
    expect((await register(other, from)).status).toBe(201);
  });

  test('of one pass are at most 10,000 at a time', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    await d1('update passes set number_of_active = 10000 where id = ?', [pass.identifier]);
    const refused = await new Device().register(pass);
    expect([refused.status, refused.body]).toEqual([403, 'The pass is already on its maximum number of devices']);
    await device.unregister(pass);
    expect((await new Device().register(pass)).status).toBe(201);
  });

  test('of one pass are limited to 100,000 over its lifetime, and a known one may come back', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    await device.unregister(pass);
    await d1('update passes set number_of_inactive = 100000 where id = ?', [pass.identifier]);
    expect((await new Device().register(pass)).status).toBe(403);
    expect((await device.register(pass)).status).toBe(201);
  });

  test('of a pass that thousands share are not rejected', async () => {
    const pass = await newPass();
    await d1('update passes set number_of_active = 9000, number_of_inactive = 50000 where id = ?', [pass.identifier]);
    expect((await new Device().register(pass)).status).toBe(201);
  });
});

describe('a scanner link', () => {
  const scan = ({ path, configurationId }: ScannerLink, value: string, from: From, id: string = randomUUID()) => {
    const rest = { deviceName: null, properties: {}, storedValue: null, scannedAt: Date.now() };
    return send('POST', `${path}/scans` as Path, { id, configurationId, value, ...rest }, { Origin: origin, ...from });
  };

  test('limits an address that guesses codes at this link, and stores no further guesses', async () => {
    const [scanner, other] = [await createScanner(client), await createScanner(client)];
    const pass = await client.createPass(templateId);
    const from = stranger();
    const id = randomUUID();
    await scan(scanner, 'guess', from, id);
    const { admitted } = await hit({ ...ATTEMPT, limit: ATTEMPT.limit - 1 }, (i) => scan(scanner, `guess-${i}`, from));
    expect(statusesOf(admitted)).toEqual([201]);
    const stored = async () =>
      (
        await d1<{ n: number }>('select count(*) as n from app_scans where configuration_id = ?', [
          scanner.configurationId,
        ])
      )[0]!.n;
    const before = await stored();
    const right = await scan(scanner, pass.barcodeValue, from);
    expect([right.status, right.headers.get('Retry-After')]).toEqual([429, '60']);
    expect(await stored()).toBe(before);
    // A repeated scan isn't counted: the app repeats requests that got no answer.
    expect((await scan(scanner, 'guess', from, id)).status).toBe(201);
    expect((await scan(scanner, pass.barcodeValue, stranger())).status).toBe(201);
    expect((await scan(other, 'guess', from)).status).toBe(201);
  });

  test('answers no more unknown codes than the limit, even if they are simultaneous', async () => {
    const scanner = await createScanner(client);
    const from = stranger();
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => scan(scanner, `guess-${i}`, from)));
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(ATTEMPT.limit);
    expect(statusesOf(replies).sort()).toEqual([201, 429]);
  });

  test('that does not exist counts for the address that guesses it, and a scanner there still works', async () => {
    const scanner = await createScanner(client);
    const from: From = { ...stranger(), Accept: 'text/html' };
    expect((await send('GET', scanner.path as Path, undefined, from)).status).toBe(200);
    const guess = (i: number, at = from) => send('GET', `/scan/guess-${i}`, undefined, at);
    const { admitted, refused } = await hit(ATTEMPT, guess);
    expect(statusesOf(admitted)).toEqual([404]);
    expect(refused.body).toContain('<h1>Too many requests</h1>');
    expect((await costOf(await guess(0))).roundTrips).toBe(0);
    expect((await send('GET', scanner.path as Path, undefined, from)).status).toBe(200);
    expect((await guess(0, stranger())).status).toBe(404);
  });

  test('counts its wrong PINs together with those of passes', async () => {
    const from = stranger();
    const enter = ({ path }: ScannerLink, pin: string) =>
      send('POST', `${path}/unlock` as Path, { pin }, { Origin: origin, ...from });
    let wrong = 0;
    while (wrong < ATTEMPT.limit) {
      const scanner = await createScanner(client);
      await scanner.expire();
      for (let i = 0; i < 4 && wrong < ATTEMPT.limit; i++, wrong++)
        expect((await enter(scanner, 'wrong')).status).toBe(403);
    }
    const scanner = await createScanner(client);
    const refused = await enter(scanner, scanner.pin);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    const guess = await send('GET', `/p/${client.accountId}/order-1`, undefined, from);
    expect(guess.status).toBe(429);
  });

  test('whose PIN is locked reports for how long', async () => {
    const scanner = await createScanner(client);
    await scanner.expire();
    const enter = () => send('POST', `${scanner.path}/unlock` as Path, { pin: 'wrong' }, { Origin: origin });
    const replies = [];
    for (let i = 0; i < 6; i++) replies.push(await enter());
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403, 429, 429]);
    const seconds = replies.slice(4).map(({ headers }) => Number(headers.get('Retry-After')));
    for (const wait of seconds) expect(wait).toBeGreaterThan(14 * 60);
  });
});

describe('pages that can be guessed', () => {
  test('answer no more guesses than the limit, even if they are simultaneous and one is right', async () => {
    const userProvidedId = `order-${randomUUID()}`;
    await client.createPass(templateId, { userProvidedId });
    const from = stranger();
    const open = (name: string, at = from) => send('GET', `/p/${client.accountId}/${name}`, undefined, at);
    const names = Array.from({ length: 200 }, (_, i) => (i === 190 ? userProvidedId : `nobody-${i}`));
    const replies = await Promise.all(names.map((name) => open(name)));
    expect(replies.filter(({ status }) => status === 404).length).toBeLessThanOrEqual(ATTEMPT.limit);
    expect((await open(userProvidedId)).status).toBe(429);
    expect((await open(userProvidedId, stranger())).status).toBe(200);
  });
});

test('print versions of a page count for it and the address', async () => {
  const [pass, other] = [await client.createPass(templateId), await client.createPass(templateId)];
  const from = stranger();
  const print = ({ linkToPassPage }: CreatedPass, at = from) =>
    send('POST', `${new URL(linkToPassPage).pathname}?print` as Path, '', {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...at,
    });
  const { admitted, refused } = await hit(ATTEMPT, () => print(pass));
  expect(statusesOf(admitted)).toEqual([303]);
  expect(refused.body).toContain('<h1>Too many requests</h1>');
  expect([(await print(other)).status, (await print(pass, stranger())).status]).toEqual([303, 303]);
});

test('messages to the Google Wallet callback without Google’s signature count for their address', async () => {
  const from = stranger();
  const say = (body: object | string, at = from) => send('POST', '/wallet/google/callback', body, at);
  const { admitted } = await hit(ATTEMPT, () => say({ signature: 'x' }));
  expect(admitted.every(({ status }) => [400, 401].includes(status))).toBe(true);
  expect((await costOf(await say({ signature: 'x' }))).roundTrips).toBe(0);
  expect((await say({}, stranger())).status).toBe(400);
});

describe('signing in', () => {
  const ask = (email: string, from: From) =>
    send('POST', '/console/sign-in/link', `email=${encodeURIComponent(email)}`, { ...OWN_FORM, ...from });
  const nobody = () => `nobody-${randomUUID()}@example.com`;

  test('mails are limited for the requesting address', async () => {
    const from = stranger();
    const { admitted, refused } = await hit(ATTEMPT, () => ask(nobody(), from));
    expect(statusesOf(admitted)).toEqual([200]);
    expect(refused.body).toContain('<h1>Too many requests</h1>');
    expect((await ask(nobody(), stranger())).status).toBe(200);
  });

  test('mails are limited for the person, wherever they are requested and however the address is spelled', async () => {
    const email = nobody();
    const spelled = (i: number) => (i % 2 ? ` ${email.toUpperCase()} ` : email);
    const { admitted } = await hit(RECIPIENT, (i) => ask(spelled(i), stranger()));
    expect(statusesOf(admitted)).toEqual([200]);
    expect((await ask(nobody(), stranger())).status).toBe(200);
  });

  test('again is limited like the first time: for the person, wherever it is requested', async () => {
    const member = await visitor(client, ['read']);
    const { admitted, refused } = await hit(RECIPIENT, () =>
      send('POST', '/console/confirm/link?to=/console', '', { ...OWN_FORM, ...member.cookie, ...stranger() }),
    );
    expect(statusesOf(admitted)).toEqual([200]);
    expect(refused.body).toContain('<h1>Too many requests</h1>');
  });

  test('with links that do not work counts for the address', async () => {
    const from = stranger();
    const redeem = (at: From) => send('POST', '/console/sign-in', `token=${randomUUID()}`, { ...OWN_FORM, ...at });
    const { admitted, refused } = await hit(ATTEMPT, () => redeem(from));
    expect(statusesOf(admitted)).toEqual([401]);
    expect(refused.body).toContain('<h1>Too many requests</h1>');
    expect((await redeem(stranger())).status).toBe(401);
  });
});

test('test events are limited for each webhook', async () => {
  const account = await freshAccount();
  const [hook, other] = [
    await subscribed(account, 'https://hooks.example.org/a'),
    await subscribed(account, 'https://hooks.example.org/b'),
  ];
  const sendTest = ({ identifier }: { identifier: string }) => account.post(`/api/hook/${identifier}/test`);
  const { admitted, refused } = await hit(RECIPIENT, () => sendTest(hook));
  expect(statusesOf(admitted)).toEqual([202]);
  expect(refused.body).toEqual({ ErrorMessage: 'Too many requests; try again later' });
  const owner = await visitor(account, ['owner']);
  const page = await owner.post(consolePath(account, 'webhooks', hook.identifier, 'test'));
  expect([page.status, page.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(page.body).toContain('<h1>Too many requests</h1>');
  expect((await sendTest(other)).status).toBe(202);
});
