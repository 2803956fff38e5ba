import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, send } from '../../support/api.ts';
import { allLogged, costOf, logged } from '../../support/control.ts';
import { createScanner, type ScannerLink } from '../../support/scanner.ts';

const { origin } = inject('worker');
const SAME_ORIGIN = { Origin: origin };

let client: Client;
let templateId: string;
let scanner: ScannerLink;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  scanner = await createScanner(client, {
    name: 'North <scanner>',
    place: 'Foyer',
    backgroundColor: '#eeeeee',
    textColor: '#ffffff',
  });
});

type Path = `/${string}`;
const below = ({ path }: ScannerLink, rest = ''): Path => `${path}${rest}` as Path;

function sentScan(value: string, changes: Record<string, unknown> = {}) {
  const rest = { deviceName: null, properties: {}, storedValue: null, scannedAt: Date.now() };
  return { id: randomUUID(), configurationId: scanner.configurationId, value, ...rest, ...changes };
}

const scan = (link: ScannerLink, body: object, headers: Record<string, string> = {}) =>
  send('POST', below(link, '/scans'), body, { ...SAME_ORIGIN, ...headers });

describe('the page', () => {
  test('shows the configuration, escaped, and runs nothing that is not ours', async () => {
    const { status, headers, body } = await send('GET', below(scanner));
    expect(status).toBe(200);
    expect(body).toContain('North &lt;scanner&gt;');
    expect(body).not.toContain('North <scanner>');
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get('Permissions-Policy')).toContain('camera=(self)');
    expect(headers.get('Cache-Control')).toContain('no-store');
  });

  test('can be opened any number of times without using the link', async () => {
    await send('GET', below(scanner));
    await send('GET', below(scanner, '/configuration'));
    const { body } = await client.get(`/api/appconfiguration/${scanner.configurationId}`);
    expect(body.appConfigurationLinks).toMatchObject([{ usedOn: null }]);
  });

  test('can be installed: manifest, icons and a service worker for all links', async () => {
    const manifest = await send('GET', below(scanner, '/manifest.webmanifest'));
    expect(manifest.headers.get('Content-Type')).toContain('application/manifest+json');
    const { start_url: start, scope, name, icons } = manifest.body;
    expect({ start, scope, name }).toEqual({ start: scanner.path, scope: '/scan/', name: 'North <scanner>' });
    for (const { src } of icons) expect((await send('GET', src)).headers.get('Content-Type')).toBe('image/png');
    const worker = await send('GET', '/scan/service-worker.js');
    expect(worker.headers.get('Content-Type')).toContain('text/javascript');
    expect(worker.headers.get('Cache-Control')).toBe('no-cache');
  });

  test('of a deleted or unknown link is not found', async () => {
    for (const rest of ['', '/configuration', '/manifest.webmanifest', '/scans'] as const) {
      expect((await send('GET', `/scan/nothing${rest}`)).status).toBe(404);
    }
    expect((await scan({ ...scanner, path: '/scan/nothing' }, sentScan('x'))).status).toBe(404);
  });
});

describe('a scan', () => {
  test('returns its result', async () => {
    const pass = await client.createPass(templateId, { 'Full name': 'Ada Lovelace' });
    const first = await scan(scanner, sentScan(pass.barcodeValue, { deviceName: 'Gate B' }));
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      status: 0,
      validityReason: null,
      isUncovered: false,
      passName: 'Membership',
      holder: 'Ada Lovelace',
      storedValue: null,
      newValue: null,
      usedAt: null,
    });
    expect(first.body.undoableUntil).toBeGreaterThan(Date.now());
    const second = await scan(scanner, sentScan(pass.barcodeValue));
    expect(second.body).toMatchObject({ status: 1, validityReason: 'voided', undoableUntil: null });
    expect(second.body.usedAt).toBeGreaterThan(0);
    const unknown = await scan(scanner, sentScan('no such pass'));
    expect(unknown.body).toMatchObject({ status: 3, validityReason: 'not_found', passName: null, holder: null });
    const recent = await send('GET', below(scanner, '/scans'));
    expect(recent.body).toMatchObject([
      { status: 3, validityReason: 'not_found' },
      { status: 1, validityReason: 'voided' },
      { status: 0, validityReason: null, deviceName: 'Gate B', canUndo: true },
    ]);
  });

  test('returns the date of a pass that is not yet valid or expired, in the account’s time zone', async () => {
    const away = await freshAccount({ timezone: 'Pacific/Auckland' });
    const template = await away.createTemplate({ expiration: { expirationDateDifferentForEachPass: true } });
    const link = await createScanner(away);
    const early = await away.createPass(template, { validAsOfDate: '2099-01-01' });
    const late = await away.createPass(template, { expirationDate: '2020-12-31 23:59' });
    const at = (code: string) => scan(link, sentScan(code, { configurationId: link.configurationId }));
    const dates = { validFrom: null, expiredOn: null };
    const tooEarly = { status: 1, validityReason: 'not_yet_valid', ...dates, validFrom: '2099-01-01T00:00' };
    const tooLate = { status: 1, validityReason: 'expired', ...dates, expiredOn: '2020-12-31T23:59' };
    expect((await at(early.barcodeValue)).body).toMatchObject(tooEarly);
    expect((await at(late.barcodeValue)).body).toMatchObject(tooLate);
    // The device made this scan offline, while the pass was valid.
    const scannedAt = Date.UTC(2020, 11, 31, 10, 58);
    const intime = sentScan(late.barcodeValue, { configurationId: link.configurationId, scannedAt });
    expect((await scan(link, intime)).body).toMatchObject({ status: 0, validityReason: null });
  });

  test('returns the pass’s new value, and how much of it is used up', async () => {
    const at = async (type: string, storedValue: number | null, link: ScannerLink) => {
      const template = await client.createTemplate({ passFunctionality: { type } } as never);
      const { barcodeValue } = await client.createPass(template, { storedValue });
      return (sent: object = {}) =>
        scan(link, sentScan(barcodeValue, { configurationId: link.configurationId, ...sent }));
    };
    const door = await createScanner(client, { scanMode: 1 });
    const spend = await at('stampSpend', 1, door);
    expect((await spend()).body).toMatchObject({ status: 2, newValue: 0, storedValue: null });
    expect((await spend()).body).toMatchObject({ validityReason: 'limit_reached', limit: 'stamps', newValue: null });
    const daily = await at('oncePerDay', null, await createScanner(client));
    const scannedAt = Date.now() - 1_000;
    expect((await daily({ scannedAt })).body).toMatchObject({ status: 2, newValue: null });
    expect((await daily()).body).toMatchObject({ validityReason: 'limit_reached', limit: 'day', usedAt: scannedAt });
    const prepaid = await at('prepaid', 5, door);
    expect((await prepaid({ storedValue: 1.5 })).body).toMatchObject({ status: 2, newValue: 3.5 });
    const refused = await prepaid({ storedValue: 9 });
    expect([refused.status, refused.body.error]).toEqual([400, 'storedValue: 9 is more than the balance of 3.5']);
  });

  test('that is repeated gets the same answer, and counts once', async () => {
    const pass = await client.createPass(templateId);
    const sent = sentScan(pass.barcodeValue);
    const replies = await Promise.all(Array.from({ length: 20 }, () => scan(scanner, sent)));
    expect(new Set(replies.map(({ body }) => body.scanId)).size).toBe(1);
    expect(replies.map(({ body }) => body.status)).toEqual(Array(20).fill(0));
  });

  test('keeps the time when it was made offline', async () => {
    const pass = await client.createPass(templateId);
    const scannedAt = Date.UTC(2026, 0, 2, 3, 4, 5);
    await scan(scanner, sentScan(pass.barcodeValue, { scannedAt }));
    const scans = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
    expect(scans.body).toContainEqual(
      expect.objectContaining({ passId: pass.identifier, createdOn: '2026-01-02 03:04:05' }),
    );
  });

  test('is undone once, by the link that made it', async () => {
    const pass = await client.createPass(templateId);
    const { body } = await scan(scanner, sentScan(pass.barcodeValue));
    const other = await createScanner(client);
    const undo = (link: ScannerLink) => send('POST', below(link, `/scans/${body.scanId}/undo`), {}, SAME_ORIGIN);
    expect((await undo(other)).status).toBe(404);
    expect((await undo(scanner)).status).toBe(200);
    expect((await undo(scanner)).status).toBe(200);
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(false);
    expect((await scan(scanner, sentScan(pass.barcodeValue))).body.status).toBe(0);
  });

  test('of a foreign pass is like one of an unknown pass', async () => {
    const stranger = await freshAccount();
    const pass = await stranger.createPass(await stranger.createTemplate());
    expect((await scan(scanner, sentScan(pass.barcodeValue))).body).toMatchObject({
      status: 3,
      validityReason: 'not_found',
    });
  });

  test('uses its link’s configuration, unless the link allows a change', async () => {
    const other = await createScanner(client, { name: 'Other', scanMode: 1 });
    const free = await createScanner(client, {}, { canChangeConfig: true });
    const foreign = await createScanner(await freshAccount());
    const pass = await client.createPass(templateId);
    const at = (configurationId: string) => sentScan(pass.barcodeValue, { configurationId });
    expect((await scan(free, at(other.configurationId))).body.status).toBe(2);
    expect((await scan(free, at(foreign.configurationId))).status).toBe(404);
    expect((await scan(scanner, at(other.configurationId))).body.status).toBe(0);
  });

  test.each([
    ['id', { id: 'x' }],
    ['value', { value: '' }],
    ['scannedAt', { scannedAt: 'now' }],
    ['storedValue', { storedValue: 'much' }],
    ['properties.a', { properties: { a: [] } }],
  ])('with a wrong %s is rejected by that name', async (field, changes) => {
    const { status, body } = await scan(scanner, sentScan('x', changes));
    expect(status).toBe(400);
    expect(body.error).toContain(`${field}: `);
  });

  test('that is not JSON, or far too long, is rejected', async () => {
    const post = (body: string) => send('POST', below(scanner, '/scans'), body, SAME_ORIGIN);
    expect((await post('{')).status).toBe(400);
    expect((await post(JSON.stringify(sentScan('x'.repeat(70_000))))).status).toBe(413);
  });

  test('takes two round trips', async () => {
    const pass = await client.createPass(templateId);
    const cost = await costOf(await scan(scanner, sentScan(pass.barcodeValue)));
    expect(cost.roundTrips).toBe(2);
  });

  test('leaves its link’s secret in no log and no cache', async () => {
    const { headers } = await scan(scanner, sentScan('x'));
    expect(headers.get('Cache-Control')).toBe('no-store');
    const line = await logged({ event: 'request', requestId: headers.get('X-Request-Id') });
    expect(line.route).toBe('/scan/:token/scans');
    const token = scanner.path.split('/').at(-1)!;
    expect(JSON.stringify(await allLogged({})).includes(token)).toBe(false);
  });
});

describe('other sites', () => {
  test('cannot change anything, with a form or a script', async () => {
    const pass = await client.createPass(templateId);
    const body = sentScan(pass.barcodeValue);
    expect((await scan(scanner, body, { Origin: 'https://example.com' })).status).toBe(401);
    expect((await send('POST', below(scanner, '/scans'), body)).status).toBe(401);
    expect((await scan(scanner, body, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(false);
  });
});

describe('an expired link', () => {
  test('shows only its name, and accepts no scan', async () => {
    const pass = await client.createPass(templateId);
    const expired = await createScanner(client, { name: 'Yesterday' }, { validTo: '2020-01-01 12:00' });
    expect((await send('GET', below(expired, '/configuration'))).body).toEqual({
      state: 'locked',
      name: 'Yesterday',
      place: '',
      colors: expect.anything(),
    });
    expect((await scan(expired, sentScan(pass.barcodeValue))).status).toBe(403);
    expect((await send('GET', below(expired, '/scans'))).status).toBe(403);
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(false);
  });

  test('opens with its PIN for the browser that sent it, and for no other link', async () => {
    const pass = await client.createPass(templateId);
    const [expired, other] = await Promise.all([
      createScanner(client, {}, { validTo: '2020-01-01 12:00' }),
      createScanner(client, {}, { validTo: '2020-01-01 12:00' }),
    ]);
    const { status, headers, body } = await send('POST', below(expired, '/unlock'), { pin: expired.pin }, SAME_ORIGIN);
    expect(status).toBe(200);
    expect(body.state).toBe('open');
    const cookie = headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    const Cookie = cookie.split(';')[0]!;
    const at = (link: ScannerLink) => sentScan(pass.barcodeValue, { configurationId: link.configurationId });
    expect((await scan(other, at(other), { Cookie })).status).toBe(403);
    expect((await scan(expired, at(expired), { Cookie })).body.status).toBe(0);
  });

  test('is locked after five wrong PINs, however many are tried at once', async () => {
    const expired = await createScanner(client, {}, { validTo: '2020-01-01 12:00' });
    const unlock = (pin: string) => send('POST', below(expired, '/unlock'), { pin }, SAME_ORIGIN);
    const replies = await Promise.all(Array.from({ length: 50 }, () => unlock('nonsense')));
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(4);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(46);
    expect((await unlock(expired.pin)).status).toBe(429);
  });
});
