import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { type Look, look, lookIn, PHONE } from '../support/page-faults.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { openPhone, result, type ScannerPhone } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount({ timezone: 'Europe/Vienna' })]);
  templateId = await client.createTemplate({ name: 'Summer concert' });
});

const COLORS = { backgroundColor: '#14213d', textColor: '#ffffff' };
const UPRIGHT: Look = { viewport: PHONE, colorScheme: 'light' };
/** Each state is opened once, and then looked at like on a phone that is turned, and on a tablet. */
const LOOKS: Look[] = [
  { viewport: { width: 844, height: 390 }, colorScheme: 'light' },
  { viewport: { width: 1024, height: 768 }, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
  UPRIGHT,
];

async function openSheet(page: Page, button: string): Promise<void> {
  await page.locator(button).click();
  await page.locator('dialog[open]').waitFor();
  // While a sheet is still rising, it is transparent.
  await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
}

describe.each([
  { name: 'phone and a tablet, light and dark', looks: LOOKS },
  { name: 'phone, in German', looks: [UPRIGHT], locale: 'de-AT' },
])('on a $name', ({ name, looks, locale = 'en-US' }) => {
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
    const { page, close } = await phone.openWithoutCamera({ locale });
    await page.goto(scanner.path);
    await page.locator('#pin').waitFor();
    await lookAt(page, 'PIN');
    await page.locator('#pin').fill(scanner.pin);
    await page.keyboard.press('Enter');
    await page.locator('#start').waitFor();
    await lookAt(page, 'start');
    await page.locator('#start').click();
    await page.locator('#camera-fault:not(:empty)').waitFor();
    await lookAt(page, 'no camera');
    await page.locator('#open-type').click();
    await page.locator('#typed').fill('4711-0815');
    await page.keyboard.press('Enter');
    await page.locator('#properties').waitFor();
    await lookAt(page, 'questions');
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
