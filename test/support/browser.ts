import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Cookie,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, inject } from 'vitest';
import { admin } from './api.ts';
import { launchOptions } from './launch-options.ts';

let started: Promise<Browser> | undefined;

/** Starts the browser of all files of a run, which ends with this process. It can only reach the local machine. */
function sharedBrowser(): Promise<Browser> {
  started ??= chromium.launch(launchOptions(inject('cameraVideo')));
  return started;
}

/** Closes the pages that failed tests have left open. */
export async function closePages(): Promise<void> {
  const contexts = (await started)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** Fails the test if the browser reported an error, such as a violation of the page's policy. */
  close(): Promise<void>;
}

/**
 * Opens a page of the service in its own profile. `expected` matches errors that the page handles, because browsers
 * also report rejected requests.
 */
export async function openPage(options: BrowserContextOptions = {}, expected?: RegExp): Promise<OpenPage> {
  const browser = await sharedBrowser();
  // Only tests about motion need it, and each of its frames takes processor time.
  const context = await browser.newContext({ baseURL: inject('worker').origin, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const close = async () => {
    await context.close();
    expect(complaints.filter((text) => !expected?.test(text))).toEqual([]);
  };
  return { page, context, close };
}

/** Signs a user in to the console, up to the account or, if there are several, their list. */
export async function signIn(page: Page, email: string): Promise<void> {
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(({ pathname }) => /^\/console(\/accounts\/[^/]+)?$/.test(pathname));
}

/** Cookies of users' sessions, by e-mail address. */
const sessions = new Map<string, Cookie[]>();

/** Opens a page like `openPage`, as a signed-in user. All pages of a user share a session. */
export async function openConsole(
  email: string,
  options?: BrowserContextOptions,
  expected?: RegExp,
): Promise<OpenPage> {
  const opened = await openPage(options, expected);
  const known = sessions.get(email);
  if (known) await opened.context.addCookies(known);
  else {
    await signIn(opened.page, email);
    sessions.set(email, await opened.context.cookies());
  }
  return opened;
}
