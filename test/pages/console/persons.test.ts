import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

let account: Client;
let editor: Visitor;
let passId: string;
beforeAll(async () => {
  account = await freshAccount();
  editor = await visitor(account, ['passes.edit', 'personal_data']);
  const template = await account.createTemplate();
  ({ identifier: passId } = await account.createPass(template, { emailRecipient: 'ada@example.com' }));
});

const path = (...parts: string[]) => consolePath(account, 'persons', ...parts);
const typed = (value: string, by = 'emailRecipient'): [string, string][] => [
  ['by', by],
  ['value', value],
];
/** Returns the page of the process that a form starts, once it has ended. */
const endedPage = async (action: string, fields: [string, string][]) => {
  const { status, headers } = await editor.post(path(action), fields);
  expect(status).toBe(303);
  return eventually(async () => {
    const { body } = await editor.get(headers.get('Location')! as `/${string}`);
    return />Done</.test(body) && String(body);
  });
};

describe('a person', () => {
  test('is counted, exported and erased', async () => {
    await openLight(editor, path());
    const { body } = await editor.post(path('find'), typed('ADA@example.com'));
    expect(body).toMatch(/Passes<\/dt>\s*<dd[^>]*>1</);
    expect(body).toContain('Erase data');
    expect(body).not.toContain('No pass has this value');
    expect((await editor.post(path('find'), typed('nobody@example.com'))).body).toContain('No pass has this value');
    expect(await endedPage('export', typed('ada@example.com'))).toContain('Download archive');
    expect((await account.get(`/api/v3/pass/${passId}`)).status).toBe(200);
    await endedPage('erase', [...typed('ada@example.com'), ['mode', 'delete']]);
    expect((await account.get(`/api/v3/pass/${passId}`)).status).toBe(404);
  });

  test('is exported under a link that only a fresh sign-in shows', async () => {
    await account.createPass(await account.createTemplate(), { emailRecipient: 'grace@example.com' });
    const { headers } = await editor.post(path('export'), typed('grace@example.com'));
    const page = headers.get('Location')! as `/${string}`;
    await eventually(async () => (await editor.get(page)).body.includes('/person-exports/') || undefined);
    const earlier = await visitor(account, ['passes.edit', 'personal_data']);
    const since =
      'update sessions set created_at = created_at - 900000 where user_id = (select id from users where email = ?)';
    await d1(since, [earlier.email]);
    const { status, body } = await earlier.get(page);
    expect([status, body.includes('/person-exports/')]).toEqual([200, false]);
    expect(body).toContain(`href="/console/confirm?${new URLSearchParams({ to: page })}"`);
  });

  test('is erased after a page that shows how much is erased, and what stays', async () => {
    const mark = `confirm-${crypto.randomUUID()}`;
    const template = await account.createTemplate({ name: 'Tennis' });
    for (const level of ['a', 'b']) await account.createPass(template, { 'Full name': mark, Level: level });
    const [, id] = /value="property:([^"]+)"[^>]*>Full name \(Tennis\)</.exec((await editor.get(path())).body)!;
    const fields: [string, string][] = [...typed(mark, `property:${id}`), ['mode', 'anonymize']];
    const { status, body } = await editor.post(path('erase', 'confirm'), fields);
    expect(status).toBe(200);
    expect(body).toContain('Erase data of 2 passes');
    expect(body).toMatch(/Full name\s*<strong>confirm-/);
    expect(body).toContain('Kept:');
    const reader = await visitor(account, ['personal_data']);
    expect((await reader.post(path('erase', 'confirm'), fields)).status).toBe(403);
    const empty = await editor.post(path('erase', 'confirm'), typed(''));
    expect([empty.status, empty.body]).toEqual([400, expect.stringContaining('must not be empty')]);
  });

  test('is not searched by an empty value, or by a property that no template has', async () => {
    const empty = await editor.post(path('find'), typed(''));
    expect([empty.status, empty.body]).toEqual([400, expect.stringContaining('must not be empty')]);
    const { status, body } = await editor.post(path('export'), typed('x', 'property:nothing'));
    expect([status, body]).toEqual([400, expect.stringContaining('is not an additional property of a template')]);
  });

  test('is shown to members with the privilege personal_data, and erased by those who can also edit passes', async () => {
    const reader = await visitor(account, ['personal_data']);
    const found = await reader.post(path('find'), typed('ada@example.com'));
    expect(found.body).toContain('Export data');
    expect(found.body).not.toContain('Erase data');
    expect((await reader.post(path('erase'), typed('ada@example.com'))).status).toBe(403);
    const other = await visitor(account, ['passes.edit']);
    expect((await other.get(path())).status).toBe(403);
    expect((await other.get(consolePath(account))).body).not.toContain(path());
  });

  test('is the subject of a process that only members with personal_data cancel or retry', async () => {
    const { headers } = await editor.post(path('export'), typed('ada@example.com'));
    const process = headers.get('Location')! as `/${string}`;
    const other = await visitor(account, ['passes.edit']);
    for (const [member, status] of [
      [other, 403],
      [editor, 303],
    ] as const) {
      expect((await member.post(`${process}/cancel`)).status).toBe(status);
      expect((await member.post(`${process}/retry`)).status).toBe(status);
    }
    expect((await other.get(process)).body).not.toContain(`${process}/cancel`);
  });
});
