import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { actionsOf, VIEW_ENTRY } from '../../support/audit.ts';
import { costOf, d1, eventually, storedKeys } from '../../support/control.ts';
import { fetchWorker } from '../../support/fetch-worker.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let templateId: string;
let editor: Visitor;
let base: string;
beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate({
    additionalProperties: [
      { name: 'Full name', type: 'text', required: true },
      { name: 'Age', type: 'number' },
      { name: 'Seat', type: 'text', unique: true },
      { name: 'Vegan', type: 'checkbox' },
    ],
  });
  editor = await visitor(account, ['passes.edit', 'personal_data']);
  base = consolePath(account, 'passes');
});

/** Uploads a file like a browser. */
async function upload(content: string | Uint8Array<ArrayBuffer>, as = editor, template = templateId): Promise<Reply> {
  const form = new FormData();
  form.set('template', template);
  form.set('file', new File([content], 'Gäste.csv', { type: 'text/csv' }));
  const sent = new Response(form);
  const response = await fetchWorker(new URL(`${base}/import`, inject('worker').origin), {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': sent.headers.get('Content-Type')!, ...as.cookie },
    body: new Uint8Array(await sent.arrayBuffer()),
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const addressOf = (reply: Reply) => reply.headers.get('Location') ?? '';
/** Returns the fields that the page has assigned to the columns. */
const mappingIn = ({ body }: Reply) =>
  [...String(body).matchAll(/<select name="map".*?<\/select>/gs)].map(
    ([select]) => /value="([^"]*)" selected/.exec(select)?.[1] ?? '',
  );
const asFields = (mapping: string[]) => mapping.map((key): [string, string] => ['map', key]);

/** Returns the page of the started process once it has ended. */
const endedPage = (started: Reply) =>
  eventually(async () => {
    const { body } = await editor.get(addressOf(started));
    return /Done<|Completed with errors</.test(body) && body;
  });

const count = async () =>
  (await d1<{ n: number }>('select count(*) as n from passes where template_id = ?', [templateId]))[0]!.n;

describe('an import', () => {
  test('guesses the columns’ fields and shows what would be rejected before anything is created', async () => {
    const csv =
      '\uFEFFID;full NAME;Age;Seat;Remark\r\n a-1 ;"Ada; Countess";36;1A;x\r\na-2;;many;1B;y\r\n\r\na-3;Bob;41;1C;z\r\n';
    const sent = await upload(csv);
    expect(sent.status).toBe(303);
    const shown = await editor.get(addressOf(sent));
    expect((await costOf(shown)).roundTrips).toBeLessThanOrEqual(3 + VIEW_ENTRY + editor.apart);
    const mapping = mappingIn(shown);
    expect([mapping[0], mapping[4]]).toEqual(['userProvidedId', '']);
    expect(shown.body).toContain('Gäste.csv: 3 passes');
    expect(shown.body).toMatch(
      /All 3 rows were checked; 1 would be rejected.*<th scope="row">Row 3<\/th>.*Age: must be a number/s,
    );
    expect(shown.body).toContain('Create 2 passes');
    expect(await count()).toBe(0);
    const started = await editor.post(addressOf(sent), asFields(mapping));
    const body = await endedPage(started);
    expect(body).toMatch(/<h1>Create passes<\/h1>.*Completed with errors.*Row 3<.*Age: must be a number/s);
    expect((await costOf(await editor.get(addressOf(started)))).roundTrips).toBeLessThanOrEqual(
      3 + VIEW_ENTRY + editor.apart,
    );
    expect(await count()).toBe(2);
    const actions = await actionsOf(account.accountId);
    expect(actions.filter((action) => action === 'passes.create')).toHaveLength(1);
    expect(actions).toEqual(expect.arrayContaining(['import.view', 'process.view']));
    const ada = await account.get('/api/pass/a-1?includeFieldMapping=true');
    expect(JSON.stringify(ada.body)).toContain('Ada; Countess');
    const errors = await editor.get(`${addressOf(started)}/errors.csv`);
    expect(errors.body).toMatch(/^pass,error\r\nRow 3,.*Age: must be a number/);
    expect(await actionsOf(account.accountId)).toContain('process.export_errors');
    expect((await editor.get(addressOf(sent))).status).toBe(404);
  });

  test('creates a thousand passes in the background, watched by events', async () => {
    const before = await count();
    const rows = Array.from(
      { length: 1_000 },
      (_, i) => `bulk-${i},Guest ${i},${i % 90},B${i},${i % 2 === 0 ? 'yes' : 'no'}`,
    );
    const sent = await upload(['userProvidedId,Full name,Age,Seat,Vegan', ...rows].join('\n'));
    const preview = await editor.get(addressOf(sent));
    expect(preview.body).toContain('The first 50 of 1,000 rows were checked');
    const mapping = mappingIn(preview);
    const all = await editor.get(`${addressOf(sent)}?${new URLSearchParams(asFields(mapping))}&check=all`);
    expect(all.body).toContain('All 1,000 rows were checked; none would be rejected');
    const started = await editor.post(addressOf(sent), asFields(mapping));
    const { body: events } = await editor.get(`${addressOf(started)}/events`);
    const told = [...String(events).matchAll(/^event: process\ndata: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data!));
    expect(told.at(-1)).toMatchObject({ current: 1_000, total: 1_000, failed: 0, isFinished: true });
    expect(await count()).toBe(before + 1_000);
    const list = await editor.get(consolePath(account, 'processes'));
    expect(list.body).toContain('Create passes');
    expect((await costOf(list)).roundTrips).toBeLessThanOrEqual(3);
  });

  test('starts once, however often its form is sent', async () => {
    const sent = await upload('userProvidedId,Full name\nonce,Only One\n');
    const mapping = mappingIn(await editor.get(addressOf(sent)));
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => editor.post(addressOf(sent), asFields(mapping))),
    );
    const started = replies.filter(({ status }) => status === 303);
    expect(started).toHaveLength(1);
    for (const { status } of replies) expect([303, 400, 404]).toContain(status);
    await endedPage(started[0]!);
    const [row] = await d1<{ n: number }>(
      "select count(*) as n from passes where template_id = ? and user_provided_id = 'once'",
      [templateId],
    );
    expect(row!.n).toBe(1);
    expect(await storedKeys(`imports/${account.accountId}/`)).not.toContain(addressOf(sent).split('/').at(-1));
  });

  test('accepts the dates of spreadsheets: days, of which the last is valid until its end, and seconds', async () => {
    const zoned = await account.createTemplate({ timezone: 'Pacific/Auckland' });
    const sent = await upload(
      'ID;Valid from;Expires;Relevant at\ndays;2027-01-30;2027-01-31;2027-01-31\nseconds;;2027-01-31 09:10:59;\nwrong;;2027-02-31;\n',
      editor,
      zoned,
    );
    const shown = await editor.get(addressOf(sent));
    expect(shown.body).toMatch(/All 3 rows were checked; 1 would be rejected.*<th scope="row">Row 4<\/th>.*Expires: /s);
    await endedPage(await editor.post(addressOf(sent), asFields(mappingIn(shown))));
    const rows = await d1<Record<string, number | null>>(
      'select valid_as_of_at, expiration_at, relevant_at from passes where template_id = ? order by user_provided_id',
      [zoned],
    );
    const at = (time: string) => Date.parse(`${time}+13:00`);
    expect(rows.map(Object.values)).toEqual([
      [at('2027-01-30T00:00'), at('2027-01-31T23:59'), at('2027-01-31T00:00')],
      [null, at('2027-01-31T09:10'), null],
    ]);
  });

  test('reads files from older spreadsheet programs', async () => {
    const latin = Uint8Array.from(Buffer.from('userProvidedId;Full name\nlatin;Jürgen\n', 'latin1'));
    expect((await editor.get(addressOf(await upload(latin)))).body).toContain('Jürgen');
  });

  test.each([
    ['', 'select a file that is not empty'],
    ['only,headers\n', 'must contain a line with the column names'],
    ['a,b\n"never,ends\n', 'CSV file: row'],
    [`id\n${'x\n'.repeat(10_001)}`, 'has 10,001 passes'],
  ])('rejects a file that cannot be imported at all', async (content, message) => {
    const reply = await upload(content);
    expect([reply.status, reply.body.includes(message)]).toEqual([400, true]);
  });

  test('rejects a mapping that fills nothing, or a field twice', async () => {
    const address = addressOf(await upload('a,b\n1,2\n'));
    const none = await editor.post(address, asFields(['', '']));
    expect([none.status, none.body.includes('Select a field for at least one column')]).toEqual([400, true]);
    const twice = await editor.post(address, asFields(['userProvidedId', 'userProvidedId']));
    expect([twice.status, twice.body.includes('must have only one column')]).toEqual([400, true]);
  });

  test('accepts files of up to ten megabytes', async () => {
    const wide = 'x'.repeat(9_900);
    const rows = Array.from({ length: 900 }, (_, i) => `big-${i},${wide}`);
    const sent = await upload(['userProvidedId,Full name', ...rows].join('\n'));
    const mapping = mappingIn(await editor.get(addressOf(sent)));
    const started = await editor.post(addressOf(sent), asFields(mapping));
    expect(started.status).toBe(303);
    await editor.post(`${addressOf(started)}/cancel`);
    expect((await editor.get(addressOf(started))).body).toMatch(/data-told="cancelled">[1-9]/);
    expect((await upload(`a\n${'y'.repeat(10.5 * 1024 * 1024)}`)).status).toBe(413);
  });

  test('is only for members of its account', async () => {
    const sent = await upload('userProvidedId,Full name\nx,y\n');
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const id = addressOf(sent).split('/').at(-1)!;
    expect((await other.get(`${consolePath(stranger, 'passes')}/import/${id}`)).status).toBe(404);
    const foreignTemplate = await stranger.createTemplate();
    expect((await upload('a\nb\n', editor, foreignTemplate)).status).toBe(404);
  });
});
