import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openConsole, openPage, signIn } from '../support/browser.ts';
import { d1, eventually } from '../support/control.ts';
import { lookTwice, PHONE } from '../support/page-faults.ts';

let account: Client;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
});

let people = 0;

/** Creates an owner of the account for one test only. */
async function owner(): Promise<string> {
  people += 1;
  const email = `owner-${people}-${account.accountId}@example.com`;
  await admin('user invite', { account: account.accountId, email, privilege: ['owner'] });
  return email;
}

/** Sets somebody's last sign-in to 20 minutes ago. */
const age = (email: string) =>
  d1('update sessions set created_at = created_at - 1200000 where user_id = (select id from users where email = ?)', [
    email,
  ]);

const mailedLink = (email: string) =>
  eventually(async () => {
    const mails = await d1<{ text: string }>('select text from outbox_items where recipient = ? order by rowid desc', [
      email,
    ]);
    return mails.map(({ text }) => /https?:\S+\/console\/sign-in\?token=\S+/.exec(text)?.[0])[0];
  });

const keysPath = () => `/console/accounts/${account.accountId}/api-keys`;
/** The browser's message about the page that requires a sign-in. */
const REFUSED = /403 \(Forbidden\)/;

describe('signing in', () => {
  test('opens a link where it was requested, and explains it elsewhere', async () => {
    const email = await owner();
    const { page, close } = await openPage({ viewport: PHONE });
    await page.goto('/console/sign-in');
    await lookTwice(page, 'sign-in');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await lookTwice(page, 'sign-in sent');
    const link = await mailedLink(email);

    const other = await openPage({ viewport: PHONE });
    await other.page.goto(link);
    await other.page.getByRole('heading', { name: 'This link belongs to another browser' }).waitFor();
    await lookTwice(other.page, 'sign-in elsewhere');
    await other.close();

    await page.goto(link);
    expect(await page.getByText(email).isVisible()).toBe(true);
    await lookTwice(page, 'sign-in confirm');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/console/accounts/${account.accountId}`);
    await close();
  });

  test('lists where a user is signed in, and ends sessions there', async () => {
    const email = await owner();
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0';
    const there = await openPage({ viewport: PHONE, userAgent });
    await signIn(there.page, email);
    const { page, close } = await openConsole(email, { viewport: PHONE });
    await page.goto('/console/you');
    await lookTwice(page, 'you');
    await page.getByRole('button', { name: /Sign out Firefox on Windows/ }).click();
    await page.waitForURL('**/console/you');
    expect(await page.getByText('Firefox on Windows').count()).toBe(0);
    await there.page.goto('/console/you');
    expect(new URL(there.page.url()).pathname).toBe('/console/sign-in');
    await there.close();
    await close();
  });

  test('must be repeated before a key is created, and loses no input', async () => {
    const email = await owner();
    const { page, context, close } = await openConsole(email, { viewport: PHONE, javaScriptEnabled: false }, REFUSED);
    await page.goto(`${keysPath()}/new`);
    await page.getByLabel('Name').fill('Ticket shop');
    await page.getByLabel('passes:write').check();
    await age(email);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('heading', { name: 'Confirm that it’s you' }).waitFor();
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();

    const tab = await context.newPage();
    await tab.goto(await mailedLink(email));
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await tab.close();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByRole('main').textContent()).toContain('Ticket shop');
    expect(await page.getByRole('main').textContent()).toMatch(/pk_/);
    await close();
  });

  test('must be repeated to open sensitive pages, and leads there', async () => {
    const email = await owner();
    const { page, close } = await openConsole(email, { viewport: PHONE });
    await age(email);
    await page.goto(`${keysPath()}/new`);
    await lookTwice(page, 'confirm');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('link', { name: 'Continue' }).waitFor();
    await lookTwice(page, 'confirm sent');
    await page.goto(await mailedLink(email));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**${keysPath()}/new`);
    await close();
  });
});
