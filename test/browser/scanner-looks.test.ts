import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { look, lookIn } from '../support/page-faults.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { COLORS, DEVICES } from '../support/scanner-looks.ts';
import { openPhone, result, type ScannerPhone } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount({ timezone: 'Europe/Vienna' })]);
  templateId = await client.createTemplate({ name: 'Summer concert' });
});

/** Longer than a result can't be dismissed. */
const SEEN_MILLIS = 1_000;
async function openSheet(page: Page, button: string): Promise<void> {
  await page.locator(button).click();
  await page.locator('dialog[open]').waitFor();
  // While a sheet is still rising, it is transparent.
  await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
}

describe.each(DEVICES)('on a $name', ({ name, looks, locale = 'en-US' }) => {
  const lookAt = (page: Page, state: string) => lookIn(looks, page, `${name} ${state}`);

  test('every state has no faults', async () => {
    const [good, voided] = await Promise.all([
      client.createPass(templateId, { 'Full name': 'Ada Lovelace' }),
      client.createPass(templateId, { 'Full name': 'Grace Hopper' }),
    ]);
    await client.put(`/api/pass/${voided.identifier}`, { voided: true });
    const scanner = await createScanner(client, { ...STAYS, ...COLORS, place: 'Foyer' }, { canChangeConfig: true });
    // A code would leave the visible part of the picture when the phone is turned, and be scanned again afterwards.
    await phone.hold();
    const { page, context, close } = await phone.open({ locale });
    await page.clock.install();
    await page.goto(scanner.path);
    const next = async () => {
      await page.clock.fastForward(SEEN_MILLIS);
      await eventually(async () => {
        if (await result(page).isVisible()) await page.locator('#result-next').click();
        return !(await result(page).isVisible());
      });
    };
    const check = async (code: string, state: string) => {
      await page.locator('#open-type').click();
      await page.locator('#typed').fill(code);
      await page.keyboard.press('Enter');
      await result(page).waitFor();
      await lookAt(page, state);
      await next();
    };
    await page.locator('#finder[data-camera="on"]').waitFor();
    await lookAt(page, 'scanning');
    await check(good.barcodeValue, 'ok');
    await check(voided.barcodeValue, 'already used');
    await check('no such pass', 'unknown');
    await page.evaluate('navigator.serviceWorker.ready');
    await context.setOffline(true);
    await check(voided.barcodeValue, 'unconfirmed');
    await lookAt(page, 'offline');
    await context.setOffline(false);
    await page.locator('#conflict-banner').waitFor();
    await lookAt(page, 'conflict');
    await openSheet(page, '#open-history');
    await lookAt(page, 'last scans');
    await page.keyboard.press('Escape');
    await openSheet(page, '#open-settings');
    await lookAt(page, 'settings');
    await page.keyboard.press('Escape');
    await openSheet(page, '#open-type');
    await lookAt(page, 'typing');
    await close();
  });
});

test('a link that does not exist says so', async () => {
  const { page, close } = await phone.open();
  const response = await page.goto('/scan/nothing');
  expect(response?.status()).toBe(404);
  await look(page, 'gone');
  await close();
});
