import type { Page } from 'playwright-core';
import { beforeAll, describe, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { lookIn } from '../support/page-faults.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { COLORS, DEVICES } from '../support/scanner-looks.ts';
import { openPhone, type ScannerPhone } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount({ timezone: 'Europe/Vienna' })]);
});

describe.each(DEVICES)('on a $name', ({ name, looks, locale = 'en-US' }) => {
  const lookAt = (page: Page, state: string) => lookIn(looks, page, `${name} ${state}`);

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
