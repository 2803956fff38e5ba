import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { app as admin } from '../../src/app/admin.ts';
import { app as api } from '../../src/app/api.ts';
import { consoleWith } from '../../src/app/console.ts';
import { app as dev } from '../../src/app/dev.ts';
import { app as mcp } from '../../src/app/mcp.ts';
import { app as pages } from '../../src/app/pages.ts';
import { app as scanner } from '../../src/app/scanner.ts';
import { app as setup } from '../../src/app/setup.ts';
import { app as wallets } from '../../src/app/wallets.ts';
import { type Client, freshAccount, type Reply, send } from '../support/api.ts';
import { createConfiguration, scan } from '../support/app-scans.ts';
import { d1, eventually, linkTokens } from '../support/control.ts';
import { type FuzzAccount, fuzzAccount } from '../support/fuzz-account.ts';
import { createScanner } from '../support/scanner.ts';
import { PASS_TYPE_ID } from '../support/start-worker.ts';
import { alikeText, secretsIn, unknownName, withoutNames } from '../support/strangers.ts';
import { rowsOfAccount, untilAtRest } from '../support/tenant-rows.ts';
import { allSections } from '../support/whole-console.ts';
import { OWN_FORM, type Visitor, visitor } from './console/browser-session.ts';

/*
 * Every route of the app is called with another account's names. `api/tenancy` covers the contract's operations,
 * `pages/console/strangers` account pages, and this file the rest: with another account's pass, device, scanner link
 * and API key, and with none.
 */

/** Routes that read no tenant data, or none selected by the request, each with its reason. */
const WITHOUT_NAMES: Record<string, string> = {
  'GET /openapi.json': 'the contract',
  'ALL /mcp': 'refuses every method but POST',
  'POST /mcp': 'calls operations of the contract; mcp/rights names what is of others',
  'GET /': 'the same page for everybody, but for the demo of a local service; pages/dev-demo covers it',
  'GET /docs': 'the same page for everybody',
  'GET /scan/service-worker.js': 'the same script for everybody',
  'POST /wallet/apple/v1/log': 'writes to the log of the service',
  'POST /wallet/apple/:shard{[0-9]+}/v1/log': 'writes to the log of the service',
  'POST /wallet/google/callback': 'counts only with the signature of Google; wallets/google/route covers it',
  'POST /admin/commands': 'takes the token of the operator; admin/commands covers it',
  'GET /console': 'leads to the accounts of the session',
  'GET /console/you': 'shows the person of the session',
  'GET /console/service': 'is for operators of the service alone; pages/console/service covers it',
  'GET /console/service/address': 'is for operators of the service alone; domain/setup covers it',
  'POST /console/service/address': 'is for operators of the service alone; domain/setup covers it',
  'GET /setup': 'is there while no account exists',
  'POST /setup': 'is there while no account exists',
  'GET /console/sign-in': 'asks for an email address',
  'POST /console/sign-in': 'takes the secret of a sign-in link',
  'POST /console/sign-in/link': 'says the same of each email address',
  'POST /console/sign-in/passkey/options': 'makes a challenge for the browser that asks',
  'POST /console/sign-in/passkey': 'takes what a passkey has signed, and signs in whom it belongs to',
  'POST /console/sign-in/passkey/again': 'takes what a passkey of the person of the session has signed',
  'GET /console/you/passkeys/new': 'asks the person of the session for a name',
  'POST /console/you/passkeys/options': 'makes a challenge for the person of the session',
  'POST /console/you/passkeys': 'adds a passkey to the person of the session',
  'GET /console/you/passkeys/:passkey/remove':
    'names what is a person’s and no account’s; pages/console/passkeys covers it',
  'POST /console/you/passkeys/:passkey/remove':
    'names what is a person’s and no account’s; pages/console/passkeys covers it',
  'POST /console/you/sessions/:session/sign-out':
    'names what is a person’s and no account’s; pages/console/you covers it',
  'GET /console/confirm': 'asks the person of the session to sign in again',
  'GET /console/confirm/passkey': 'asks the person of the session for a passkey',
  'GET /console/confirm/done': 'goes on with what the person of the session has begun',
  'POST /console/confirm/link': 'sends a mail to the person of the session',
  'POST /console/sign-out': 'ends the session of the request',
  'POST /console/sign-out/everywhere': 'ends the sessions of the person',
  'GET /images/:sha256': 'images are public to whoever knows the digest of their content',
};
/** Dev inbox, clock and demo, which are for the operator and only open on the loopback address. */
const IS_WITHOUT_NAMES = /^(GET|POST|DELETE) \/dev\/((in|out)box|clock|demo)/;
/** Apple's protocol: 401 means a wrong token, 404 an unknown pass. */
const TELLS_401 = /^(GET|POST|DELETE) \/wallet\/apple\/(:shard\S+\/)?v1\/.*\/:serial$/;

interface Names {
  account: string;
  pass: string;
  template: string;
  bundle: string;
  userProvidedId: string;
  message: string;
  configuration: string;
  link: string;
  scan: string;
}

/** The caller's own account: its identifier, and secrets of its objects. */
interface Held {
  account: string;
  pass: string;
  pageToken: string;
  fileToken: string;
  authenticationToken: string;
  scanner: string;
  configuration: string;
  headers: Record<string, string>;
}

const NOTHING: Held = {
  account: crypto.randomUUID(),
  pass: crypto.randomUUID(),
  pageToken: 'a'.repeat(25),
  fileToken: 'a'.repeat(25),
  authenticationToken: 'a'.repeat(32),
  scanner: 'a'.repeat(25),
  configuration: crypto.randomUUID(),
  headers: {},
};
const OWN_NAME = 'own-name';
const DEVICE = crypto.randomUUID();

/** A stranger's request to a route, with an account's names. */
interface Visit {
  /** Values of the path's parameters. */
  path: Record<string, string>;
  query?: Record<string, string>;
  body?: object | string;
  headers?: Record<string, string>;
}

const operations = Object.entries<object>(
  JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8')).paths,
).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));

const surfaces = [api, wallets, scanner, mcp, consoleWith(allSections), setup, admin, dev, pages].flatMap(
  (app) => app.routes,
);
const routes = [...new Set(surfaces.map(({ method, path }) => `${method} ${path}`))];
const isInContract = (route: string) => operations.includes(route.replace(/:(\w+)(?:\{[^/]*\})?/g, '{$1}'));
/** Routes that `pages/console/strangers` covers by reading them from the console. */
const isOfConsole = (route: string) => /^(GET|POST) \/console\/accounts\/:account\b/.test(route);
/** Middleware, which doesn't answer requests itself. */
const isMiddleware = (route: string) => /^ALL .*\*$/.test(route);
const isWithoutNames = (route: string) => route in WITHOUT_NAMES || IS_WITHOUT_NAMES.test(route);

const isWalkedElsewhere = (route: string) =>
  isInContract(route) || isOfConsole(route) || isMiddleware(route) || isWithoutNames(route);
const walked = routes.filter((route) => !isWalkedElsewhere(route));

const handleOf = (pass: string) => createHash('sha256').update(pass).digest('hex').slice(0, 32);
const { origin } = inject('worker');

let owner: FuzzAccount;
let member: Visitor;
let names: Names;
let unknown: Names;
let holders: Record<string, Held>;
let before: Awaited<ReturnType<typeof rowsOfAccount>>;
let secrets: string[];

beforeAll(async () => {
  owner = await fuzzAccount();
  const stranger = await freshAccount();
  member = await visitor(stranger, ['read']);
  names = await namesOf(owner);
  // The entries match `names`, which `fromEntries` doesn't express in its type.
  unknown = Object.fromEntries(
    Object.entries(names).map(([kind, name]) => [kind, unknownName(name)]),
  ) as unknown as Names;
  holders = { 'a holder of another account': await heldIn(stranger), nobody: NOTHING };
  await untilAtRest(owner.client.accountId);
  before = await rowsOfAccount(owner.client.accountId);
  secrets = secretsIn(before);
});

afterAll(async () => {
  expect(await rowsOfAccount(owner.client.accountId)).toEqual(before);
});

/** Returns the names of one object of each kind that a request can name. */
async function namesOf({ client, templates, passes, others }: FuzzAccount): Promise<Names> {
  const one = (table: string) =>
    eventually(async () => {
      const [row] = await d1<{ id: string }>(`select id from ${table} where account_id = ?`, [client.accountId]);
      return row?.id;
    });
  const scanner = await createConfiguration(client, { scanMode: 1 });
  await scan(client, scanner, passes[0]!);
  const sending = await client.createTemplate({ sendoutOptions: { sms: { text: 'Your pass' } } });
  await client.createPass(sending, { phoneRecipient: '+436641234567' });
  return {
    account: client.accountId,
    pass: passes[0]!,
    template: templates[0]!,
    bundle: others['pass-bundle']![0]!,
    userProvidedId: 'name-0',
    configuration: others.appconfiguration![0]!,
    link: others.link![0]!,
    scan: await one('app_scans'),
    message: await one('messages'),
  };
}

/** Creates a pass in a bundle, with its secrets, and a scanner link. */
async function heldIn(client: Client): Promise<Held> {
  const pass = await client.createPass(await client.createTemplate(), { userProvidedId: OWN_NAME, bundleId: 'own' });
  const { file, authentication } = await linkTokens(pass.identifier);
  const scanner = await createScanner(client);
  return {
    account: client.accountId,
    pass: pass.identifier,
    pageToken: pass.linkToPassPage.split('/').at(-1)!,
    fileToken: file,
    authenticationToken: authentication,
    scanner: scanner.path.split('/').at(-1)!,
    configuration: scanner.configurationId,
    headers: member.cookie,
  };
}

const pathOf = (route: string, values: Record<string, string>) =>
  route
    .split(' ')[1]!
    .replace(/:(\w+)(?:\{[^/]*\})?/g, (_, name: string) => encodeURIComponent(values[name]!))
    .replace('*', `a/b/c/${values.name}`);

/** Returns the ways to name another account's objects at a route. Add an entry for each new route. */
function visitsOf(route: string, named: Names, held: Held): Visit[] {
  const [method, path] = route.split(' ') as [string, string];
  const member = handleOf(named.pass);
  if (path.startsWith('/passes/:id/')) {
    const endings = path.includes('pkpass') ? ['pkpass'] : ['png', 'svg'];
    return endings.map((ending) => ({ path: { id: named.pass, file: `${held.fileToken}.${ending}` } }));
  }
  if (path.startsWith('/wallet/apple/')) {
    const headers = { Authorization: `ApplePass ${held.authenticationToken}` };
    const body = method === 'POST' ? { pushToken: 'a-token' } : undefined;
    return [{ path: { shard: '1', device: DEVICE, passType: PASS_TYPE_ID, serial: named.pass }, body, headers }];
  }
  if (path === '/messages/:id/status') return [{ path: { id: named.message }, body: 'MessageStatus=delivered' }];
  if (path.startsWith('/person-exports/')) {
    const file = `${Date.now() + 60_000}.${'a'.repeat(43)}.zip`;
    return [{ path: { accountId: named.account, processId: crypto.randomUUID(), file } }];
  }
  if (path.startsWith('/scan/:token')) return scannerVisits(route, named, held);
  if (path.startsWith('/p/') || path.startsWith('/:lang/p/')) {
    const body = method === 'POST' ? 'pin=0000' : undefined;
    const visit = (values: Record<string, string>): Visit => ({ path: { lang: 'de', ...values }, body });
    if (path.includes(':account')) {
      return [
        visit({ account: held.account, userProvidedId: named.userProvidedId, member }),
        visit({ account: held.account, userProvidedId: OWN_NAME, member: handleOf(named.pass) }),
      ].slice(0, path.includes(':member') ? 2 : 1);
    }
    if (path.includes(':member')) return [held.pageToken, held.pass].map((name) => visit({ name, member }));
    // A pass's identifier opens its page, and whoever knows it received it.
    const { account, template, bundle, configuration } = named;
    return [account, template, bundle, configuration].map((name) => visit({ name }));
  }
  throw new Error(`${route}: say here how a stranger can name what is another account's`);
}

function scannerVisits(route: string, named: Names, held: Held): Visit[] {
  const headers = { Origin: origin };
  const query = { configurationId: named.configuration };
  if (route === 'POST /scan/:token/scans') {
    const rest = { id: crypto.randomUUID(), deviceName: null, properties: {}, storedValue: null, scannedAt: 1 };
    const body = (configurationId: string, value: string) => ({ ...rest, configurationId, value });
    return [
      { path: { token: held.scanner }, body: body(held.configuration, named.pass), headers },
      { path: { token: held.scanner }, body: body(named.configuration, named.userProvidedId), headers },
      { path: { token: named.link }, body: body(named.configuration, named.pass), headers },
    ];
  }
  const body = route.startsWith('POST ') ? { pin: '0000' } : undefined;
  return [
    { path: { token: held.scanner, id: named.scan }, body, headers },
    { path: { token: held.scanner, id: named.scan }, query, body, headers },
    { path: { token: named.link, id: named.scan }, body, headers },
  ];
}

let networks = 0;

function call(route: string, { path, query = {}, body, headers }: Visit, held: Held): Promise<Reply> {
  networks += 1;
  const [method] = route.split(' ') as [string];
  const form = typeof body === 'string' ? OWN_FORM : {};
  // Each uses its own network, because wrong guesses are counted.
  const network = { 'CF-Connecting-IP': `2001:db8:${networks.toString(16)}::1` };
  const address = `${pathOf(route, path)}?${new URLSearchParams(query)}` as '/';
  return send(method, address, body, { ...network, ...held.headers, ...form, ...headers });
}

const textOf = ({ headers, body }: Reply) =>
  `${headers.get('Location') ?? ''} ${typeof body === 'string' ? body : (JSON.stringify(body) ?? '')}`;

/** The names that appear in addresses; those of download pages are digests. */
const sentOf = (named: Names) => [...Object.values(named), handleOf(named.pass)];

describe('every route', () => {
  test('is covered here, by the contract, or by the console', () => {
    expect(routes.length).toBeGreaterThan(250);
    expect(routes.filter(isInContract).length).toBe(operations.length);
    for (const route of walked) expect(visitsOf(route, names, NOTHING).length).toBeGreaterThan(0);
  });

  test('that is left out exists', () => {
    expect(Object.keys(WITHOUT_NAMES).filter((route) => !routes.includes(route))).toEqual([]);
  });

  test.each([
    'GET /api/v3/unheard-of/:id',
    'GET /unheard-of',
    'PUT /console/accounts/:account/passes/:pass',
    'ALL /all',
  ])('that nothing covers is noticed: %s', (route) => {
    expect(isWalkedElsewhere(route)).toBe(false);
    expect(() => visitsOf(route, names, NOTHING)).toThrow(route);
  });
});

describe.each(['a holder of another account', 'nobody'])('%s', (who) => {
  test.for(walked)('finds nothing of an account at %s', async (route) => {
    const held = holders[who]!;
    const [foreign, none] = [visitsOf(route, names, held), visitsOf(route, unknown, held)];
    for (const [i, visit] of foreign.entries()) {
      const reply = await call(route, visit, held);
      const noReply = await call(route, none[i]!, held);
      const told = withoutNames(textOf(reply), sentOf(names));
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
      if (TELLS_401.test(route)) expect([401, 404]).toContain(reply.status);
      else expect(reply.status).toBe(noReply.status);
      if (TELLS_401.test(route)) continue;
      expect(alikeText(textOf(reply), sentOf(names))).toBe(alikeText(textOf(noReply), sentOf(unknown)));
    }
  });
});

test('a user’s secrets open their own objects', async () => {
  const { account, pass, pageToken, fileToken, authenticationToken, scanner } = holders['a holder of another account']!;
  const apple = { Authorization: `ApplePass ${authenticationToken}` };
  const open: [path: string, headers?: Record<string, string>][] = [
    [`/passes/${pass}/${fileToken}.pkpass`],
    [`/wallet/apple/v1/passes/${PASS_TYPE_ID}/${pass}`, apple],
    [`/p/${pageToken}`],
    [`/p/${pass}/m/${handleOf(pass)}`],
    [`/p/${account}/${OWN_NAME}/m/${handleOf(pass)}`],
    [`/scan/${scanner}/configuration`],
  ];
  const replies = await Promise.all(open.map(([path, headers]) => send('GET', path as '/', undefined, headers)));
  expect(replies.map(({ status }) => status)).toEqual(open.map(() => 200));
});

describe('a member of another account', () => {
  test.for(Object.keys(WITHOUT_NAMES).filter((route) => route.startsWith('GET ')))(
    'learns nothing about an account at %s',
    async (route) => {
      const query = new URLSearchParams(Object.entries(names));
      const address = `${pathOf(route, { sha256: '0'.repeat(64) })}?${query}` as '/';
      const told = withoutNames(textOf(await send('GET', address, undefined, member.cookie)), sentOf(names));
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    },
  );
});
