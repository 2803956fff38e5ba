import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { lookTwice, PHONE } from '../support/page-faults.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';

/* Passkeys are tied to a host name, so this service runs under its own name; the shared one uses an IP address. */

let worker: RestartableWorker;

beforeAll(async () => {
  worker = await startRestartableWorker({}, 'localhost');
});
afterAll(async () => {
  await worker?.close();
});

let people = 0;

/** Creates a member of a new account. */
async function member(privilege: string): Promise<{ email: string; accountId: string }> {
  people += 1;
  const email = `passkey-${people}@example.com`;
  const { accountId } = await worker.admin<{ accountId: string }>('account create', { name: 'Alpine Trains' });
  await worker.admin('user invite', { account: accountId, email, privilege: [privilege] });
  return { email, accountId };
}

/** Opens a page in a browser with an authenticator that always agrees, like one with a fingerprint reader. */
async function open() {
  const opened = await openPage({ baseURL: worker.origin, viewport: PHONE });
  const cdp: CDPSession = await opened.context.newCDPSession(opened.page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const refuse = () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  return { ...opened, refuse };
}

async function signInByLink(page: Page, email: string): Promise<void> {
  const { url } = await worker.admin<{ url: string }>('sign-in-link', { email });
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(accounts|confirm)/);
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto('/console/you/passkeys/new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await page.waitForURL('**/console/you');
}

const signOut = async (page: Page) => {
  await page.goto('/console/you');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL('**/console/sign-in');
};

describe('passkeys', () => {
  test('are added with a name, sign in, confirm the user’s identity, and are removed', async () => {
    const { email, accountId } = await member('owner');
    const { page, close } = await open();
    await signInByLink(page, email);
    await page.goto('/console/you/passkeys/new');
    expect(await page.getByLabel('Name').inputValue()).toBe('Chrome on Linux');
    await lookTwice(page, 'passkey new');
    await addPasskey(page, 'Work laptop');
    await lookTwice(page, 'passkey list');

    await signOut(page);
    await lookTwice(page, 'passkey sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`**/console/accounts/${accountId}`);

    const keys = `/console/accounts/${accountId}/api-keys/new`;
    await page.goto(`/console/confirm?${new URLSearchParams({ to: keys })}`);
    await lookTwice(page, 'passkey confirm');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`**${keys}`);

    await page.goto('/console/you');
    await page.getByRole('link', { name: 'Remove Work laptop' }).click();
    await page.waitForURL('**/remove');
    await lookTwice(page, 'passkey remove');
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.waitForURL('**/console/you');
    expect(await page.getByText('Work laptop').count()).toBe(0);
    await close();
  });

  test('are required by an account whose owner has one, and members without are directed to create one', async () => {
    const { email, accountId } = await member('owner');
    const account = `/console/accounts/${accountId}`;
    const owner = await open();
    await signInByLink(owner.page, email);
    await addPasskey(owner.page, 'Phone');
    await owner.page.goto(`${account}/settings`);
    await owner.page.getByLabel('Require passkeys').check();
    await owner.page.getByRole('button', { name: 'Save settings' }).click();
    await owner.page.getByText('Settings saved.').waitFor();
    await owner.close();

    const colleague = `colleague-of-${email}`;
    await worker.admin('user invite', { account: accountId, email: colleague, privilege: ['read'] });
    const { page, close } = await open();
    await signInByLink(page, colleague);
    await page.goto(`${account}/passes`);
    await page.getByRole('heading', { name: 'This account requires a passkey' }).waitFor();
    await lookTwice(page, 'passkey required, none');
    await page.getByRole('link', { name: 'Add passkey' }).click();
    await page.getByRole('button', { name: 'Create passkey' }).click();
    await page.waitForURL(`**${account}/passes`);

    await signOut(page);
    await signInByLink(page, colleague);
    await page.goto(`${account}/passes`);
    await lookTwice(page, 'passkey required');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`**${account}/passes`);
    await close();
  });

  test('that the authenticator rejects show a message and the link', async () => {
    const { email } = await member('owner');
    const { page, refuse, close } = await open();
    await signInByLink(page, email);
    await addPasskey(page, 'Phone');
    await signOut(page);
    await refuse();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'Try again' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled()).toBe(true);
    await lookTwice(page, 'passkey refused');
    await close();
  });
});

test('without scripts the pages offer a link and say what passkeys need', async () => {
  const { email } = await member('owner');
  const { page, close } = await openPage({ baseURL: worker.origin, javaScriptEnabled: false });
  await page.goto('/console/sign-in');
  expect(await page.getByRole('button').allTextContents()).toEqual(['Send me a link']);
  await signInByLink(page, email);
  await page.goto('/console/you/passkeys/new');
  expect(await page.getByText('Passkeys need JavaScript').isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Create passkey' }).count()).toBe(0);
  await close();
});
