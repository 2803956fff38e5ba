import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RATES } from '../../src/domain/rate-limits.ts';
import { type CreatedPass, send } from '../support/api.ts';
import { type LimitedWorker, startLimitedWorker } from '../support/limited-worker.ts';
import { type From, hit, statusesOf, stranger } from '../support/rate-limits.ts';
import { sampleTemplate } from '../support/samples.ts';
import { PASS_TYPE_ID } from '../support/start-worker.ts';
import { unzip } from '../wallets/apple/tools.ts';

/*
 * Limits on total traffic, in a Worker with lower limits than `wrangler.toml`, so that tests need not be fast. The real
 * numbers are tested next to the module.
 */

const TRAFFIC = { limit: 30, period: RATES.TRAFFIC_RATE_LIMITER.period };
const CROWD = { limit: 20, period: RATES.CROWD_RATE_LIMITER.period };

let worker: LimitedWorker;
beforeAll(async () => {
  worker = await startLimitedWorker({ TRAFFIC_RATE_LIMITER: TRAFFIC.limit, CROWD_RATE_LIMITER: CROWD.limit });
});
afterAll(() => worker?.close());

const get = (path: string, headers: From) => send('GET', `${worker.origin}${path}` as 'http://x', undefined, headers);
const hex = () => randomBytes(8).toString('hex');
const html = (language: string) => ({ Accept: 'text/html', 'Accept-Language': language });
const token = { Authorization: 'ApplePass x' };

describe('traffic of one address', () => {
  test.each<[what: string, path: () => string, headers: From, says: string]>([
    ['pages', () => '/p/nothing', html('fr'), '<h1>Trop de requêtes</h1>'],
    ['pages with a language', () => '/it/p/nothing', html('nl'), '<h1>Troppe richieste</h1>'],
    ['pass files', () => '/passes/x/y.pkpass', html('de'), '<h1>Zu viele Anfragen</h1>'],
    ['pass files for programs', () => '/passes/x/y.pkpass', {}, 'Too many requests'],
    ['barcodes', () => '/passes/x/y.png', html('es'), '<h1>Demasiadas solicitudes</h1>'],
    ['pictures', () => '/images/x', html('it'), '<h1>Troppe richieste</h1>'],
    ['the scanner', () => '/scan/a/b/c', html('de'), '<h1>Zu viele Anfragen</h1>'],
    ['the console', () => '/console/sign-in', html('en'), '<h1>Too many requests</h1>'],
    [
      'lists of passes',
      () => `/wallet/apple/v1/devices/${hex()}/registrations/${PASS_TYPE_ID}`,
      {},
      'Too many requests',
    ],
    ['passes of devices', () => `/wallet/apple/v1/passes/${PASS_TYPE_ID}/x`, token, 'Too many requests'],
    ['health', () => '/health', {}, 'Too many requests'],
  ])('to %s is rejected beyond the limit, but other addresses are not affected', async (_, path, headers, says) => {
    const from = stranger();
    const ask = (at: From) => get(path(), { ...headers, ...at });
    const { refused } = await hit(TRAFFIC, () => ask(from));
    expect(JSON.stringify(refused.body)).toContain(says);
    expect(await worker.roundTripsOf(refused)).toBe(0);
    expect((await ask(stranger())).status).not.toBe(429);
  });

  test('is counted separately for pages, the scanner and wallets, so that visitors never block a scanner', async () => {
    const from = stranger();
    await hit(TRAFFIC, () => get('/p/nothing', from));
    expect((await get('/scan/a/b/c', from)).status).toBe(404);
    expect((await get('/health', from)).status).toBe(200);
    expect((await get(`/wallet/apple/v1/passes/${PASS_TYPE_ID}/x`, { ...token, ...from })).status).toBe(404);
  });

  test('does not include requests with a valid key', async () => {
    const from = stranger();
    for (let i = 0; i <= 2 * TRAFFIC.limit; i++) {
      const reply = await get('/api/v3/project', { Authorization: worker.client.apiKey, ...from });
      expect(reply.status).toBe(200);
    }
  });

  test('counts for its own machine, too, unless LIMITS_BY_ADDRESS is off', async () => {
    await hit(TRAFFIC, () => get('/images/y', {}));
  });
});

const post = (path: string, body: object) => worker.client.post(`${worker.origin}${path}` as 'http://x', body);

test('a scanner link is limited for all its users together', async () => {
  const newLink = async () => {
    const made = await post('/api/appconfiguration', { name: 'Main entrance', scanMode: 0 });
    const { configurationId } = made.body.configuration[0];
    const { body } = await post(`/api/appconfiguration/${configurationId}/link`, {});
    return new URL(body.branchLink).pathname;
  };
  const [scanner, other] = [await newLink(), await newLink()];
  const { admitted } = await hit(TRAFFIC, () => get(`${scanner}/configuration`, stranger()));
  expect(statusesOf(admitted)).toEqual([200]);
  expect((await get(`${other}/configuration`, stranger())).status).toBe(200);
});

describe('devices', () => {
  interface Registrable extends CreatedPass {
    token: string;
  }
  let templateId: string;
  beforeAll(async () => {
    templateId = (await post('/api/v2/pass-template', sampleTemplate())).body.data.identifier;
  });
  const newPass = async (): Promise<Registrable> => {
    const pass: CreatedPass = (await post(`/api/pass?passtemplate=${templateId}`, { 'Full name': 'Ada' })).body;
    const file = await get(new URL(pass.linkToPassFile).pathname, stranger());
    const { authenticationToken } = JSON.parse(unzip(file.body).get('pass.json')!.toString());
    return { ...pass, token: authenticationToken };
  };
  const register = ({ identifier, token }: Registrable, from: From) =>
    send(
      'POST',
      `${worker.origin}/wallet/apple/v1/devices/${hex()}/registrations/${PASS_TYPE_ID}/${identifier}` as 'http://x',
      { pushToken: hex() },
      { Authorization: `ApplePass ${token}`, ...from },
    );

  test('that register for one pass are limited, whatever their addresses; other passes are not', async () => {
    const [pass, other] = [await newPass(), await newPass()];
    const { admitted, refused } = await hit(CROWD, () => register(pass, stranger()));
    expect(statusesOf(admitted)).toEqual([201]);
    expect(await worker.roundTripsOf(refused)).toBe(1);
    expect((await register(other, stranger())).status).toBe(201);
  });

  test('that register from one address are limited, whatever their passes; other addresses are not', async () => {
    const passes = await Promise.all(Array.from({ length: 3 }, newPass));
    const from = stranger();
    const { admitted } = await hit(CROWD, (i) => register(passes[i % passes.length]!, from));
    expect(statusesOf(admitted)).toEqual([201]);
    expect((await register(passes[0]!, stranger())).status).toBe(201);
  });

  test('that guess tokens are limited by address without a database query', async () => {
    const [pass, from] = [await newPass(), stranger()];
    const { admitted, refused } = await hit(TRAFFIC, () => register({ ...pass, token: hex() }, from));
    expect(statusesOf(admitted)).toEqual([401]);
    expect(await worker.roundTripsOf(refused)).toBe(0);
    expect((await register(pass, stranger())).status).toBe(201);
  });

  test('that ask for their passes are limited individually, whatever their addresses', async () => {
    const list = (device: string) =>
      get(`/wallet/apple/v1/devices/${device}/registrations/${PASS_TYPE_ID}`, stranger());
    const device = hex();
    const { admitted } = await hit(CROWD, () => list(device));
    expect(statusesOf(admitted)).toEqual([204]);
    expect((await list(hex())).status).toBe(204);
  });

  test('that write to the log are limited by address', async () => {
    const from = stranger();
    const write = (at: From) => send('POST', `${worker.origin}/wallet/apple/v1/log` as 'http://x', { logs: [] }, at);
    await hit(CROWD, () => write(from));
    expect((await write(stranger())).status).toBe(200);
  });
});
