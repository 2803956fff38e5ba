import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import {
  checkCode,
  dismiss,
  openPhone,
  result,
  type ScannerPhone,
  textOf,
  typeCode,
  word,
} from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount()]);
  templateId = await client.createTemplate();
});

const KEY_GAP_SECONDS = 0.01;

/** Types like a hardware scanner: the keys carry their own times, so a busy machine doesn't matter. */
async function readWithHardware(page: Page, code: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const startedAt = Date.now() / 1_000;
  const keys = [...code].map((key) => ({ key, text: key }));
  for (const [i, key] of [...keys, { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' }].entries()) {
    const timestamp = startedAt + i * KEY_GAP_SECONDS;
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp, ...key });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp, ...key, text: undefined });
  }
  await session.detach();
}

describe('without the camera', () => {
  test('a barcode reader types a code, and presses no button on the way', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    // If focused, the scanner's Enter would press the button and open its panel.
    await page.getByRole('button', { name: 'Recent scans' }).focus();
    await readWithHardware(page, pass.barcodeValue);
    await result(page).waitFor();
    expect(await word(page)).toBe('Valid');
    expect(await page.locator('#history').isVisible()).toBe(false);
    // The next scan needs no touch, either.
    await readWithHardware(page, pass.barcodeValue);
    await eventually(async () => (await word(page)) === 'Already used');
    await close();
  });

  test('codes that arrive faster than their answers all count', async () => {
    const passes = await Promise.all(Array.from({ length: 4 }, () => client.createPass(templateId)));
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    for (const { barcodeValue } of passes) await readWithHardware(page, barcodeValue);
    await eventually(async () => (await textOf(page, '#count-scanned')) === '4');
    const scans = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
    expect(scans.body.map(({ scanStatus }: { scanStatus: number }) => scanStatus)).toEqual([0, 0, 0, 0]);
    await close();
  });

  test('a browser without storage can still scan while it is online', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await phone.open();
    await page.addInitScript(`indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); };`);
    await page.goto(scanner.path);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Valid');
    await dismiss(page);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not accepted');
    await close();
  });

  test('an NFC tag is read', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.open();
    await page.addInitScript(`window.NDEFReader = class extends EventTarget {
      async scan() { window.reader = this; }
    };`);
    await page.goto(scanner.path);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Read NFC tags').check();
    await page.getByText('NFC is on').waitFor();
    await page.evaluate(`{
      const data = new DataView(new TextEncoder().encode(${JSON.stringify(pass.barcodeValue)}).buffer);
      const message = { records: [{ recordType: 'text', encoding: 'utf-8', data }] };
      window.reader.dispatchEvent(Object.assign(new Event('reading'), { message }));
    }`);
    await result(page).waitFor();
    expect(await word(page)).toBe('Valid');
    await close();
  });
});

describe('a link that has expired', () => {
  test('opens with its PIN, and stays open on this device', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS, { validTo: '2020-01-01 12:00' });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await page.getByLabel('PIN').fill('000');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Wrong PIN. Try again.').waitFor();
    await page.getByLabel('PIN').fill(scanner.pin);
    await page.getByRole('button', { name: 'Unlock' }).click();
    expect(await checkCode(page, pass.barcodeValue)).toBe('Valid');
    await page.reload();
    await page.getByRole('button', { name: 'Enter code' }).waitFor();
    await close();
  });

  test('says how long to wait after too many wrong PINs', async () => {
    const scanner = await createScanner(client, STAYS, { validTo: '2020-01-01 12:00' });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    for (let tries = 0; tries < 6; tries++) {
      await page.getByLabel('PIN').fill(`00${tries}`);
      const replied = page.waitForResponse((response) => response.url().endsWith('/unlock'));
      await page.getByRole('button', { name: 'Unlock' }).click();
      await replied;
    }
    await page.getByText('Too many wrong PINs. Try again in 15 min.').waitFor();
    await close();
  });

  test('names the cause if the PIN is not the problem', async () => {
    const scanner = await createScanner(client, STAYS, { validTo: '2020-01-01 12:00' });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await page.getByLabel('PIN').fill(scanner.pin);
    for (const [status, text] of [
      [404, 'Ask the sender for a new link.'],
      [503, 'The problem is on our end. Try again in a moment.'],
    ] as const) {
      await page.route('**/unlock', (route) => route.fulfill({ status }), { times: 1 });
      await page.getByRole('button', { name: 'Unlock' }).click();
      await page.locator('#pin-fault').getByText(text).waitFor();
    }
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('button', { name: 'Enter code' }).waitFor();
    await close();
  });

  test('that expires during use asks for the PIN, and then sends the interrupted scan', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await scanner.expire();
    await typeCode(page, pass.barcodeValue);
    await page.getByLabel('PIN').fill(scanner.pin);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await eventually(async () => (await client.get(`/api/pass/${pass.identifier}`)).body.voided === true);
    await page.getByText('Online', { exact: true }).waitFor();
    await close();
  });
});

describe('additional questions of a configuration', () => {
  test('are asked before the scan, checked, and stored with it', async () => {
    const pass = await client.createPass(templateId, { storedValue: 10 });
    const scanner = await createScanner(client, {
      ...STAYS,
      scanMode: 1,
      additionalProperties: [
        { name: 'Coat check', type: 'boolean' },
        { name: 'Guests', type: 'double' },
        { name: 'Note', type: 'unicode' },
      ],
      incrementStoredValue: true,
      preventNegativeNumericValues: true,
    });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await typeCode(page, pass.barcodeValue);
    await page.getByLabel('Coat check').check();
    await page.getByLabel('Note').fill('row 7');
    await page.getByLabel('Guests').fill('two');
    await page.getByRole('button', { name: 'Save scan' }).click();
    await page.getByText('Guests must be a number').waitFor();
    await page.getByLabel('Guests').fill('-2');
    await page.getByRole('button', { name: 'Save scan' }).click();
    await page.getByText('Guests can’t be negative').waitFor();
    await page.getByLabel('Guests').fill('2');
    await page.getByLabel('Amount to add').fill('2,5');
    await page.getByRole('button', { name: 'Save scan' }).click();
    await result(page).waitFor();
    expect(await word(page)).toBe('Accepted');
    expect(await textOf(page, '#result-new-value')).toBe('12.5');
    const { body } = await client.get(`/api/pass/${pass.identifier}`);
    expect(body.storedValue).toBe(12.5);
    await close();
  });

  test('can be cancelled, and then nothing is scanned', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, {
      ...STAYS,
      additionalProperties: [{ name: 'Note', type: 'unicode' }],
    });
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await typeCode(page, pass.barcodeValue);
    await page.getByLabel('Note').press('Escape');
    expect(await textOf(page, '#count-scanned')).toBe('0');
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(false);
    await close();
  });
});

test('a link that may change its configuration does so, and remembers the choice', async () => {
  const pass = await client.createPass(templateId);
  const other = await createScanner(client, { ...STAYS, name: 'Back stage', place: 'Yard', scanMode: 1 });
  const scanner = await createScanner(client, STAYS, { canChangeConfig: true });
  const { page, close } = await phone.open();
  await page.goto(scanner.path);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('App configuration').selectOption(other.configurationId);
  await page.getByRole('heading', { name: 'Back stage' }).waitFor();
  expect(await checkCode(page, pass.barcodeValue)).toBe('Accepted');
  await page.reload();
  await page.getByRole('heading', { name: 'Back stage' }).waitFor();
  const scans = await client.get(`/api/appscan?appConfigurationId=${other.configurationId}`);
  expect(scans.body).toMatchObject([{ scannedBarcodeValue: pass.barcodeValue, scanStatus: 2 }]);
  await close();
});

test('a scan is undone from the list of last scans', async () => {
  const pass = await client.createPass(templateId, { 'Full name': 'Ada Lovelace' });
  const scanner = await createScanner(client, STAYS);
  const { page, close } = await phone.open();
  await page.goto(scanner.path);
  expect(await checkCode(page, pass.barcodeValue)).toBe('Valid');
  await dismiss(page);
  await page.getByRole('button', { name: 'Recent scans' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone').waitFor();
  expect(await page.locator('#scans [data-undone] use').getAttribute('href')).toBe('#icon-undo');
  expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(false);
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await checkCode(page, pass.barcodeValue)).toBe('Valid');
  await close();
});
