import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, type CreatedPass, freshAccount, send } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';

type Path = `/${string}`;

let client: Client;

beforeAll(async () => {
  client = await freshAccount();
});

const pathOf = ({ linkToPassPage }: CreatedPass) => new URL(linkToPassPage).pathname as Path;
const setActive = (pass: CreatedPass, active: number) =>
  d1('update passes set number_of_active = ? where id = ?', [active, pass.identifier]);

describe('a template that prevents the download of active passes', () => {
  let pass: CreatedPass;
  let path: Path;

  beforeAll(async () => {
    pass = await client.createPass(await client.createTemplate({ preventDownloadWhenActive: true }));
    path = pathOf(pass);
  });

  test('serves a pass that is on no device', async () => {
    const { body } = await send('GET', path);
    expect(body).toContain('pass.pkpass');
    expect(body).toContain('pay.google.com');
  });

  test('explains for one on a device why there are no links', async () => {
    await setActive(pass, 1);
    const page = await send('GET', path);
    expect(page.status).toBe(200);
    expect(page.body).toContain('<h1>This pass is already on a device</h1>');
    expect(page.body).not.toContain('pkpass');
    expect(page.body).not.toContain('pay.google.com');
    expect((await send('GET', `/de${path}`)).body).toContain('bereits auf einem Gerät');
    const file = await send('GET', `${path}/pass.pkpass`);
    expect([file.status, file.headers.get('Location')]).toEqual([303, path]);
    expect((await send('GET', `${path}/barcode.svg`)).status).toBe(404);
    expect((await send('GET', `${path}?print`)).body).not.toContain('class="sheet"');
    expect((await send('GET', pass.linkToPassFile as Path)).status).toBe(200);
  });

  test('allows it again for the time set by enabledownload', async () => {
    await setActive(pass, 1);
    expect((await client.post(`/api/pass/${pass.identifier}/enabledownload`)).status).toBe(204);
    expect((await send('GET', path)).body).toContain('pass.pkpass');
    expect((await send('GET', `${path}/pass.pkpass`)).status).toBe(200);
    await d1('update passes set download_enabled_until_at = ? where id = ?', [Date.now() - 1, pass.identifier]);
    expect((await send('GET', path)).body).not.toContain('pass.pkpass');
  });

  test('does not concern other templates', async () => {
    const other = await client.createPass(await client.createTemplate());
    await setActive(other, 3);
    expect((await send('GET', pathOf(other))).body).toContain('pass.pkpass');
  });
});

describe('the print version', () => {
  const printed = async (pass: CreatedPass) => (await client.get(`/api/pass/${pass.identifier}`)).body.numberOfPrinted;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  test('is counted when requested by the form, not when viewed', async () => {
    const pass = await client.createPass(await client.createTemplate());
    const path = pathOf(pass);
    const { body } = await send('GET', path);
    expect(body).toContain(`<form method="post" action="${path}?print">`);
    for (let i = 0; i < 2; i++) {
      const reply = await send('POST', `${path}?print`, '', form);
      expect([reply.status, reply.headers.get('Location')]).toEqual([303, `${path}?print`]);
      expect((await send('GET', `${path}?print`)).body).toContain('class="sheet"');
    }
    expect(await printed(pass)).toBe(2);
  });

  test('counts in each language, and loses nothing under load', async () => {
    const pass = await client.createPass(await client.createTemplate());
    const before = (await client.get(`/api/v3/pass/${pass.identifier}`)).body.data.modifiedOn;
    await Promise.all(Array.from({ length: 20 }, () => send('POST', `/de${pathOf(pass)}?print`, '', form)));
    expect(await printed(pass)).toBe(20);
    expect((await client.get(`/api/v3/pass/${pass.identifier}`)).body.data.modifiedOn).toBe(before);
  });

  test.each([
    ['hidden', { hidePrintVersion: true }, {}],
    ['behind a PIN', { downloadPinEnabled: true }, { downloadPin: '1234' }],
  ])('is neither shown nor counted if it is %s', async (_, template, fields) => {
    const pass = await client.createPass(await client.createTemplate(template), fields);
    const path = pathOf(pass);
    expect((await send('GET', path)).body).not.toContain('?print');
    const reply = await send('POST', `${path}?print`, '', form);
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, path]);
    expect(await printed(pass)).toBe(0);
  });
});

describe('links with a userProvidedId', () => {
  test('can be switched off for an account, and on again', async () => {
    const account = await freshAccount();
    const pass = await account.createPass(await account.createTemplate(), { userProvidedId: 'guess-me' });
    const link: Path = `/p/${account.accountId}/guess-me`;
    const update = (value: string) => admin('account update', { id: account.accountId, 'user-provided-links': value });
    expect((await send('GET', link)).status).toBe(200);
    expect(await update('off')).toEqual({ accountId: account.accountId, userProvidedLinks: false });
    for (const address of [link, `/de${link}`] as const) {
      expect((await send('GET', address)).status).toBe(404);
      expect((await send('POST', address, '', {})).status).toBe(404);
    }
    expect((await send('GET', pathOf(pass))).status).toBe(200);
    expect((await send('GET', `/p/${pass.identifier}`)).status).toBe(200);
    await update('on');
    expect((await send('GET', link)).status).toBe(200);
    await expect(update('maybe')).rejects.toThrow('user-provided-links');
    await expect(admin('account update', { id: 'nobody', 'user-provided-links': 'on' })).rejects.toThrow('404');
  });
});
