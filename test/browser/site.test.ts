import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openPage, signIn } from '../support/browser.ts';
import { DESKTOP, lookTwice, PHONE, walk } from '../support/page-faults.ts';

const { origin } = inject('worker');

let account: Client;
let templateId: string;
const email = `reader-${crypto.randomUUID()}@example.com`;

/**
 * Removes the parts whose elements all have their like in an earlier part, with the same attributes and the same
 * ancestors: the reference has 30,000 elements, and axe would check each of them for minutes.
 */
const ONE_OF_EACH_KIND = `
  const named = ['class', 'style', 'role', 'type', 'scope', 'lang', 'tabindex', 'aria-hidden', 'open', 'hidden'];
  const kinds = new WeakMap();
  const kindOf = (element) => {
    if (element === null) return '';
    if (!kinds.has(element)) {
      const attributes = [...element.attributes].map(({ name, value }) =>
        named.includes(name) ? name + '=' + value : value === '' ? name + ' is empty' : name);
      const text = element.textContent.trim() === '' ? 'empty' : '';
      kinds.set(element, [kindOf(element.parentElement), element.localName, ...attributes.sort(), text].join(' '));
    }
    return kinds.get(element);
  };
  for (const parts of ['article.operation', 'nav li', '.code-block', 'dl > div', 'tbody tr']) {
    const seen = new Set();
    for (const part of document.querySelectorAll(parts)) {
      const all = [part, ...part.querySelectorAll('*')].map(kindOf);
      if (all.every((kind) => seen.has(kind))) part.remove();
      for (const kind of all) seen.add(kind);
    }
  }
  for (const table of document.querySelectorAll('table:not(:has(tbody tr))')) table.remove();`;

const REPEATED_IDS = `[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, i, all) => all.indexOf(id) < i)`;
const WIDER_THAN_WINDOW = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await account.createTemplate();
  await account.createPass(templateId);
  await admin('user invite', { account: account.accountId, email, privilege: ['owner'] });
});

const newPage = (options?: BrowserContextOptions) => openPage(options);

describe('the service’s own pages', () => {
  test('have no faults at both widths, light and dark', async () => {
    const { page, close } = await newPage();
    for (const path of ['/', '/console/sign-in', '/console/sign-in?token=spent']) {
      await page.goto(path);
      await lookTwice(page, path);
    }
    await signIn(page, email);
    const overview = `/console/accounts/${account.accountId}`;
    const pages = [
      '',
      '/templates',
      `/templates/${templateId}`,
      '/api-keys',
      '/api-keys/new',
      '/api-keys/delete-unused',
    ];
    pages.push('/members', '/members/new', '/audit-log');
    await walk(
      page,
      pages.map((path) => overview + path),
    );
    await page.goto('/console/you');
    await lookTwice(page, 'you');
    await close();
  });

  test('include the reference, unfolded', async () => {
    const { page, close } = await newPage();
    await page.goto('/docs');
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate(WIDER_THAN_WINDOW), String(viewport.width)).toBe(false);
    }
    expect(await page.evaluate(REPEATED_IDS)).toEqual([]);
    await page.evaluate(ONE_OF_EACH_KIND);
    for (const part of ['article.operation', 'tbody tr', 'dl > div', '.code-block', 'nav li'])
      expect(await page.locator(part).count(), part).toBeGreaterThan(1);
    await lookTwice(page, 'reference');
    await close();
  });
});

describe('the reference', () => {
  test('finds an operation by several words, in any order', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP });
    await page.goto('/docs');
    const contents = page.getByRole('navigation', { name: 'Contents' });
    const links = contents.locator('.operation-link:visible');
    const all = await links.count();
    await contents.getByRole('searchbox').fill('v3 create');
    expect(await links.count()).toBeLessThan(all);
    expect(await contents.getByRole('status').textContent()).toBe(`${await links.count()} results`);
    for (const text of await links.allTextContents()) expect(text).toMatch(/^Create .*v3/);
    await contents.getByRole('searchbox').fill('');
    expect(await links.count()).toBe(all);
    await close();
  });

  test('copies a command verbatim', async () => {
    const { page, context, close } = await newPage({ viewport: DESKTOP });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await page.goto('/docs');
    const block = page.locator('#createPassV3 .code-block').first();
    await block.getByRole('button').click();
    await block.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await block.locator('code').last().textContent());
    expect(copied).toMatch(/^curl -X POST /);
    await close();
  });

  test('works on a phone without scripts: the contents cover the page until an entry is chosen', async () => {
    const { page, close } = await newPage({ viewport: PHONE, javaScriptEnabled: false });
    await page.goto('/docs');
    const contents = page.locator('#contents');
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Contents' }).click();
    expect(await contents.isVisible()).toBe(true);
    expect(await page.getByLabel('Search operations').isVisible()).toBe(false);
    await contents.locator('a[href="#describeTemplate"]').click();
    expect(await contents.isVisible()).toBe(false);
    const top = (await page.locator('#describeTemplate').boundingBox())!.y;
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(PHONE.height / 2);
    await close();
  });
});

test('the top bar fits into the narrowest phones, on every page of the site', async () => {
  const { page, close } = await newPage({ viewport: { width: 320, height: 700 } });
  for (const path of ['/', '/docs', '/console/sign-in']) {
    await page.goto(path);
    const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect([path, excess]).toEqual([path, 0]);
    const ends = await page
      .locator('.top-bar nav a')
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().right));
    for (const end of ends) expect(end, path).toBeLessThanOrEqual(320);
  }
  await close();
});

describe('the console', () => {
  test('signs in and out by forms that need no script', async () => {
    const { page, context, close } = await newPage({ viewport: DESKTOP, javaScriptEnabled: false });
    await signIn(page, email);
    expect(await context.cookies()).toMatchObject([{ name: 'session', httpOnly: true, sameSite: 'Lax' }]);
    await page.goto('/console/you');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL('**/console/sign-in');
    expect(await context.cookies()).toEqual([]);
    await page.goto('/console');
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await close();
  });
});
