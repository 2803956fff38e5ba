import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { VIEW_ENTRY } from '../../support/audit.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let templateId: string;
let editor: Visitor;
let base: string;
const ids: string[] = [];
beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate();
  for (const name of ['one', 'two', 'three']) {
    ids.push((await account.createPass(templateId, { userProvidedId: name })).identifier);
  }
  editor = await visitor(account, ['passes.edit', 'personal_data']);
  base = consolePath(account, 'passes');
});

const ended = (started: Reply) => {
  expect(started.status).toBe(303);
  return eventually(async () => {
    const { body } = await editor.get(started.headers.get('Location')!);
    return /Done<|Completed with errors</.test(body) && body;
  });
};
const voided = async () => Promise.all(ids.map(async (id) => (await account.get(`/api/pass/${id}`)).body.voided));

/** Returns the fields of the form in a reply, as a browser would send them. */
function fieldsIn({ body }: Reply): [string, string][] {
  const form = /<form class="panel stack".*?<\/form>/s.exec(body)![0];
  return [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!.replaceAll('&quot;', '"'),
  ]);
}

describe('a change of many passes', () => {
  test('shows what it would do, and does it when confirmed', async () => {
    const review = await editor.post(`${base}/bulk`, [
      ['action', 'void'],
      ['scope', 'selected'],
      ['query', '{}'],
      ['pass', ids[0]!],
      ['pass', ids[1]!],
    ]);
    expect(review.body).toMatch(/<strong>2 passes<\/strong> will be voided/);
    expect(await voided()).toEqual([false, false, false]);
    await ended(await editor.post(`${base}/bulk`, fieldsIn(review)));
    expect(await voided()).toEqual([true, true, false]);
    const undo = await editor.post(`${base}/bulk`, [
      ['action', 'unvoid'],
      ['scope', 'all'],
      ['query', JSON.stringify({ templateId, groups: [[{ field: 'voided', operator: 'isTrue' }]] })],
    ]);
    expect(undo.body).toContain('<strong>2 passes</strong> will be restored');
    await ended(await editor.post(`${base}/bulk`, fieldsIn(undo)));
    expect(await voided()).toEqual([false, false, false]);
  });

  test('creates an event for each voided pass', async () => {
    const path = `/api/v3/webhook-payload` as const;
    await account.post('/api/hook/subscribe', { event: 'pass_voided', pullMode: true });
    const review = await editor.post(`${base}/bulk`, [
      ['action', 'void'],
      ['scope', 'all'],
      ['query', JSON.stringify({ searchPhrase: 'three' })],
    ]);
    await ended(await editor.post(`${base}/bulk`, fieldsIn(review)));
    await eventually(async () => JSON.stringify((await account.get(path)).body).includes(ids[2]!));
  });

  test('sets a field of the template, with an input of its type', async () => {
    const query = JSON.stringify({ templateId });
    const choice = await editor.post(`${base}/bulk`, [
      ['action', 'set'],
      ['scope', 'all'],
      ['query', query],
    ]);
    const level = /<option value="([^"]*)">Level</.exec(choice.body)![1]!;
    const asked = await editor.post(`${base}/bulk`, [...fieldsIn(choice), ['field', level]]);
    expect(asked.body).toContain(`name="field-${level}"`);
    const review = await editor.post(`${base}/bulk`, [...fieldsIn(asked), [`field-${level}`, 'Gold']]);
    expect(review.body).toContain('will have “Gold” as Level');
    await ended(await editor.post(`${base}/bulk`, fieldsIn(review)));
    const { body } = await account.get(`/api/pass/${ids[0]}?includeFieldMapping=true`);
    expect(JSON.stringify(body)).toContain('Gold');
  });

  test('shows before and afterwards what is rejected', async () => {
    const query = JSON.stringify({ templateId });
    const fields: [string, string][] = [
      ['action', 'set'],
      ['scope', 'all'],
      ['query', query],
      ['field', 'bundleId'],
    ];
    // A field specific to one pass can't be set for many: the form asks for another field.
    expect((await editor.post(`${base}/bulk`, [...fields, ['field-bundleId', 'x']])).body).toContain('Select a field');
    const wrong = await editor.post(`${base}/bulk`, [
      ['action', 'set'],
      ['scope', 'all'],
      ['query', query],
      ['field', 'storedValue'],
      ['field-storedValue', 'many'],
    ]);
    expect([
      wrong.status,
      wrong.body.includes('Stored value: must be a number'),
      wrong.body.includes('value="many"'),
    ]).toEqual([400, true, true]);
    const gone = await account.createPass(templateId);
    const review = await editor.post(`${base}/bulk`, [
      ['action', 'void'],
      ['scope', 'selected'],
      ['query', '{}'],
      ['pass', gone.identifier],
    ]);
    await account.delete(`/api/pass/${gone.identifier}`);
    const started = await editor.post(`${base}/bulk`, fieldsIn(review));
    expect(await ended(started)).toMatch(/Completed with errors.*Object not found/s);
    const again = await editor.post(`${started.headers.get('Location')}/retry`);
    expect(await ended(again)).toContain('Completed with errors');
  });

  test.each([
    ['{"groups":[[null]]}', 'query.groups.0.0: must be an object'],
    ['{"groups":[null]}', 'query.groups.0: must be an array'],
    ['{"groups":{}}', 'query.groups: must be an array'],
    ['[]', 'query: must be an object'],
    ['{', 'query: must be an object as JSON'],
  ])('rejects the query %s, also for a segment', async (query, message) => {
    const replies = [
      await editor.post(`${base}/bulk`, { action: 'void', scope: 'all', query }),
      await editor.post(`${base}/segments`, { title: 'A', query }),
    ];
    for (const { status, body } of replies) expect([status, body.includes(message)]).toEqual([400, true]);
  });

  test('needs a selection, and a text for a push', async () => {
    const none = await editor.post(`${base}/bulk`, { action: 'void', scope: 'selected', query: '{}' });
    expect([none.status, none.body.includes('Select passes in the list first')]).toEqual([400, true]);
    const push = await editor.post(`${base}/bulk`, { action: 'push', scope: 'all', query: '{}' });
    expect(push.body).toContain('name="text"');
    const empty = await editor.post(`${base}/bulk`, { action: 'push', scope: 'all', query: '{}', text: ' ' });
    expect(empty.status).toBe(400);
  });
});

describe('processes', () => {
  test('are shown to readers, changed by editors, and not found in other accounts', async () => {
    const review = await editor.post(`${base}/bulk`, { action: 'unvoid', scope: 'all', query: '{}' });
    const started = await editor.post(`${base}/bulk`, fieldsIn(review));
    const path = started.headers.get('Location')!;
    await ended(started);
    const reader = await visitor(account, ['read', 'personal_data']);
    const shown = await reader.get(path);
    expect((await costOf(shown)).roundTrips).toBeLessThanOrEqual(3 + reader.apart);
    expect((await reader.post(`${path}/cancel`)).status).toBe(403);
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const foreign = path.replace(account.accountId, stranger.accountId);
    for (const reply of [
      await other.get(foreign),
      await other.get(`${foreign}/events`),
      await other.post(`${foreign}/retry`),
    ]) {
      expect(reply.status).toBe(404);
    }
    expect((await other.get(consolePath(stranger, 'processes'))).body).toContain('No processes yet');
  });
});

describe('bundles', () => {
  test('are created, shown, voided, changed and dissolved', async () => {
    const bundles = consolePath(account, 'bundles');
    expect((await editor.get(bundles)).body).toContain('No bundles yet');
    const missing = await editor.post(bundles, { bundleId: 'Family', passes: 'one\nnobody' });
    expect([
      missing.status,
      missing.body.includes('nobody&quot; is not a pass'),
      missing.body.includes('value="Family"'),
    ]).toEqual([400, true, true]);
    const made = await editor.post(bundles, { bundleId: 'Family', passes: 'one\r\ntwo\r\n' });
    const path = made.headers.get('Location')!;
    const shown = await editor.get(path);
    expect((await costOf(shown)).roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + editor.apart);
    expect(shown.body).toMatch(/\/p\/[\w-]{25}.*>one<.*>two</s);
    const list = await editor.get(bundles);
    expect((await costOf(list)).roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + editor.apart);
    expect(list.body).toMatch(/>Family<.*data-label="Passes">2</s);
    await editor.post(`${bundles}/void`, { id: 'Family' });
    expect((await voided()).slice(0, 2)).toEqual([true, true]);
    expect((await editor.get(bundles)).body).toContain('>Voided<');
    await editor.post(`${bundles}/unvoid`, { id: 'Family' });
    await editor.post(`${bundles}/add`, { id: 'Family', passes: 'three' });
    await editor.post(`${bundles}/remove`, { id: 'Family', pass: ids[0]! });
    expect((await editor.get(path)).body).toMatch(/>two<.*>three</s);
    expect((await editor.get(`${bundles}/dissolve?id=Family`)).body).toContain('stops working');
    await editor.post(`${bundles}/dissolve`, { id: 'Family' });
    expect((await editor.get(path)).status).toBe(404);
    expect((await editor.get(bundles)).body).toContain('No bundles yet');
  });

  test('have pages', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const template = await own.createTemplate();
    const names = Array.from({ length: 51 }, (_, i) => `b-${String(i).padStart(2, '0')}`);
    await Promise.all(names.map((bundleId) => own.createPass(template, { bundleId })));
    const first = await owner.get(consolePath(own, 'bundles'));
    expect(first.body).not.toContain('>b-50<');
    const second = await owner.get(/href="([^"]*\?after=[^"]*)"/.exec(first.body)![1]!);
    expect(second.body).toContain('>b-50<');
  });
});

describe('a property of 5,051 passes that becomes unique', () => {
  test('has a process, whose page names the property if two values repeat', async () => {
    const id = await account.createTemplate({ additionalProperties: [{ name: 'Seat' }] });
    const template = `/api/v2/pass-template/${id}` as const;
    const [seat] = (await account.get(`${template}/describe`)).body.data.additionalProperties;
    const { identifier } = await account.createPass(id, { Seat: '0' });
    const properties = `json_object('${seat.id}', '' || min(numbers.value, 5049))`;
    const own = { ...COPIED_PASS, properties };
    const copies = await copyRow(d1, { table: 'passes', where: 'id = ?', params: [identifier], rows: 5_050, own });
    await d1('update templates set pass_count = 5051 where id = ?', [id]);
    const save = () => account.patch(template, { additionalProperties: [{ id: seat.id, unique: true }] });
    const refused = await save();
    expect([refused.status, refused.body.errors]).toEqual([400, ['Seat: the value must be unique']]);
    const list = await editor.get(consolePath(account, 'processes'));
    const [, href] = /href="([^"]+)">Make a property unique</.exec(list.body)!;
    const { body } = await editor.get(href!);
    expect(body).toMatch(/Completed with errors<.*>Property<.*>Seat<.*>the value must be unique<.*>View template</s);
    expect(body).not.toContain('Retry failed');
    expect((await account.delete(`/api/pass/${copies.at(-1)}`)).status).toBeLessThan(300);
    expect((await save()).status).toBe(200);
    const taken = await account.post('/api/v3/pass', { data: { templateId: id, Seat: '77' } });
    expect([taken.status, taken.body.errors]).toEqual([400, ['data.Seat: the value must be unique']]);
  });
});
