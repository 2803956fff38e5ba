import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { VIEW_ENTRY } from '../../support/audit.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { ended } from '../../support/processes.ts';
import { heldPass, pushed } from '../../support/pushes.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let templateId: string;
let editor: Visitor;
let reader: Visitor;
let base: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await account.createTemplate({ maxPasses: 100_000 });
  editor = await visitor(account, ['passes.edit', 'personal_data']);
  reader = await visitor(account, ['read', 'personal_data']);
  base = consolePath(account, 'passes');
});

/** Returns the names of the passes in a list, in order. */
const listed = ({ body }: Reply) =>
  [...String(body).matchAll(/<th scope="row"><a href="[^"]*\/passes\/[0-9a-f-]{36}">([^<]*)<\/a>/g)].map(
    ([, name]) => name,
  );

const parameters = (list: [string, string][]) => new URLSearchParams(list).toString();

describe('the list of passes', () => {
  let own: Client;
  let ownEditor: Visitor;
  let ownBase: string;
  let ownTemplate: string;
  beforeAll(async () => {
    own = await freshAccount();
    ownEditor = await visitor(own, ['passes.edit', 'personal_data']);
    ownBase = consolePath(own, 'passes');
    ownTemplate = await own.createTemplate();
    await own.createPass(ownTemplate, { userProvidedId: 'Ada', 'Full name': 'Ada Lovelace', storedValue: 3 });
    await own.createPass(ownTemplate, { userProvidedId: 'Bob', 'Full name': 'Bob <b>', storedValue: 30 });
  });

  test('says what to do if there are none', async () => {
    const empty = await freshAccount();
    const owner = await visitor(empty, ['owner']);
    expect((await owner.get(consolePath(empty, 'passes'))).body).toContain('Passes need a template');
    const template = await empty.createTemplate();
    expect((await owner.get(consolePath(empty, 'passes'))).body).toContain('Create pass');
    const ofTemplate = (await owner.get(`${consolePath(empty, 'passes')}?template=${template}`)).body;
    expect(ofTemplate).toContain('No passes of this template yet');
    expect(ofTemplate).toContain(`${consolePath(empty, 'passes')}/new?template=${template}`);
    expect((await owner.get(`${consolePath(empty, 'passes')}?q=ada`)).body).toContain('No pass matches');
  });

  test('shows the newest first, in three round trips, whatever the number of passes', async () => {
    const first = await ownEditor.get(ownBase);
    expect(listed(first)).toEqual(['Bob', 'Ada']);
    const cost = await costOf(first);
    expect(cost.roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + ownEditor.apart);
    expect(first.body).toContain('<strong>2</strong>');
  });

  test('finds by words, and by conditions of several groups, which it shows as JSON', async () => {
    expect(listed(await ownEditor.get(`${ownBase}?q=lovel`))).toEqual(['Ada']);
    const asked = parameters([
      ['template', ownTemplate],
      ...[
        ['0', 'storedValue', 'greaterThan', '10'],
        ['0', 'userProvidedId', 'beginsWith', 'B'],
        ['1', 'userProvidedId', 'equals', 'nobody\nAda'],
      ].flatMap(([g, f, o, v]): [string, string][] => [
        ['g', g!],
        ['f', f!],
        ['o', o!],
        ['v', v!],
      ]),
    ]);
    const found = await ownEditor.get(`${ownBase}?${asked}`);
    expect(listed(found)).toEqual(['Bob', 'Ada']);
    const query = JSON.parse(/name="query" value="([^"]*)"/.exec(found.body)![1]!.replaceAll('&quot;', '"'));
    expect(query).toEqual({
      templateId: ownTemplate,
      groups: [
        [
          { field: 'storedValue', operator: 'greaterThan', value: '10' },
          { field: 'userProvidedId', operator: 'beginsWith', value: 'B' },
        ],
        [{ field: 'userProvidedId', operator: 'equals', value: ['nobody', 'Ada'] }],
      ],
    });
    const byApi = await own.get(`/api/v3/pass?query=${encodeURIComponent(btoa(JSON.stringify(query)))}`);
    expect(byApi.body.data.map((row: { userProvidedId: string }) => row.userProvidedId)).toEqual(['Bob', 'Ada']);
  });

  test('adds and removes conditions without scripts', async () => {
    const added = await ownEditor.get(`${ownBase}?q=x&add=group`);
    expect(added.headers.get('Location')).toBe(`${ownBase}?q=x&g=0&f=&o=equals&v=`);
    const more = await ownEditor.get(`${ownBase}?g=0&f=voided&o=isTrue&v=&add=0`);
    expect(more.headers.get('Location')).toBe(`${ownBase}?g=0&f=voided&o=isTrue&v=&g=0&f=&o=equals&v=`);
    const less = await ownEditor.get(`${more.headers.get('Location')}&remove=0`);
    expect(less.headers.get('Location')).toBe(`${ownBase}?g=0&f=&o=equals&v=`);
  });

  test('shows what is wrong with a condition and keeps it', async () => {
    const wrong = await ownEditor.get(`${ownBase}?g=0&f=storedValue&o=equals&v=many`);
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatch(/class="field-error".*storedValue/s);
    expect(wrong.body).toContain('value="many"');
    expect((await ownEditor.get(`${ownBase}?template=${templateId}`)).status).toBe(404);
  });

  test('keeps segments, opens and deletes them', async () => {
    const query = JSON.stringify({ searchPhrase: 'lovelace' });
    const kept = await ownEditor.post(`${ownBase}/segments`, { title: 'Ladies', query });
    expect(kept.headers.get('Location')).toBe(`${ownBase}?q=lovelace`);
    const shown = await ownEditor.get(`${ownBase}?q=lovelace`);
    expect(shown.body).toMatch(/aria-current="true">Ladies</);
    const remove = /href="([^"]*\/segments\/[^"]*\/delete)"/.exec(shown.body)![1]!;
    expect((await ownEditor.get(remove)).body).toContain('Ladies');
    expect((await ownEditor.post(remove)).status).toBe(303);
    expect((await ownEditor.get(ownBase)).body).not.toContain('Ladies');
  });

  test('opens segments that are too long for an address', async () => {
    const value = ['Ada', ...Array.from({ length: 400 }, (_, i) => `somebody with a long name ${i}`)];
    const query = { groups: [[{ field: 'userProvidedId', operator: 'equals', value }]] };
    const made = await own.post('/api/v3/segment', { title: 'Crowd', query });
    expect(made.status).toBeLessThan(300);
    const { body } = await ownEditor.get(ownBase);
    const address = /class="saved-query" href="([^"]*)"[^>]*>Crowd</.exec(body)![1]!.replaceAll('&amp;', '&');
    expect(address.length).toBeLessThan(8_200);
    const shown = await ownEditor.get(address);
    expect(listed(shown)).toEqual(['Ada']);
    expect((await ownEditor.get(address.replace('?', '/export?'))).body.trimEnd().split('\r\n')).toHaveLength(2);
  });

  test('has pages at any depth, and exports every pass, safely for spreadsheets', async () => {
    const many = await freshAccount();
    const template = await many.createTemplate();
    const passes = Array.from({ length: 520 }, (_, i) => ({ userProvidedId: `no-${i}` }));
    await ended(many, await many.post('/api/v3/pass/bulk/create', { templateId: template, passes }));
    await many.createPass(template, { userProvidedId: '=1+1', 'Full name': 'A "quoted", name' });
    const owner = await visitor(many, ['owner']);
    const path = consolePath(many, 'passes');
    const seen: unknown[] = [];
    let next: string | undefined = path;
    for (let pages = 0; next && pages < 20; pages++) {
      const shown: Reply = await owner.get(next);
      expect(shown.body).toContain('<strong>521</strong>');
      expect((await costOf(shown)).rowsRead).toBeLessThanOrEqual(6 * 50 + 40);
      seen.push(...listed(shown));
      next = /href="([^"]*)" rel="next"/.exec(shown.body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect([seen.length, new Set(seen).size, seen[0]]).toEqual([521, 521, '=1+1']);
    const csv = await owner.get(`${path}/export`);
    expect(csv.headers.get('Content-Disposition')).toMatch(/^attachment; filename="passes-[\d-]{10}\.csv"$/);
    expect(csv.body.trimEnd().split('\r\n')).toHaveLength(522);
    expect(csv.body).toContain(",'=1+1,");
    expect(csv.body).toContain('"A ""quoted"", name"');
    expect((await owner.get(`${path}/export?mark=no&q=quoted`)).body.trimEnd().split('\r\n')).toHaveLength(2);
    expect((await owner.get(`${path}/export?g=0&f=nothing&o=equals&v=1`)).status).toBe(400);
  });

  test('shows members without the privilege no buttons, and rejects their forms', async () => {
    const ownReader = await visitor(own, ['read', 'personal_data']);
    const { body } = await ownReader.get(ownBase);
    expect(body).not.toMatch(/Create pass|Import CSV|type="checkbox" name="pass"/);
    const refused = await Promise.all([
      ownReader.post(`${ownBase}/bulk`, { action: 'void', scope: 'all' }),
      ownReader.post(ownBase, { template: ownTemplate }),
      ownReader.post(`${ownBase}/segments`, { title: 'x', query: '{}' }),
      ownReader.get(`${ownBase}/import`),
      ownReader.get(`${ownBase}/new`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });
});

describe('a pass', () => {
  const idIn = (reply: Reply) => /passes\/([0-9a-f-]{36})$/.exec(reply.headers.get('Location') ?? '')![1]!;
  const property = async (name: string) => {
    const { body } = await account.get(`/api/pass-template/${templateId}?integrationStyle=true`);
    return (body as { key: string; label: string }[]).find(({ label }) => label === name)!.key;
  };

  async function create(fields: Record<string, string>): Promise<string> {
    const own = Object.entries(fields).map(([key, value]) => [`field-${key}`, value] as const);
    return idIn(await editor.post(base, Object.fromEntries([['template', templateId], ...own])));
  }

  test('is created from a form of its template', async () => {
    const name = await property('Full name');
    expect((await editor.get(`${base}/new?template=${templateId}`)).body).toContain(`name="field-${name}"`);
    const id = await create({
      [name]: 'Grace',
      userProvidedId: 'g-1',
      expirationDate: '2999-01-31T20:15',
      storedValue: '7',
    });
    const { body } = await account.get(`/api/pass/${id}?includeFieldMapping=true`);
    expect(body).toMatchObject({ userProvidedId: 'g-1', storedValue: 7, expirationDate: '2999-01-31 20:15:00' });
  });

  test('keeps the input if it is rejected, and names the field', async () => {
    const reply = await editor.post(base, {
      template: templateId,
      'field-storedValue': 'many',
      'field-userProvidedId': 'kept',
    });
    expect([
      reply.status,
      reply.body.includes('Stored value: must be a number'),
      reply.body.includes('value="kept"'),
    ]).toEqual([400, true, true]);
    const colored = await editor.post(base, { template: templateId, 'field-labelColor': 'bluish' });
    expect(colored.body).toContain('Label color: must be a color');
    expect(colored.body).toContain('id="field-labelColor-error"');
  });

  test('has a page in three round trips: card, links, values and timeline', async () => {
    const id = await create({ userProvidedId: 'page-1' });
    await account.put(`/api/pass/${id}`, { voided: true });
    const shown = await editor.get(`${base}/${id}`);
    expect((await costOf(shown)).roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + 2 * editor.apart);
    expect(shown.body).toMatch(/class="card card-.*\.pkpass.*<h2 id="timeline">.*Voided.*Created/s);
    const second = await editor.get(`${base}/${id}?before=1-x`);
    expect(second.body).not.toMatch(/<h2 id="timeline">.*Created</s);
  });

  test('shows in pages how it was pushed to a device, scanned, and removed from it', async () => {
    const { pass, device } = await heldPass(account, templateId, { userProvidedId: 'lived' });
    const path = `${base}/${pass.identifier}`;
    const sent = await editor.post(`${path}/push`, { text: 'Doors open' });
    expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${path}#timeline`]);
    await pushed(device);
    const again = await editor.post(`${path}/push`, { text: 'Doors open' });
    expect([
      again.status,
      again.body.includes('is the same as in the latest push'),
      again.body.includes('value="Doors open"'),
    ]).toEqual([400, true, true]);
    const scanner = await createConfiguration(account, { scanMode: 1 });
    await scan(account, scanner, pass.barcodeValue, { deviceName: 'North gate' });
    await device.unregister(pass);
    const shown = await editor.get(path);
    for (const part of ['Added to Apple Wallet', 'Removed from Apple Wallet', 'North gate', 'Doors open']) {
      expect(shown.body).toContain(part);
    }
    const cost = await costOf(shown);
    expect(cost.rowsRead).toBeLessThanOrEqual(50);
    for (let i = 0; i < 21; i++) await account.put(`/api/pass/${pass.identifier}`, { voided: i % 2 === 0 });
    const first = await editor.get(path);
    expect(first.body).not.toContain('Added to Apple Wallet');
    let further = '';
    for (let page = first; ; ) {
      const next = /href="([^"]*)#timeline" rel="next"/.exec(page.body);
      if (!next) break;
      page = await editor.get(next[1]!);
      further += page.body;
    }
    expect(further).toMatch(/Removed from.*North gate.*Added to Apple Wallet.*Created/s);
  });

  test('shows which image could not be imported, and why', async () => {
    const pictured = await account.createTemplate({ images: { perPassImages: { thumbnail: true } } });
    const data = { templateId: pictured, urlToThumbnail: 'http://10.0.0.1/photo.png' };
    const { identifier } = (await account.post('/api/v3/pass', { data })).body.data;
    const timeline = await eventually(async () => {
      const { body } = await editor.get(`${base}/${identifier}`);
      return /Image not imported.*Created/s.test(body) && body;
    });
    expect(timeline).toMatch(/Image not imported: urlToThumbnail.*image is not importable from URL/s);
  });

  test('is in the audit log with the person who changed it', async () => {
    const id = await create({ userProvidedId: 'audited' });
    await editor.post(`${base}/${id}/void`);
    await editor.post(`${base}/${id}/push`, { text: 'x' });
    const owner = await visitor(account, ['owner']);
    const { body } = await owner.get(consolePath(account, 'audit-log'));
    // The rejected request changed nothing.
    expect(body).not.toMatch(new RegExp(`pass\\.push(?:(?!</tr>).)*${id}`, 's'));
    expect(body).toMatch(new RegExp(`pass\\.void.*${editor.email}.*${id}`, 's'));
  });

  test('is edited: only changes are saved, and an emptied field is cleared', async () => {
    const id = await create({ userProvidedId: 'edit-1', storedValue: '5', phoneRecipient: '+43 1 2345678' });
    const form = await editor.get(`${base}/${id}/edit`);
    expect((await costOf(form)).roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + editor.apart);
    const before = /name="before" value="([^"]*)"/.exec(form.body)![1]!.replaceAll('&quot;', '"');
    await account.patch(`/api/v3/pass/${id}`, { data: { storedValue: 9 } });
    const fields = { ...JSON.parse(before), userProvidedId: 'edit-2', phoneRecipient: '' } as Record<string, string>;
    const typed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [`field-${key}`, value]));
    expect((await editor.post(`${base}/${id}/edit`, { ...typed, before })).status).toBe(303);
    const { body } = await account.get(`/api/pass/${id}`);
    expect(body).toMatchObject({ userProvidedId: 'edit-2', storedValue: 9 });
    expect(await d1('select phone_recipient as phone from passes where id = ?', [id])).toEqual([{ phone: null }]);
  });

  test('is voided, restored, added to a bundle, removed from it and deleted', async () => {
    const id = await create({ userProvidedId: 'verbs' });
    const voided = async () => (await account.get(`/api/pass/${id}`)).body.voided;
    await editor.post(`${base}/${id}/void`);
    expect(await voided()).toBe(true);
    await editor.post(`${base}/${id}/unvoid`);
    expect(await voided()).toBe(false);
    await editor.post(`${base}/${id}/join`, { bundleId: 'family / 1' });
    const bundle = `${consolePath(account, 'bundles')}/bundle?id=${encodeURIComponent('family / 1')}`;
    expect((await editor.get(bundle)).body).toContain('verbs');
    await editor.post(`${base}/${id}/leave`);
    expect((await editor.get(bundle)).status).toBe(404);
    expect((await editor.get(`${base}/${id}/delete`)).body).toContain('You can’t undo this');
    await editor.post(`${base}/${id}/delete`);
    expect((await account.get(`/api/pass/${id}`)).status).toBe(404);
  });

  test('gets new links after a confirmation, with an entry in the audit log', async () => {
    const id = await create({ userProvidedId: 'rotated' });
    const linkOf = async () => new URL((await account.get(`/api/v3/pass/${id}`)).body.data.downloadPage).pathname;
    const old = (await linkOf()) as `/${string}`;
    expect((await editor.get(`${base}/${id}`)).body).toContain(`href="${base}/${id}/rotate-links"`);
    expect((await reader.get(`${base}/${id}`)).body).not.toContain('/rotate-links');
    expect((await editor.get(`${base}/${id}/rotate-links`)).body).toContain('The old links stop working immediately');
    expect(await linkOf()).toBe(old);
    expect((await editor.post(`${base}/${id}/rotate-links`)).status).toBe(303);
    expect((await send('GET', old)).status).toBe(404);
    expect((await editor.get(`${base}/${id}`)).body).toContain(await linkOf());
    const owner = await visitor(account, ['owner']);
    const { body } = await owner.get(consolePath(account, 'audit-log'));
    expect(body).toMatch(new RegExp(`pass\\.rotate_links.*${editor.email}.*${id}`, 's'));
  });

  test('shows on its page why a push, an e-mail or a move is rejected, and keeps the input', async () => {
    const id = await create({ userProvidedId: 'refusals' });
    const push = await editor.post(`${base}/${id}/push`, { text: 'Hello' });
    expect([push.status, push.body.includes('no device has it')]).toEqual([400, true]);
    const mail = await editor.post(`${base}/${id}/mail`, { recipient: 'ada@example.com' });
    expect([mail.status, mail.body.includes('has no ad hoc e-mail template')]).toEqual([400, true]);
    const move = await editor.post(`${base}/${id}/move`, { target: templateId });
    expect([move.status, move.body.includes('not part of a project')]).toEqual([400, true]);
    await editor.post(`${base}/${id}/join`, { bundleId: '' });
    expect((await editor.post(`${base}/${id}/enable-download`, { until: '2999-13-01T00:00' })).status).toBe(400);
    expect((await editor.post(`${base}/${id}/enable-download`, { until: '' })).status).toBe(303);
  });

  test('is mailed, as its timeline shows', async () => {
    const sendoutOptions = { adHoc: { subject: 'Yours', emailTemplate: 'Here: {linkToPassPage}' } };
    const mailing = await account.createTemplate({ sendoutOptions });
    const { identifier } = await account.createPass(mailing);
    const sent = await editor.post(`${base}/${identifier}/mail`, { recipient: 'ada@example.com' });
    expect(sent.headers.get('Location')).toMatch(/#timeline$/);
    await eventually(async () =>
      /E-mail sent.*ada@example\.com/s.test((await editor.get(`${base}/${identifier}`)).body),
    );
  });

  test('cannot be changed by readers, or reached by other accounts', async () => {
    const id = await create({ userProvidedId: 'mine' });
    expect((await reader.get(`${base}/${id}`)).body).not.toContain('>Actions<');
    const verbs = ['void', 'push', 'delete', 'edit', 'join', 'leave', 'move', 'mail', 'rotate-links'];
    const refused = await Promise.all(verbs.map((verb) => reader.post(`${base}/${id}/${verb}`)));
    expect(refused.map(({ status }) => status)).toEqual(verbs.map(() => 403));
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const foreign = await Promise.all([
      other.get(`${consolePath(stranger, 'passes')}/${id}`),
      other.get(`${base}/${id}`),
      ...['void', 'delete', 'leave', 'rotate-links'].map((verb) =>
        other.post(`${consolePath(stranger, 'passes')}/${id}/${verb}`),
      ),
    ]);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect((await account.get(`/api/pass/${id}`)).body.voided).toBe(false);
  });
});
