import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { d1 } from '../../support/control.ts';
import { fetchWorker } from '../../support/fetch-worker.ts';
import { archiveOf, couponJson } from '../../support/template-files.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

const MIB = 1024 * 1024;

let account: Client;
let editor: Visitor;
let base: string;
beforeAll(async () => {
  account = await freshAccount();
  editor = await visitor(account, ['templates.edit']);
  base = consolePath(account, 'templates');
});

/** Uploads a file like a browser, whose headers name the site of the form. */
async function upload(content: Uint8Array | undefined, { name = '', as = editor, site = 'same-origin' } = {}) {
  const form = new FormData();
  form.set('file', new File(content ? [new Uint8Array(content)] : [], 'coffee.pkpass'));
  form.set('name', name);
  const sent = new Response(form);
  const response = await fetchWorker(new URL(`${base}/import`, inject('worker').origin), {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': site, 'Content-Type': sent.headers.get('Content-Type')!, ...as.cookie },
    body: new Uint8Array(await sent.arrayBuffer()),
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, body: await response.text() } as Reply;
}

const count = async () =>
  (await d1<{ n: number }>('select count(*) as n from templates where account_id = ?', [account.accountId]))[0]!.n;
/** The error next to the file field. */
const besideFile = ({ body }: Reply) => /id="file-error">([^<]*)</.exec(body)?.[1];

describe('a file', () => {
  test('becomes a template, and leads to it', async () => {
    expect((await editor.get(`${base}/new`)).body).toContain(`href="${base}/import"`);
    expect((await editor.get(`${base}/import`)).body).toContain('type="file"');
    const reply = await upload(archiveOf({ 'pass.json': couponJson() }), { name: ' Coffee ' });
    expect(reply.status).toBe(303);
    const page = await editor.get(reply.headers.get('Location')!);
    expect(page.body).toContain('>Coffee</h1>');
    const [entry] = (await auditEntries(account.accountId)).filter(({ action }) => action === 'template.create');
    expect(entry).toMatchObject({ actor_type: 'user', email: editor.email, target: 'Coffee' });
  });

  test('that is a pass becomes a template, and the page lists what was left out', async () => {
    const pass = couponJson({ serialNumber: '1', 'odd <b>': 1 });
    const { status, body } = await upload(archiveOf({ 'pass.json': pass }));
    expect(status).toBe(200);
    expect(body).toMatch(/<code>serialNumber<\/code>.*each pass gets its own; left out/s);
    expect(body).toMatch(/<code>odd &lt;b&gt;<\/code>.*is not a member that templates have; left out/s);
    const open = new RegExp(`href="(${base}/[0-9a-f-]{36})"[^>]*>Open template`).exec(body)![1]!;
    expect((await editor.get(open)).status).toBe(200);
  });

  test.each<[string, Uint8Array | undefined, string]>([
    ['nothing', undefined, 'select a file that is not empty'],
    ['no archive', new Uint8Array(9), 'The archive cannot be imported: it is not a ZIP archive, or it is cut off'],
    ['no template', archiveOf({ 'a.txt': 'a' }), 'The archive has no pass.json, neither at the top nor in one folder'],
    ['too much', new Uint8Array(10 * MIB + 1), 'must have at most 10 MiB'],
    [
      'a broken image',
      archiveOf({ 'pass.json': couponJson(), 'logo.png': 'x' }),
      'images.logo: image is not importable (it is neither PNG nor JPEG)',
    ],
  ])('that is %s is rejected next to its field, and nothing is stored', async (_, content, message) => {
    const before = await count();
    const reply = await upload(content, { name: 'Kept' });
    expect([reply.status, besideFile(reply)]).toEqual([400, message]);
    expect(reply.body).toContain('value="Kept"');
    expect(await count()).toBe(before);
  });

  test('from another site, or a member who can only read, is rejected', async () => {
    const file = archiveOf({ 'pass.json': couponJson() });
    const reader = await visitor(account, ['read']);
    const before = await count();
    expect((await upload(file, { site: 'cross-site' })).status).toBe(403);
    expect((await upload(file, { as: reader })).status).toBe(403);
    expect((await reader.get(`${base}/import`)).status).toBe(403);
    expect(await count()).toBe(before);
  });
});

describe('an export', () => {
  test('is a link on the template’s page, and adds an entry to the audit log', async () => {
    const id = await account.createTemplate({ name: 'Bean club' });
    expect((await editor.get(`${base}/${id}`)).body).toContain(`href="${base}/${id}/export"`);
    const reply = await editor.get(`${base}/${id}/export`);
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/zip']);
    expect(reply.headers.get('Content-Disposition')).toMatch(/^attachment; filename="Bean club\.pkpasstemplate\.zip"/);
    const entries = (await auditEntries(account.accountId)).filter(({ action }) => action === 'template.export');
    expect(entries).toMatchObject([{ actor_type: 'user', email: editor.email, target_id: id, target: 'Bean club' }]);
    const back = await upload(reply.body as Uint8Array);
    expect(back.status).toBe(303);
  });

  test('is not for members who can only read', async () => {
    const id = await account.createTemplate();
    const reader = await visitor(account, ['read']);
    expect((await reader.get(`${base}/${id}/export`)).status).toBe(403);
    expect((await reader.get(`${base}/${id}`)).body).not.toContain('/export"');
  });
});
