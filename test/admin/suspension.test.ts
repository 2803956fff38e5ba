import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { RATES } from '../../src/domain/rate-limits.ts';
import { consolePath, type Visitor, visitor } from '../pages/console/browser-session.ts';
import { admin, type Client, type CreatedPass, clientOf, freshAccount, send } from '../support/api.ts';
import { costOf } from '../support/control.ts';
import { hit, stranger } from '../support/rate-limits.ts';
import { createScanner, type ScannerLink } from '../support/scanner.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

const { origin } = inject('worker');
const WHY = /suspended/;

let account: Client;
let sub: Client;
let owner: Visitor;
let scanner: ScannerLink;
let pass: CreatedPass;
beforeAll(async () => {
  account = await freshAccount();
  const { body } = await account.post('/api/customer', { company_name: 'Harbour Theatre', last_name: 'Hopper' });
  sub = clientOf(body.customer_identifier, body.apiToken);
  owner = await visitor(sub, ['owner']);
  scanner = await createScanner(sub);
  pass = await sub.createPass(await sub.createTemplate());
  await admin('account suspend', { id: account.accountId });
});

describe('a suspended account', () => {
  test.each(['/api/v3/project', '/api/pass-template', '/api/v2/pass-template/x/describe'] as const)(
    'gets 401 at %s, and so does its sub-customer',
    async (path) => {
      for (const { apiKey } of [account, sub]) {
        const { status, body } = await send('GET', path, undefined, { Authorization: apiKey });
        expect(status).toBe(401);
        expect(JSON.stringify(body)).toMatch(WHY);
      }
    },
  );

  test('is shown as suspended in the console', async () => {
    for (const path of [consolePath(sub), consolePath(sub, 'passes')]) {
      const { status, body } = await owner.get(path);
      expect(status).toBe(403);
      expect(body).toContain('This account is suspended');
      expect(body).not.toContain(pass.identifier);
    }
    const tried = await owner.post(consolePath(sub, 'settings'), { name: 'Other' });
    expect(tried.status).toBe(403);
  });

  test('is reported as suspended by its scanner links, whose app keeps its scans', async () => {
    const page = await send('GET', scanner.path as '/', undefined, { Accept: 'text/html', 'Accept-Language': 'de' });
    expect([page.status, page.body.includes('Dieses Konto ist gesperrt')]).toEqual([403, true]);
    const rest = { deviceName: null, properties: {}, storedValue: null, scannedAt: Date.now() };
    const scan = { id: randomUUID(), configurationId: scanner.configurationId, value: pass.barcodeValue, ...rest };
    const scanned = await send('POST', `${scanner.path}/scans` as '/', scan, { Origin: origin });
    expect([scanned.status, scanned.body.error]).toEqual([423, expect.stringMatching(WHY)]);
  });

  test('is not asked for in the database by an address that used its keys or links too often', async () => {
    const from = stranger();
    const requests = [
      () => send('GET', '/api/v3/project', undefined, { Authorization: sub.apiKey, ...from }),
      () => send('GET', scanner.path as '/', undefined, { Accept: 'text/html', ...from }),
    ];
    for (const request of requests) {
      await hit(RATES.ATTEMPT_RATE_LIMITER, request);
      const refused = await request();
      expect([refused.status, (await costOf(refused)).roundTrips]).toEqual([429, 0]);
    }
  });

  test('still has its pass pages, pass files and the Apple web service', async () => {
    expect((await send('GET', pass.linkToPassPage as '/')).status).toBe(200);
    expect((await send('GET', pass.linkToPassFile as '/')).status).toBe(200);
    const device = new Device();
    expect((await device.register(pass)).status).toBe(201);
    expect((await device.list()).body.serialNumbers).toEqual([pass.identifier]);
  });

  test('is listed as suspended, and works from the next request after it is resumed', async () => {
    const listed = async () =>
      (await admin<{ accountId: string; suspended: boolean }[]>('account list', {})).filter(({ accountId }) =>
        [account.accountId, sub.accountId].includes(accountId),
      );
    expect((await listed()).map(({ suspended }) => suspended)).toEqual([true, true]);
    await admin('account resume', { id: account.accountId });
    expect((await listed()).map(({ suspended }) => suspended)).toEqual([false, false]);
    for (const client of [account, sub]) expect((await client.get('/api/v3/project')).status).toBe(200);
    expect((await owner.get(consolePath(sub))).status).toBe(200);
    expect((await send('GET', scanner.path as '/')).status).toBe(200);
  });

  test('must exist', async () => {
    for (const command of ['account suspend', 'account resume']) {
      await expect(admin(command, { id: randomUUID() })).rejects.toThrow('Not found: --id');
    }
  });
});
