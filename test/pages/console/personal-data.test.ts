import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { admin, type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { ended } from '../../support/processes.ts';
import { deliveriesWhen, subscribed } from '../../support/webhooks.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { controlsOf, formOf } from './form-controls.ts';

const SECRETS = {
  email: 'holder-of-secrets@example.com',
  phone: '+436601234567',
  pin: 'pin-8271',
  birthday: 'born 1912-06-23',
};

let account: Client;
let templateId: string;
let passId: string;
let fileUrl: string;
let birthdayId: string;
let reader: Visitor;
let editor: Visitor;
let trusted: Visitor;
let owner: Visitor;

beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate({
    downloadPinEnabled: true,
    additionalProperties: [{ name: 'Seat' }, { name: 'Birthday', personal: true }],
    fields: {
      auxiliaryFields: [{ key: 'born', label: 'Born', value: '{Birthday}' }],
      backFields: [{ key: 'page', label: 'Page', value: '{downloadPage} {emailRecipient}' }],
    },
    sendoutOptions: {
      passCreationNotification: { subject: 'For {Birthday}', emailTemplate: 'Hello' },
      adHoc: { subject: 'Your pass', emailTemplate: 'Hello' },
    },
  } as never);
  const { body } = await account.get(`/api/v2/pass-template/${templateId}/describe`);
  const properties: { id: string; name: string }[] = body.data.additionalProperties;
  birthdayId = properties.find(({ name }) => name === 'Birthday')!.id;
  const created = await account.createPass(templateId, {
    userProvidedId: 'order-1',
    emailRecipient: SECRETS.email,
    phoneRecipient: SECRETS.phone,
    downloadPin: SECRETS.pin,
    bundleId: 'family',
    [properties.find(({ name }) => name === 'Seat')!.id]: 'Seat 12A',
    [birthdayId]: SECRETS.birthday,
  });
  passId = created.identifier;
  fileUrl = created.linkToPassFile;
  [reader, editor, trusted, owner] = await Promise.all([
    visitor(account, ['read']),
    visitor(account, ['passes.edit']),
    visitor(account, ['passes.edit', 'personal_data']),
    visitor(account, ['owner']),
  ]);
});

const path = (...parts: string[]) => consolePath(account, ...parts);
/** The parts of links that open the pass. */
const linkSecrets = () => [/\/passes\/[^/]+\/([\w-]+)\.pkpass/.exec(fileUrl)![1]!];

/** Returns which of the confidential values a page contains. */
async function seen(who: Visitor, page: string): Promise<string[]> {
  const { body } = await who.get(page);
  return [...Object.values(SECRETS), ...linkSecrets()].filter((secret) => body.includes(secret));
}

describe('members without personal_data', () => {
  test('see a pass without PIN, recipients, personal properties and links', async () => {
    const page = path('passes', passId);
    expect((await seen(trusted, page)).toSorted()).toEqual([...Object.values(SECRETS), ...linkSecrets()].toSorted());
    for (const who of [reader, editor]) {
      expect(await seen(who, page)).toEqual([]);
      const { body } = await who.get(page);
      const hasPageSecret = /\/p\/[\w-]{25}\b/.test(body);
      expect([body.includes('Seat 12A'), body.includes('personal_data'), hasPageSecret]).toEqual([true, true, false]);
    }
  });

  test('do not see them in the timeline of the pass', async () => {
    await eventually(async () => (await seen(trusted, path('messages'))).length > 0 || undefined);
    expect((await trusted.get(path('passes', passId))).body).toMatch(/E-mail (waiting|sending|sent)/);
    expect(await seen(reader, path('passes', passId))).toEqual([]);
  });

  test('do not see them in lists, whatever columns they request', async () => {
    const columns = ['emailRecipient', 'phoneRecipient', birthdayId].map((key) => `column=${key}`).join('&');
    const page = `${path('passes')}?template=${templateId}&${columns}`;
    expect(await seen(trusted, page)).toEqual([SECRETS.email, SECRETS.phone, SECRETS.birthday]);
    expect(await seen(reader, page)).toEqual([]);
    const { body } = await reader.get(page);
    expect([body.includes('order-1'), body.includes('Export as CSV'), body.includes('Birthday')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('learn nothing by searching: hidden fields are rejected, and a phrase searches only identifiers', async () => {
    const by = (field: string, value: string) =>
      `${path('passes')}?template=${templateId}&g=0&f=${field}&o=contains&v=${encodeURIComponent(value)}`;
    for (const field of ['emailRecipient', 'phoneRecipient', 'downloadPin', birthdayId, 'Birthday', 'passFileUri']) {
      const { status, body } = await reader.get(by(field, '1'));
      expect([field, status, body.includes('needs the privilege personal_data')]).toEqual([field, 403, true]);
    }
    expect((await reader.get(by('Seat', '12A'))).body).toContain('order-1');
    const phrase = async (who: Visitor, text: string) =>
      (await who.get(`${path('passes')}?template=${templateId}&q=${encodeURIComponent(text)}`)).body.includes(
        'order-1</a>',
      );
    for (const secret of ['holder-of-secrets', '6601234567', '1912']) {
      expect([secret, await phrase(trusted, secret), await phrase(reader, secret)]).toEqual([secret, true, false]);
    }
    expect(await phrase(reader, 'rder-1')).toBe(true);
  });

  test('learn nothing from segments saved by others', async () => {
    const query = { groups: [[{ field: 'emailRecipient', operator: 'equals', value: SECRETS.email }]] };
    await trusted.post(path('passes', 'segments'), { title: 'Her passes', query: JSON.stringify(query) });
    const [segment] = await d1<{ id: string }>('select id from segments where account_id = ?', [account.accountId]);
    expect((await trusted.get(path('passes'))).body).toContain('Her passes');
    const list = await reader.get(path('passes'));
    expect([list.body.includes('Her passes'), list.body.includes('holder-of-secrets')]).toEqual([false, false]);
    const opened = await reader.get(`${path('passes')}?segment=${segment!.id}`);
    expect([opened.status, opened.body.includes('holder-of-secrets')]).toEqual([403, false]);
  });

  test('learn nothing from how many passes a change would affect', async () => {
    const query = { groups: [[{ field: 'emailRecipient', operator: 'equals', value: SECRETS.email }]] };
    const fields = { action: 'void', scope: 'all', query: JSON.stringify(query) };
    expect((await trusted.post(path('passes', 'bulk'), fields)).status).toBe(200);
    const refused = await editor.post(path('passes', 'bulk'), fields);
    expect([refused.status, refused.body.includes('needs the privilege personal_data')]).toEqual([400, true]);
  });

  test('learn nothing from a search phrase that a form carries as a number', async () => {
    const form = (searchPhrase: unknown) => ({ action: 'void', scope: 'all', query: JSON.stringify({ searchPhrase }) });
    const affected = async (who: Visitor, searchPhrase: unknown) => {
      const { status, body } = await who.post(path('passes', 'bulk'), form(searchPhrase));
      return [status, /<strong>(\d+) pass/.exec(body)?.[1]];
    };
    expect(await affected(trusted, 6601234567)).toEqual([200, '1']);
    expect(await affected(editor, 6601234567)).toEqual([200, '0']);
  });

  test('learn nothing from a property with the name of a hidden field', async () => {
    const other = await account.createTemplate({
      additionalProperties: [{ name: 'emailRecipient' }, { name: 'downloadPage' }],
    } as never);
    await account.createPass(other, { userProvidedId: 'order-2', emailRecipient: SECRETS.email });
    const by = (field: string) => `${path('passes')}?template=${other}&g=0&f=${field}&o=contains&v=holder`;
    expect((await trusted.get(by('emailRecipient'))).body).toContain('order-2');
    for (const field of ['emailRecipient', 'downloadPage']) {
      expect([field, (await reader.get(by(field))).status]).toEqual([field, 403]);
    }
  });

  test('cannot set hidden fields of many passes', async () => {
    const fields = { action: 'set', scope: 'selected', pass: passId, query: JSON.stringify({ templateId }) };
    const pin = { ...fields, field: 'downloadPin', 'field-downloadPin': 'mine-1234', confirmed: 'yes' };
    const asked = await editor.post(path('passes', 'bulk'), pin);
    expect([asked.status, asked.body.includes('value="bundleId"'), asked.body.includes('downloadPin"')]).toEqual([
      200,
      false,
      false,
    ]);
    expect((await trusted.post(path('passes', 'bulk'), { ...fields, field: 'downloadPin' })).body).toContain(
      'field-downloadPin',
    );
    expect(await seen(trusted, path('passes', passId))).toContain(SECRETS.pin);
  });

  test('cannot send a pass to an address', async () => {
    const page = path('passes', passId);
    const mail = `action="${page}/mail"`;
    const shows = async (who: Visitor) => (await who.get(page)).body.includes(mail);
    expect([await shows(trusted), await shows(editor)]).toEqual([true, false]);
    const sent = { recipient: 'mine@example.com' };
    expect((await editor.post(`${page}/mail`, sent)).status).toBe(403);
    const to = () =>
      d1('select id from messages where account_id = ? and recipient = ?', [account.accountId, sent.recipient]);
    expect(await to()).toEqual([]);
    expect((await trusted.post(`${page}/mail`, sent)).status).toBe(303);
    expect(await to()).toHaveLength(1);
  });

  test('cannot add a pass to a bundle, whose link its holders get', async () => {
    const bundle = () => account.get('/api/v2/pass-bundle/family').then(({ body }) => JSON.stringify(body));
    const before = await bundle();
    const loose = (await account.createPass(templateId, { emailRecipient: 'mine@example.com' })).identifier;
    const page = path('passes', loose);
    const seesForms = async (who: Visitor) => {
      const shown = [page, `${path('passes', 'new')}?template=${templateId}`, path('passes', loose, 'edit')];
      const bodies = await Promise.all(shown.map(async (one) => (await who.get(one as typeof page)).body as string));
      return bodies.map((body) => body.includes('"bundleId"') || body.includes('"field-bundleId"'));
    };
    expect([await seesForms(trusted), await seesForms(editor)]).toEqual([
      [true, true, true],
      [false, false, false],
    ]);
    expect((await editor.post(`${page}/join`, { bundleId: 'family' })).status).toBe(403);
    expect((await editor.get(path('bundles', 'new'))).status).toBe(403);
    expect((await editor.post(path('bundles'), { bundleId: 'mine', passes: `${passId}\n${loose}` })).status).toBe(403);
    expect((await editor.post(path('bundles', 'add'), { id: 'family', passes: loose })).status).toBe(403);
    const fields = { template: templateId, 'field-bundleId': 'family', 'field-emailRecipient': 'mine@example.com' };
    expect((await editor.post(path('passes'), fields)).status).toBe(303);
    expect((await editor.post(path('passes', loose, 'edit'), { ...fields, before: '{}' })).status).toBe(303);
    expect(await bundle()).toBe(before);
    expect((await trusted.post(`${page}/join`, { bundleId: 'family' })).status).toBe(303);
    expect(await bundle()).toContain(loose);
  });

  test('can edit the other values, without changing the hidden ones', async () => {
    expect(await seen(editor, path('passes', passId, 'edit'))).toEqual([]);
    const { body } = await editor.get(path('passes', passId, 'edit'));
    expect([body.includes('field-userProvidedId'), body.includes('field-emailRecipient')]).toEqual([true, false]);
    const sent = { before: '{}', 'field-bundleId': 'family', 'field-emailRecipient': 'mine@example.com' };
    expect((await editor.post(path('passes', passId, 'edit'), sent)).status).toBe(303);
    expect(await seen(trusted, path('passes', passId))).toContain(SECRETS.email);
  });

  test('see messages without recipient, subject and reason', async () => {
    const ids = await d1<{ id: string }>('select id from messages where account_id = ?', [account.accountId]);
    expect(ids.length).toBeGreaterThan(0);
    expect(await seen(trusted, path('messages'))).toContain(SECRETS.email);
    for (const page of [path('messages'), ...ids.map(({ id }) => path('messages', id))]) {
      expect(await seen(reader, page)).toEqual([]);
      expect((await reader.get(page)).body).toContain('Hidden recipient');
    }
  });

  test('see no links of bundles', async () => {
    for (const page of [path('bundles'), `${path('bundles', 'bundle')}?id=family`]) {
      expect((await trusted.get(page)).body).toMatch(/href="[^"]*\/p\/[\w-]{25}"/);
      expect((await reader.get(page)).body).not.toMatch(/\/p\/[\w-]{25}/);
    }
  });

  test('see no bodies of events', async () => {
    const receiver = await openOutsideServer(() => ({ status: 500, body: `no ${SECRETS.email} here` }));
    onTestFinished(() => receiver.close());
    const { identifier } = await subscribed(account, `${receiver.origin}/hook`, { retryEnabled: false });
    await account.createPass(templateId, { emailRecipient: SECRETS.email });
    const [delivery] = await deliveriesWhen(account, identifier, ([first]) => first?.state === 'failed');
    const page = path('webhooks', identifier, 'deliveries', delivery!.deliveryId);
    expect(await seen(trusted, page)).toEqual([SECRETS.email]);
    expect(await seen(reader, page)).toEqual([]);
    expect((await reader.get(page)).body).toContain('personal_data');
  });

  test.each(['passes/export', 'scans/export.csv', 'passes/import'])('do not open %s', async (page) => {
    expect((await editor.get(path(page))).status).toBe(403);
    expect((await trusted.get(path(page))).status).toBe(200);
  });

  test('see a process’s outcome, without names and values of what failed', async () => {
    const data = { eligibleValidationPlaces: ['Gate 1'] };
    const started = await account.patch('/api/v3/pass/bulk', { data, filter: { identifiers: [passId] } });
    expect((await ended(account, started)).errors).not.toBeNull();
    const page = path('processes', started.body.data.processId);
    const shows = async (who: Visitor) => (await who.get(page)).body.includes('id="errors"');
    expect([await shows(trusted), await shows(editor)]).toEqual([true, false]);
    expect((await editor.get(`${page}/errors.csv`)).status).toBe(403);
  });
});

describe('a personal property', () => {
  test('is chosen in the designer', async () => {
    const designer = path('templates', await account.createTemplate());
    const personal = (body: string) => controlsOf(body, 'designer').get('additionalProperties.0.personal');
    const before = (await owner.get(designer)).body;
    expect(personal(before)).toBeFalsy();
    const saved = await owner.post(designer, formOf(before, 'designer', { 'additionalProperties.0.personal': 'true' }));
    expect(saved.status).toBe(303);
    expect(personal((await owner.get(designer)).body)).toBeTruthy();
  });
});

describe('members', () => {
  test('get the privilege from an owner, and owners have it', async () => {
    expect(await seen(owner, path('passes', passId))).toContain(SECRETS.pin);
    const late = await visitor(account, ['read']);
    const members = (await owner.get(path('members'))).body;
    const userId = new RegExp(`members/([\\w-]+)" aria-label="Edit ${late.email}`).exec(members)![1]!;
    await owner.post(path('members', userId), [
      ['privileges', 'read'],
      ['privileges', 'personal_data'],
    ]);
    expect(await seen(late, path('passes', passId))).toContain(SECRETS.pin);
  });

  test('can be invited with it by an operator', async () => {
    const email = `operator-made-${account.accountId}@example.com`;
    const member = await admin('user invite', { account: account.accountId, email, privilege: ['personal_data'] });
    expect(member).toMatchObject({ privileges: ['personal_data'] });
  });
});
