import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleRoutes } from '../../../src/pages/console/route.tsx';
import { admin, type Client, type Reply, send } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { d1, eventually } from '../../support/control.ts';
import { type FuzzAccount, fuzzAccount } from '../../support/fuzz-account.ts';
import { untilAtRest } from '../../support/tenant-rows.ts';
import { allSections } from '../../support/whole-console.ts';
import { consolePath, OWN_FORM, type Visitor, visitor } from './browser-session.ts';

/*
 * Every form of the console: each success leaves an audit log entry, or is listed here with a reason. Each page that
 * shows personal data leaves an entry, too.
 */

const NOTHING_YET = 'writes nothing that lasts: what it begins is an entry once it is done';
const EXCEPTIONS: Record<string, string> = {
  '/console/sign-in/link': NOTHING_YET,
  '/console/sign-in/passkey/options': NOTHING_YET,
  '/console/you/passkeys/options': NOTHING_YET,
  '/console/confirm/link': NOTHING_YET,
  '/templates/:template/images': NOTHING_YET,
  '/persons/find': 'counts, and writes nothing',
  '/persons/erase/confirm': 'counts, and writes nothing',
  '/passes/import': 'the file waits for a day; its view and the bulk create are entries',
};

/** Forms tested elsewhere, because they need more than fields. */
const ELSEWHERE: Record<string, [file: string, action: string]> = {
  '/certificates': ['pages/console/certificates.test.ts', 'certificate.import'],
  '/certificates/requests': ['pages/console/certificates.test.ts', 'certificate.request'],
  '/certificates/requests/:request': ['pages/console/certificates.test.ts', 'certificate.import'],
  '/certificates/requests/:request/delete': ['pages/console/certificates.test.ts', 'certificate.withdraw'],
  '/certificates/google': ['domain/certificates/google-issuers.test.ts', 'google_issuer.import'],
  '/certificates/:certificate/default': ['pages/console/certificates.test.ts', 'certificate.prefer'],
  '/certificates/:certificate/delete': ['pages/console/certificates.test.ts', 'certificate.delete'],
  '/certificates/:certificate/push': ['pages/console/certificates.test.ts', 'certificate.push'],
  '/console/service/address': ['domain/setup/setup.test.ts', 'service.change_address'],
  '/console/sign-in/passkey': ['domain/passkeys/passkeys.test.ts', 'session.sign_in passkey'],
  '/console/sign-in/passkey/again': ['domain/passkeys/passkeys.test.ts', 'session.sign_in_failed passkey'],
  '/console/you/passkeys': ['domain/passkeys/passkeys.test.ts', 'passkey.create'],
  '/console/you/passkeys/:passkey/remove': ['domain/passkeys/passkeys.test.ts', 'passkey.remove'],
  '/failed-jobs/retry': ['pages/console/failed-jobs.test.ts', 'failed_job.retry_all'],
  '/failed-jobs/:job/discard': ['pages/console/failed-jobs.test.ts', 'failed_job.discard'],
  '/failed-jobs/:job/retry': ['pages/console/failed-jobs.test.ts', 'failed_job.retry'],
  '/passes/import/:import': ['pages/console/imports.test.ts', 'passes.create'],
  '/templates/:template': ['pages/console/templates.test.ts', 'template.update'],
  '/templates/import': ['pages/console/template-files.test.ts', 'template.create'],
  '/templates/:template/publish': ['pages/console/templates.test.ts', 'template.publish'],
};

const ACCOUNT = '/console/accounts/:account';
const routes = [
  ...new Set(
    consoleRoutes(allSections)
      .routes.filter(({ method }) => method === 'POST')
      .map(({ path }) => path),
  ),
]
  .filter((path) => !path.includes('*'))
  .map((path) => (path.startsWith(`${ACCOUNT}/`) ? path.slice(ACCOUNT.length) : path));

type Fields = Record<string, string>;
interface Form {
  route: string;
  action: string;
  /** Values of the path's parameters. */
  names?: () => string[];
  fields?: () => Fields;
  before?: () => Promise<unknown>;
}

let fuzz: FuzzAccount;
let account: Client;
let owner: Visitor;
const one = async (table: string, more = '') =>
  String(
    (await d1(`select id from ${table} where account_id = ? ${more} order by id desc`, [account.accountId]))[0]?.id,
  );
const made: Record<string, string> = {};
const [template, pass, other] = [() => fuzz.templates[0]!, () => fuzz.passes[0]!, () => fuzz.passes[1]!];
const hook = () => fuzz.others.hook![0]!;
const gate = () => fuzz.others.appconfiguration![0]!;
const WHOLE_GATE = { name: 'Door', scanMode: '0', type: '0' };
const PERSON = { by: 'userProvidedId', value: 'nobody', mode: 'delete' };
const SETTINGS = { name: 'Test', timezone: 'UTC', language: 'en', userProvidedLinks: 'true' };

/** Ordered so that each form finds what it needs. */
const FORMS: Form[] = [
  { route: '/settings', action: 'account.change', fields: () => SETTINGS },
  { route: '/settings/signing-key/rotate', action: 'signing_key.rotate' },
  { route: '/api-keys', action: 'api_key.create', fields: () => ({ name: 'Till', scopes: 'scans:read' }) },
  ...[
    ['/deactivate', 'deactivate'],
    ['/activate', 'activate'],
    ['', 'update', { name: 'Till 2', scopes: 'scans:read' }],
    ['/rotate', 'rotate', { overlapMinutes: '60' }],
    ['/delete', 'delete'],
  ].map(([path, verb, fields]) => ({
    route: `/api-keys/:key${path}`,
    action: `api_key.${verb}`,
    names: () => [made.key!],
    fields: () => fields as Fields,
    before: async () => {
      made.key ??= await one('api_keys');
    },
  })),
  {
    route: '/api-keys/delete-unused',
    action: 'api_key.delete_unused',
    before: () => admin('api-key create', { account: account.accountId, name: 'Unused' }),
  },
  {
    route: '/members',
    action: 'member.invite',
    fields: () => ({ email: `guest-${account.accountId}@example.com`, privileges: 'read' }),
  },
  {
    route: '/members/:user',
    action: 'member.change',
    names: () => [made.guest!],
    fields: () => ({ privileges: 'scan' }),
    before: async () => {
      const [guest] = await d1<{ id: string }>('select id from users where email = ?', [
        `guest-${account.accountId}@example.com`,
      ]);
      made.guest = guest!.id;
    },
  },
  { route: '/members/:user/remove', action: 'member.remove', names: () => [made.guest!] },
  { route: '/templates', action: 'template.create', fields: () => ({ name: 'Made' }) },
  { route: '/templates/projects', action: 'project.create', fields: () => ({ name: 'P' }) },
  {
    route: '/templates/projects/:project',
    action: 'project.rename',
    names: () => [fuzz.others.project![0]!],
    fields: () => ({ name: 'Q' }),
  },
  {
    route: '/templates/:template/copy',
    action: 'template.copy',
    names: () => [template()],
    fields: () => ({ name: 'Copy' }),
  },
  { route: '/templates/:template/test-pass', action: 'pass.create', names: () => [template()] },
  {
    route: '/templates/:template/notifications',
    action: 'notification.create',
    names: () => [template()],
    fields: () => ({ text: 'Soon', date: '2099-01-01T10:00' }),
  },
  {
    route: '/templates/:template/notifications/:id/delete',
    action: 'notification.delete',
    names: () => [template(), fuzz.others.notification![0]!],
  },
  {
    route: '/templates/:template/publish/cancel',
    action: 'template.cancel_publication',
    names: () => [template()],
    before: async () => {
      await account.patch(`/api/v2/pass-template/${template()}`, { name: 'Changed' });
      await account.post(`/api/v2/pass-template/${template()}/publish`, { publicationDate: '2099-01-01 10:00' });
    },
  },
  {
    route: '/passes',
    action: 'pass.create',
    fields: () => ({ template: template(), 'field-userProvidedId': 'typed' }),
  },
  {
    route: '/passes/:pass/edit',
    action: 'pass.update',
    names: () => [pass()],
    fields: () => ({ before: '{}', 'field-storedValue': '77' }),
  },
  { route: '/passes/:pass/void', action: 'pass.void', names: () => [pass()] },
  { route: '/passes/:pass/unvoid', action: 'pass.unvoid', names: () => [pass()] },
  {
    route: '/passes/:pass/push',
    action: 'pass.push',
    names: () => [pass()],
    fields: () => ({ text: 'Hello' }),
    before: () => d1('update passes set number_of_active = 1 where id = ?', [pass()]),
  },
  {
    route: '/passes/:pass/mail',
    action: 'pass.deliver',
    names: () => [pass()],
    fields: () => ({ recipient: 'ada@example.com' }),
    before: async () => {
      const sendoutOptions = { adHoc: { subject: 'Your pass', emailTemplate: 'Hello' } };
      await account.patch(`/api/v2/pass-template/${template()}`, { sendoutOptions });
      await account.post(`/api/v2/pass-template/${template()}/publish`, {});
    },
  },
  { route: '/passes/:pass/enable-download', action: 'pass.enable_download', names: () => [pass()] },
  { route: '/passes/:pass/rotate-links', action: 'pass.rotate_links', names: () => [pass()] },
  { route: '/passes/:pass/leave', action: 'pass.update', names: () => [pass()] },
  {
    route: '/passes/:pass/join',
    action: 'bundle.add',
    names: () => [pass()],
    fields: () => ({ bundleId: 'bundle-0' }),
  },
  {
    route: '/passes/:pass/move',
    action: 'pass.move',
    names: () => [other()],
    fields: () => ({ target: made.sibling! }),
    before: async () => {
      made.sibling = await account.createTemplate({ projectId: fuzz.others.project![0]! } as never);
    },
  },
  { route: '/passes/:pass/delete', action: 'pass.delete', names: () => [other()] },
  {
    route: '/passes/bulk',
    action: 'passes.update',
    fields: () => ({ action: 'void', scope: 'selected', pass: pass(), confirmed: 'yes' }),
  },
  { route: '/passes/segments', action: 'segment.create', fields: () => ({ title: 'S', query: '{}' }) },
  { route: '/passes/segments/:segment/delete', action: 'segment.delete', names: () => [fuzz.others.segment![0]!] },
  { route: '/bundles', action: 'bundle.create', fields: () => ({ bundleId: 'new', passes: fuzz.passes[2]! }) },
  { route: '/bundles/add', action: 'bundle.add', fields: () => ({ id: 'new', passes: fuzz.passes[3]! }) },
  { route: '/bundles/void', action: 'bundle.void', fields: () => ({ id: 'new' }) },
  { route: '/bundles/unvoid', action: 'bundle.unvoid', fields: () => ({ id: 'new' }) },
  { route: '/bundles/remove', action: 'pass.update', fields: () => ({ id: 'new', pass: fuzz.passes[3]! }) },
  { route: '/bundles/dissolve', action: 'bundle.dissolve', fields: () => ({ id: 'new' }) },
  { route: '/persons/export', action: 'person.export', fields: () => PERSON },
  { route: '/persons/erase', action: 'person.erase', fields: () => PERSON },
  { route: '/processes/:process/retry', action: 'process.retry', names: () => [fuzz.others.process![0]!] },
  { route: '/processes/:process/cancel', action: 'process.cancel', names: () => [fuzz.others.process![0]!] },
  {
    route: '/messages/:message/again',
    action: 'message.send_again',
    names: () => [made.message!],
    before: async () => {
      await eventually(async () => {
        made.message = await one('messages');
        return made.message !== 'undefined';
      });
      await untilAtRest(account.accountId);
      await d1("update messages set status = 'failed' where id = ?", [made.message!]);
    },
  },
  { route: '/app-configurations', action: 'app_configuration.create', fields: () => WHOLE_GATE },
  { route: '/app-configurations/:configuration/links', action: 'app_configuration_link.create', names: () => [gate()] },
  {
    route: '/app-configurations/:configuration/links/:link/end',
    action: 'app_configuration_link.end',
    names: () => [gate(), fuzz.others.link![0]!],
  },
  {
    route: '/app-configurations/:configuration',
    action: 'app_configuration.change',
    names: () => [gate()],
    fields: () => WHOLE_GATE,
  },
  { route: '/app-configurations/:configuration/delete', action: 'app_configuration.delete', names: () => [gate()] },
  { route: '/webhooks', action: 'webhook.create', fields: () => ({ event: 'pass_created', mode: 'pull' }) },
  { route: '/webhooks/:id/test', action: 'webhook.test', names: () => [hook()] },
  {
    route: '/webhooks/:id/deliveries/:event/resend',
    action: 'webhook.resend',
    names: () => [hook(), fuzz.others.deliveries![0]!],
  },
  {
    route: '/webhooks/:id/recover',
    action: 'webhook.recover',
    names: () => [hook()],
    fields: () => ({ since: '2026-01-01T10:00', until: '' }),
  },
  { route: '/webhooks/:id/rotate', action: 'webhook.rotate_secret', names: () => [hook()] },
  { route: '/webhooks/:id/pause', action: 'webhook.pause', names: () => [hook()] },
  { route: '/webhooks/:id/resume', action: 'webhook.resume', names: () => [hook()] },
  { route: '/webhooks/:id/delete', action: 'webhook.delete', names: () => [hook()] },
  { route: '/templates/:template/delete', action: 'template.delete', names: () => [template()] },
  {
    route: '/console/you/sessions/:session/sign-out',
    action: 'session.end',
    names: () => [made.session!],
    before: async () => {
      await signIn(owner.email);
      const [session] = await d1<{ id: string }>(
        'select sessions.id from sessions join users on users.id = user_id where email = ? order by sessions.id desc',
        [owner.email],
      );
      made.session = session!.id;
    },
  },
  {
    route: '/console/sign-in',
    action: 'session.sign_in',
    fields: () => ({ token: made.token! }),
    before: async () => {
      made.token = await tokenFor(owner.email);
    },
  },
  {
    route: '/console/sign-out',
    action: 'session.sign_out',
    before: async () => {
      owner = await visitor(account, ['owner']);
    },
  },
  {
    route: '/console/sign-out/everywhere',
    action: 'session.end_all',
    before: async () => {
      owner = await visitor(account, ['owner']);
    },
  },
];

async function tokenFor(email: string): Promise<string> {
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  return new URL(url).searchParams.get('token')!;
}

async function signIn(email: string): Promise<Reply> {
  return send('POST', '/console/sign-in', `token=${await tokenFor(email)}`, OWN_FORM);
}

function addressOf(route: string, names: string[] = []): string {
  const left = [...names];
  const path = route.replaceAll(/:\w+/g, () => left.shift()!);
  return route.startsWith('/console') ? path : consolePath(account) + path;
}

beforeAll(async () => {
  fuzz = await fuzzAccount();
  account = fuzz.client;
  owner = await visitor(account, ['owner']);
  await untilAtRest(account.accountId);
});

test('the list contains exactly the console’s forms', () => {
  const known = [...Object.keys(EXCEPTIONS), ...Object.keys(ELSEWHERE), ...FORMS.map(({ route }) => route)];
  expect(known.toSorted()).toEqual([...new Set(routes)].toSorted());
});

test.for(Object.entries(ELSEWHERE))('POST %s adds an entry in its own test', ([, [file, action]]) => {
  expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).toContain(action);
});

describe('a form of the console', () => {
  test.for(FORMS)('POST $route adds $action', async ({ route, action, names, fields, before }) => {
    await before?.();
    const known = (await auditEntries(account.accountId)).map(({ id }) => id);
    const reply = await owner.post(addressOf(route, names?.()), fields?.() ?? {});
    expect([200, 303]).toContain(reply.status);
    const added = (await auditEntries(account.accountId)).filter(({ id }) => !known.includes(id));
    const entries = added.filter((entry) => !entry.action.endsWith('.view'));
    expect(entries.map((entry) => entry.action)).toEqual([action]);
    expect(entries[0]).toMatchObject({
      actor_type: 'user',
      ip: '127.0.0.1',
      request_id: reply.headers.get('X-Request-Id'),
    });
    expect(entries[0]!.email).toMatch(/^visitor-/);
  });
});
