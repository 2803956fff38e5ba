import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { type Look, look, lookIn, PHONE } from '../support/page-faults.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { checkCode, dismiss, openPhone, result, type ScannerPhone, textOf, word } from '../support/scanner-phone.ts';

/* Rejection reasons, and a scan's effect on the value, as the person at the door sees them. */

const COLORS = { backgroundColor: '#14213d', textColor: '#ffffff' };

let phone: ScannerPhone;
let client: Client;
const templates: Record<string, string> = {};

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount({ timezone: 'America/New_York' })]);
  const named = { name: 'Swimming pool', expiration: { expirationDateDifferentForEachPass: true } };
  templates.plain = await client.createTemplate(named);
  for (const type of ['stampCollect', 'stampSpend', 'oncePerDay', 'prepaid'] as const)
    templates[type] = await client.createTemplate({ ...named, passFunctionality: { type } });
});

const createPass = (type: string, fields: object = {}) =>
  client.createPass(templates[type]!, { 'Full name': 'Ada Lovelace', ...fields });

const FONT_SIZE = `parseFloat(getComputedStyle(document.querySelector('#result-new-value')).fontSize)`;

/** On its side, dark and light. */
const LOOKS: Look[] = [
  { viewport: { width: 844, height: 390 }, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
  { viewport: PHONE, colorScheme: 'light' },
];

describe('on a phone', () => {
  test('each reason has its word and date, and a new value is shown large', async () => {
    const scanner = await createScanner(client, { ...STAYS, ...COLORS, scanMode: 1 });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    const check = async (code: string, state: string) => {
      const said = await checkCode(page, code);
      const sizes: number[] = [];
      for (const one of LOOKS) {
        await lookIn([one], page, `reason ${state}`);
        sizes.push(await page.evaluate<number>(FONT_SIZE));
      }
      const text = await textOf(page, '#result-text');
      const value = (await page.locator('#result-new').isVisible()) ? await textOf(page, '#result-new-value') : null;
      await dismiss(page);
      return { said, text, value, size: Math.min(...sizes) };
    };
    const early = await createPass('plain', { validAsOfDate: '2099-01-01' });
    expect(await check(early.barcodeValue, 'not valid yet')).toMatchObject({
      said: 'Not valid yet',
      text: expect.stringMatching(/^It is valid from Jan\s1,\s2099\.$/),
      value: null,
    });
    const late = await createPass('plain', { expirationDate: '2020-12-31 23:59' });
    expect(await check(late.barcodeValue, 'expired')).toMatchObject({
      said: 'Expired',
      text: expect.stringMatching(/^It was valid until Dec\s31,\s2020,\s11:59\sPM\.$/),
    });
    const daily = await createPass('oncePerDay');
    expect((await check(daily.barcodeValue, 'first of the day')).said).toBe('Accepted');
    expect(await check(daily.barcodeValue, 'second of the day')).toMatchObject({
      said: 'Limit reached',
      text: expect.stringMatching(/^This pass can be used only once a day\. Used .+\.$/),
    });
    const stamps = await createPass('stampCollect', { storedValue: 6 });
    const collected = await check(stamps.barcodeValue, 'new value');
    expect(collected).toMatchObject({ said: 'Accepted', value: '7' });
    expect(collected.size).toBeGreaterThanOrEqual(50);
    const spent = await createPass('stampSpend', { storedValue: 0 });
    expect(await check(spent.barcodeValue, 'no stamps left')).toMatchObject({
      said: 'Limit reached',
      text: 'This pass has no stamps left.',
    });
    await close();
  });
});

test('the entered amount is deducted from a prepaid pass, and its new value is shown; an amount beyond the balance is rejected', async () => {
  const pass = await createPass('prepaid', { storedValue: 1234.5 });
  const scanner = await createScanner(client, { ...STAYS, ...COLORS, scanMode: 1, incrementStoredValue: true });
  const { page, close } = await phone.open();
  await page.goto(scanner.path);
  const pay = async (amount: string) => {
    await page.getByRole('button', { name: 'Enter code' }).click();
    await page.getByLabel('Code on the pass').fill(pass.barcodeValue);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('#properties input').fill(amount);
    await page.getByRole('button', { name: 'Save scan' }).click();
    await result(page).waitFor();
  };
  await pay('34,5');
  expect([await word(page), await textOf(page, '#result-new-value')]).toEqual(['Accepted', '1,200']);
  await look(page, 'reason prepaid');
  await dismiss(page);
  await pay('1300');
  expect([await word(page), await textOf(page, '#result-text')]).toEqual([
    'Not accepted',
    'storedValue: 1300 is more than the balance of 1200',
  ]);
  expect(await page.locator('#result-new').isVisible()).toBe(false);
  await close();
});

test.each([
  { locale: 'de-AT', said: 'Abgelaufen', text: 'Gültig bis 31.12.2020, 23:59.' },
  { locale: 'fr-FR', said: 'Expiré', text: 'Valide jusqu’au 31 déc. 2020, 23:59.' },
  { locale: 'es-ES', said: 'Caducado', text: 'Válido hasta el 31 dic 2020, 23:59.' },
  { locale: 'it-IT', said: 'Scaduto', text: 'Fine validità: 31 dic 2020, 23:59.' },
  { locale: 'nl-NL', said: 'Verlopen', text: 'Geldig tot 31 dec 2020, 23:59.' },
])('speaks $locale', async ({ locale, said, text }) => {
  const late = await createPass('plain', { expirationDate: '2020-12-31 23:59' });
  const scanner = await createScanner(client, STAYS);
  const { page, close } = await phone.open({ locale });
  await page.goto(scanner.path);
  await look(page, `scanning ${locale}`);
  await page.locator('#open-type').click();
  await page.locator('#typed').fill(late.barcodeValue);
  await page.keyboard.press('Enter');
  await result(page).waitFor();
  expect(await word(page)).toBe(said);
  // Dates stay on one line.
  expect((await textOf(page, '#result-text'))?.replaceAll('\u00a0', ' ')).toBe(text);
  await look(page, `reason expired ${locale}`);
  await close();
});

test('an offline scan shows its reason once the service has answered', async () => {
  const late = await createPass('plain', { expirationDate: '2020-12-31 23:59' });
  const scanner = await createScanner(client, { ...STAYS, ...COLORS });
  const { page, context, close } = await phone.open();
  await page.goto(scanner.path);
  await page.evaluate('navigator.serviceWorker.ready');
  await context.setOffline(true);
  expect(await checkCode(page, late.barcodeValue)).toBe('Not yet confirmed');
  await dismiss(page);
  await context.setOffline(false);
  await page.locator('#conflict-banner').click();
  await eventually(async () => /Expired.*It was valid until/.test((await textOf(page, '#conflict-list')) ?? ''));
  await page.getByLabel('All devices').check();
  // Scans from other devices show the pass, but not its holder.
  await eventually(async () => /^Swimming pool.* · Expired$/.test((await textOf(page, '#scans')) ?? ''));
  await look(page, 'reason conflict');
  await close();
});
