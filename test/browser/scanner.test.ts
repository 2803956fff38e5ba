import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import type { OpenPage } from '../support/browser.ts';
import { eventually } from '../support/control.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { dismiss, openPhone, result, type ScannerPhone, textOf, word } from '../support/scanner-phone.ts';

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
  test.each([
    ['qr', undefined],
    ['pdf417', undefined],
    ['aztec', undefined],
    ['code128', undefined],
    ['ean13', '4006381333931'],
    ['codabar', '0815-4711'],
  ] as const)('reads %s, and the screen turns green', async (format, barcodeValue) => {
    const pass = await client.createPass(templateId, { 'Full name': 'Ada Lovelace', barcodeValue });
    const scanner = await createScanner(client, STAYS);
    await phone.hold(pass.barcodeValue, format);
    const { page } = shared;
    await page.goto(scanner.path);
    await result(page).waitFor();
    expect(await word(page)).toBe('Valid');
    expect(await result(page).getAttribute('data-tone')).toBe('good');
    expect(await textOf(page, '#result-name')).toBe('Ada Lovelace');
    expect(await textOf(page, '#result-pass')).toBe('Membership');
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(true);
  });

  test('continues automatically after the configuration’s time for results', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, { timeToShowAutoSaveConfirmation: 1 });
    await phone.hold(pass.barcodeValue);
    const { page } = shared;
    await page.goto(scanner.path);
    await result(page).waitFor();
    await result(page).waitFor({ state: 'hidden' });
    expect(await page.locator('#finder').getAttribute('data-camera')).toBe('on');
  });
});

/** Number of scans timed with `GATE_TIMES=1`. The duration is reported, but never fails the test. */
const TIMED_SCANS = 12;

test.runIf(process.env.GATE_TIMES)(
  'from the frame of the camera to the colored screen',
  { timeout: 180_000 },
  async () => {
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await phone.open();
    const times: Record<string, number[]> = {};
    await page.goto(scanner.path);
    // The first one is a warm-up, and isn't counted.
    for (let i = 0; i <= TIMED_SCANS; i += 1) {
      const pass = await client.createPass(templateId);
      await page.evaluate(pretendHidden(true));
      await phone.hold(pass.barcodeValue);
      await page.evaluate('performance.clearMeasures()');
      await page.evaluate(pretendHidden(false));
      await result(page).waitFor();
      const measured = await eventually(async () => {
        const found = await page.evaluate<[string, number][]>(
          "performance.getEntriesByType('measure').map(({ name, duration }) => [name, duration])",
        );
        return found.length === 3 && found;
      });
      if (i > 0) for (const [name, millis] of measured) times[name] = [...(times[name] ?? []), millis];
      await dismiss(page);
    }
    await close();
    for (const [name, list] of Object.entries(times)) {
      const sorted = list.sort((a, b) => a - b);
      console.log(`${name}: median ${sorted[sorted.length >> 1]!.toFixed(0)} ms, best ${sorted[0]!.toFixed(0)} ms`);
    }
  },
);

/** The camera and its video restart when the page becomes visible again. */
function pretendHidden(hidden: boolean): string {
  return `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));`;
}
