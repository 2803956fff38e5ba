import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { look, PHONE } from '../support/page-faults.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { openPhone, result, type ScannerPhone } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount({ timezone: 'Europe/Vienna' })]);
  templateId = await client.createTemplate({ name: 'Summer concert' });
});
afterAll(() => phone?.close());

const COLORS = { backgroundColor: '#14213d', textColor: '#ffffff' };
const SIZES = {
  phone: PHONE,
  'phone on its side': { width: 844, height: 390 },
  tablet: { width: 1024, height: 768 },
};
const LOOKS = [
  { name: 'phone, light', viewport: SIZES.phone, colorScheme: 'light' },
  { name: 'phone, dark', viewport: SIZES.phone, colorScheme: 'dark' },
  { name: 'phone on its side', viewport: SIZES['phone on its side'], colorScheme: 'light' },
  { name: 'tablet', viewport: SIZES.tablet, colorScheme: 'light' },
  { name: 'phone, German', viewport: SIZES.phone, colorScheme: 'light', locale: 'de-AT' },
] as const;

async function openSheet(page: Page, button: string): Promise<void> {
  await page.locator(button).click();
  await page.locator('dialog[open]').waitFor();
  // While a sheet is still rising, it is transparent.
  await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
}

describe.each(LOOKS)('on a $name', ({ name, ...options }) => {
  test('every state has no faults', async () => {
    const [good, voided] = await Promise.all([
      client.createPass(templateId, { 'Full name': 'Ada Lovelace' }),
      client.createPass(templateId, { 'Full name': 'Grace Hopper' }),
    ]);
    await client.put(`/api/pass/${voided.identifier}`, { voided: true });
    const scanner = await createScanner(client, { ...STAYS, ...COLORS, place: 'Foyer' }, { canChangeConfig: true });
    // The camera picture is portrait; when the app is in landscape, only a narrow part shows.
    const isUpright = options.viewport === SIZES.phone;
    await phone.hold(isUpright ? good.barcodeValue : undefined);
    const { page, context, close } = await phone.open({ ...options, reducedMotion: 'reduce' });
    await page.goto(scanner.path);
    const next = async () => {
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
      await look(page, `${name} ${state}`);
      await next();
    };
    if (isUpright) {
      await result(page).waitFor();
      await look(page, `${name} ok`);
      await next();
    } else await check(good.barcodeValue, 'ok');
    await look(page, `${name} scanning`);
    await check(voided.barcodeValue, 'already used');
    await check('no such pass', 'unknown');
    await page.evaluate('navigator.serviceWorker.ready');
    await context.setOffline(true);
    await check(voided.barcodeValue, 'unconfirmed');
    await look(page, `${name} offline`);
    await context.setOffline(false);
    await page.locator('#conflict-banner').waitFor();
    await look(page, `${name} conflict`);
    await openSheet(page, '#open-history');
    await look(page, `${name} last scans`);
    await page.keyboard.press('Escape');
    await openSheet(page, '#open-settings');
    await look(page, `${name} settings`);
    await page.keyboard.press('Escape');
    await openSheet(page, '#open-type');
    await look(page, `${name} typing`);
    await close();
  });

  test('the steps before scanning have no faults, either: PIN, camera, questions', async () => {
    const properties = [
      { name: 'Coat check', type: 'boolean' },
      { name: 'Guests', type: 'double' },
    ];
    const scanner = await createScanner(
      client,
      { ...STAYS, ...COLORS, additionalProperties: properties, showStoredValue: true },
      { validTo: '2020-01-01 12:00' },
    );
    await phone.hold();
    const { page, close } = await phone.openWithoutCamera({ ...options, reducedMotion: 'reduce' });
    await page.goto(scanner.path);
    await page.locator('#pin').waitFor();
    await look(page, `${name} PIN`);
    await page.locator('#pin').fill(scanner.pin);
    await page.keyboard.press('Enter');
    await page.locator('#start').waitFor();
    await look(page, `${name} start`);
    await page.locator('#start').click();
    await page.locator('#camera-fault:not(:empty)').waitFor();
    await look(page, `${name} no camera`);
    await page.locator('#open-type').click();
    await page.locator('#typed').fill('4711-0815');
    await page.keyboard.press('Enter');
    await page.locator('#properties').waitFor();
    await look(page, `${name} questions`);
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
