import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PRIVILEGES } from '../../../src/domain/users/privileges.ts';
import { consoleRoutes } from '../../../src/pages/console/route.tsx';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { type FuzzAccount, fuzzAccount } from '../../support/fuzz-account.ts';
import { alikeText, secretsIn, unknownName, withoutNames } from '../../support/strangers.ts';
import { rowsOfAccount, untilAtRest } from '../../support/tenant-rows.ts';
import { allSections } from '../../support/whole-console.ts';
import { OWN_FORM, type Visitor, visitor } from './browser-session.ts';

/*
 * Every page and form of the console, with another account's address, with another account's objects in one's own
 * account, and without a session.
 */

const ACCOUNT = '/console/accounts/:account';

interface Page {
  method: string;
  path: string;
}

const pages: Page[] = [
  ...new Map(consoleRoutes(allSections).routes.map((route) => [`${route.method} ${route.path}`, route])).values(),
]
  .filter(({ method, path }) => ['GET', 'POST'].includes(method) && path.startsWith(ACCOUNT))
  .map(({ method, path }) => ({ method, path }));

/** Values for address parameters, by the segment before them, and for form fields by name. */
type Names = Record<string, string>;

let owner: FuzzAccount;
let stranger: Client;
let member: Visitor;
let names: Names;
let unknown: Names;
let before: Awaited<ReturnType<typeof rowsOfAccount>>;
let secrets: string[];

beforeAll(async () => {
  [owner, stranger] = await Promise.all([fuzzAccount(), freshAccount()]);
  await visitor(owner.client, ['read']);
  await owner.client.post(`/api/pass/deliver/${owner.passes[0]}/email/ada@example.com`);
  member = await visitor(stranger, [...PRIVILEGES]);
  await untilAtRest(owner.client.accountId);
  names = await namesOf(owner);
  unknown = Object.fromEntries(Object.entries(names).map(([kind, name]) => [kind, unknownName(name)]));
  before = await rowsOfAccount(owner.client.accountId);
  secrets = secretsIn(before);
});

afterAll(async () => {
  expect(await rowsOfAccount(owner.client.accountId)).toEqual(before);
});

/** Returns the names of one object of each kind in an account. */
async function namesOf({ client, templates, passes, others }: FuzzAccount): Promise<Names> {
  const one = async (table: string, column = 'id') =>
    String((await d1(`select ${column} as name from ${table} where account_id = ?`, [client.accountId]))[0]?.name);
  return {
    templates: templates[0]!,
    passes: passes[0]!,
    'app-configurations': others.appconfiguration![0]!,
    links: others.link![0]!,
    projects: others.project![0]!,
    segments: others.segment![0]!,
    processes: others.process![0]!,
    notifications: others.notification![0]!,
    webhooks: others.hook![0]!,
    deliveries: others.deliveries![0]!,
    members: await one('memberships', 'user_id'),
    'api-keys': await one('api_keys'),
  };
}

/** Returns the fields of all forms that name something. */
function fieldsOf(known: Names): Record<string, string> {
  const { templates, passes, projects, segments } = known;
  const texts = { name: 'A name', title: 'A title', text: 'A text', email: 'ada@example.com', event: 'pass_created' };
  return {
    ...texts,
    ...{ template: templates!, templates: templates!, passTemplateId: templates!, templateId: templates! },
    ...{ pass: passes!, passes: passes!, ids: passes!, id: passes!, project: projects!, projectId: projects! },
    ...{ segment: segments!, configuration: known['app-configurations']!, link: known.links! },
    ...{ targetUrl: 'https://nobody.example.com/hook', recipient: 'ada@example.com', confirmed: 'yes', scanMode: '0' },
  };
}

/** Calls an account's page with names of its objects. */
function call(visiting: Visitor | undefined, { method, path }: Page, account: string, known: Names): Promise<Reply> {
  const address = path.split('/').map((segment, i, all) => {
    if (!segment.startsWith(':')) return segment;
    return segment === ':account' ? account : (known[all[i - 1]!] ?? known.passes!);
  });
  const fields = new URLSearchParams(fieldsOf(known)).toString();
  const cookie = visiting?.cookie ?? {};
  return method === 'GET'
    ? send('GET', `${address.join('/')}?${fields}` as '/', undefined, cookie)
    : send('POST', address.join('/') as '/', fields, { ...OWN_FORM, ...cookie });
}

const alike = ({ status, headers, body }: Reply, sent: string[]) => [
  status,
  alikeText(headers.get('Location') ?? '', sent),
  // Each audit log export contains the previous export's entry.
  alikeText(String(body).replaceAll(/^.*,audit_log\.export,.*\r\n/gm, ''), sent),
];

test('the list contains exactly the console’s pages', () => expect(pages.length).toBeGreaterThan(100));

describe('a member of another account', () => {
  test.for(pages)('does not find $method $path', async (page) => {
    const { accountId } = owner.client;
    const nobodys = crypto.randomUUID();
    const [foreign, none] = [await call(member, page, accountId, names), await call(member, page, nobodys, unknown)];
    expect(foreign.status).toBe(404);
    expect(alike(foreign, [accountId, ...Object.values(names)])).toEqual(
      alike(none, [nobodys, ...Object.values(unknown)]),
    );
  });

  test.for(pages)('finds nothing of it at $method $path of their own account', async (page) => {
    const { accountId } = stranger;
    const [foreign, none] = [await call(member, page, accountId, names), await call(member, page, accountId, unknown)];
    const [sent, sentNone] = [Object.values(names), Object.values(unknown)];
    expect(alike(foreign, sent)).toEqual(alike(none, sentNone));
    const told = withoutNames(String(foreign.body), sent);
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  });
});

describe('a visitor without a session', () => {
  test.for(pages)('is asked to sign in at $method $path', async (page) => {
    const reply = await call(undefined, page, owner.client.accountId, names);
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, '/console/sign-in']);
  });
});
