import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { scan } from '../support/app-scans.ts';
import type { OpenPage } from '../support/browser.ts';
import { eventually } from '../support/control.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { dismiss, openPhone, result, type ScannerPhone, textOf, typeCode, word } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
/** A page that scans with one configuration after the other. A new one would load the reader again. */
let shared: OpenPage;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount()]);
  templateId = await client.createTemplate();
  shared = await phone.open();
});
afterAll(async () => {
  await shared?.close();
});

describe('the camera', () => {
  test('scans a code that stays in view once', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    await phone.hold(pass.barcodeValue);
    const { page } = shared;
    await page.goto(scanner.path);
    await result(page).waitFor();
    await dismiss(page);
    // The video continues, and so does the reading.
    const time = () => page.evaluate<number>("document.getElementById('video').currentTime");
    const until = (await time()) + 1.5;
    await eventually(async () => (await time()) > until);
    expect(await result(page).isVisible()).toBe(false);
    expect(await page.locator('#count-scanned').textContent()).toBe('1');
  });

  test('shows amber for a pass that was used before, and red for an unknown code', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    await phone.hold(pass.barcodeValue);
    expect((await scan(client, scanner, pass.barcodeValue)).body).toMatchObject({ scanStatus: 0 });
    const { page } = shared;
    await page.goto(scanner.path);
    await result(page).waitFor();
    expect(await word(page)).toBe('Already used');
    expect(await result(page).getAttribute('data-tone')).toBe('warning');
    expect(await textOf(page, '#result-text')).toMatch(/^Used \d/);
    await phone.hold('no such pass');
    const other = await createScanner(client, STAYS);
    await page.goto(other.path);
    await result(page).waitFor();
    expect(await word(page)).toBe('Not found');
    expect(await result(page).getAttribute('data-tone')).toBe('bad');
    expect(await textOf(page, '#count-refused')).toBe('1');
  });

  test('that is not allowed is explained, and codes can still be typed', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.openWithoutCamera();
    await page.goto(scanner.path);
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.getByText('The browser blocks the camera').waitFor();
    await typeCode(page, pass.barcodeValue);
    await result(page).waitFor();
    expect(await word(page)).toBe('Valid');
    await close();
  });

  test('has a light if the track supports one', async () => {
    const scanner = await createScanner(client);
    await phone.hold();
    const { page, close } = await phone.open();
    await page.addInitScript(`
      MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true });
      MediaStreamTrack.prototype.applyConstraints = async (constraints) => { window.applied = constraints; };`);
    await page.goto(scanner.path);
    await page.getByRole('button', { name: 'Flashlight' }).click();
    await page.locator('#torch[aria-pressed="true"]').waitFor();
    expect(await page.evaluate('window.applied')).toEqual({ advanced: [{ torch: true }] });
    await close();
  });
});
