import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { admin } from './api.ts';

/** The browser that all files of a run share; it reaches loopback and nothing else. To close it ends its pages. */
export function openBrowser(): Promise<Browser> {
  return chromium.connect(inject('browserEndpoint'));
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** Fails the test when the browser has reported an error, such as something that the page's policy forbids. */
  close(): Promise<void>;
}

/**
 * Opens a page of the service in a profile of its own. `expected` matches errors that the page deals with: a browser
 * also reports an answer that refuses something.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  expected?: RegExp,
): Promise<OpenPage> {
  const context = await browser.newContext({ baseURL: inject('worker').origin, ...options });
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

/** Signs somebody in to the console, and stops at the account or, where there are several, at their list. */
export async function signIn(page: Page, email: string): Promise<void> {
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(({ pathname }) => /^\/console(\/accounts\/[^/]+)?$/.test(pathname));
}

/** Opens a page like `openPage`, of somebody who is signed in. */
export async function openConsole(
  browser: Browser,
  email: string,
  options?: BrowserContextOptions,
  expected?: RegExp,
): Promise<OpenPage> {
  const opened = await openPage(browser, options, expected);
  await signIn(opened.page, email);
  return opened;
}
