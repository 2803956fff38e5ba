import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { openFrontPageDemo } from '../support/front-page-demo.ts';
import { lookTwice, PHONE } from '../support/page-faults.ts';

beforeAll(async () => {
  await openFrontPageDemo();
});

/** The browser's message about a value that the service rejects. */
const REFUSED = /status of 400/;
const newPage = (options?: BrowserContextOptions) => openPage(options, REFUSED);
const sides = (page: Page) => page.getByRole('group', { name: 'Side of the pass' });
const front = (page: Page) => page.locator('.turning-pass .card-front');
const back = (page: Page) => page.locator('.turning-pass .card-back');

describe('the pass of the front page', () => {
  test('is turned by its buttons, with the keyboard and by a tap, without scripts and without motion', async () => {
    const options = { viewport: PHONE, javaScriptEnabled: false, reducedMotion: 'reduce' } as const;
    const { page, close } = await newPage({ ...options, hasTouch: true });
    await page.goto('/');
    expect([await front(page).isVisible(), await back(page).isVisible()]).toEqual([true, false]);
    await sides(page).getByRole('radio', { name: 'Pass' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await sides(page).getByRole('radio', { name: 'Details' }).isChecked()).toBe(true);
    expect([await front(page).isVisible(), await back(page).isVisible()]).toEqual([false, true]);
    expect(await back(page).textContent()).toContain('The QR code is real.');
    const box = (await page.locator('.turning-pass .card-faces').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 3);
    expect([await front(page).isVisible(), await back(page).isVisible()]).toEqual([true, false]);
    await close();
  });

  test('turns once automatically, for less than five seconds, and moves nothing around it', async () => {
    const { page, close } = await newPage({ viewport: PHONE, reducedMotion: 'no-preference' });
    await page.goto('/');
    const running = await page.evaluate<{ name: string; end: number; iterations: number }[]>(
      `document.querySelector('.turning-pass').getAnimations({ subtree: true }).map((one) => {
        const { endTime, iterations } = one.effect.getComputedTiming();
        return { name: one.animationName, end: endTime, iterations };
      })`,
    );
    expect(running.map(({ name }) => name)).toContain('pass-turns');
    for (const { end, iterations } of running) expect([end <= 5_500, iterations]).toEqual([true, 1]);
    const shift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value; })
        .observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
    })`);
    expect(shift).toBe(0);
    await close();
  });
});

describe('the demo of the front page', () => {
  test('creates a pass on a phone, changes it, scans it and restores it, and has no faults', async () => {
    const { page, close } = await newPage({ viewport: PHONE });
    await page.goto('/');
    await page.getByRole('link', { name: 'Try it now' }).click();
    await page.getByRole('radio', { name: 'Concert ticket' }).check();
    await page.getByLabel('Name on the pass').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Create pass' }).click();
    const card = page.locator('#demo-card');
    const status = page.locator('#demo-status');
    await card.getByText('Ada Lovelace').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('demo-pass-title');
    expect(new URL(page.url()).searchParams.get('demo')).toMatch(/^[0-9a-f-]{36}$/);

    await page.getByLabel('Seat').fill('42');
    await page.getByRole('button', { name: 'Change' }).click();
    await card.getByText('42', { exact: true }).waitFor();
    await status.getByText(/^Changed by demo@example\.com/).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('demo-change');

    await page.getByLabel('Seat').fill('window');
    await page.getByRole('button', { name: 'Change' }).click();
    await status.getByText(/number/).waitFor();

    await page.getByRole('button', { name: 'Scan' }).click();
    await card.getByText('Voided').waitFor();
    await status.getByText('Scanned and accepted · Front page').waitFor();
    await lookTwice(page, 'demo');
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Restore' }).click();
    await card.getByText('Voided').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Void' }).waitFor();
    await close();
  });

  test('names the effect of a form, not the push that arrived since the last refresh', async () => {
    // Browsers report an aborted request as failed.
    const { page, context, close } = await openPage({ viewport: PHONE }, /ERR_FAILED/);
    await createPass(page, 'Annie Easley');
    // Without the refreshes, the push of the first change is new when the second one is made.
    await page.route(/[?]demo=/, (route) => route.abort());
    const status = page.locator('#demo-status');
    await page.getByLabel('Gate').fill('B1');
    await page.getByRole('button', { name: 'Change' }).click();
    await status.getByText(/^Changed by/).waitFor();
    const other = await context.newPage();
    await expect.poll(async () => (await other.goto(page.url()))?.text()).toContain('accepted by Google');
    await page.getByRole('button', { name: 'Scan' }).click();
    await status.getByText('Scanned and accepted · Front page').waitFor();
    await close();
  });

  test('follows what happens elsewhere', async () => {
    const { page, context, close } = await newPage({ viewport: PHONE });
    await createPass(page, 'Grace Hopper');
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Void' }).click();
    await page.locator('#demo-card').getByText('Voided').waitFor();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await close();
  });

  test('works without scripts', async () => {
    const { page, close } = await newPage({ viewport: PHONE, javaScriptEnabled: false });
    await createPass(page, 'Mary Jackson');
    await page.getByRole('button', { name: 'Void' }).click();
    await page.locator('#demo-card').getByText('Voided').waitFor();
    await close();
  });
});

async function createPass(page: Page, name: string): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Name on the pass').fill(name);
  await page.getByRole('button', { name: 'Create pass' }).click();
  await page.locator('#demo-card').getByText(name).waitFor();
}
