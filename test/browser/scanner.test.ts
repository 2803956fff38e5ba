import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { createScanner, STAYS } from '../support/scanner.ts';
import { dismiss, openPhone, result, type ScannerPhone, textOf, typeCode, word } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount()]);
  templateId = await client.createTemplate();
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
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await result(page).waitFor();
    expect(await word(page)).toBe('Valid');
    expect(await result(page).getAttribute('data-tone')).toBe('good');
    expect(await textOf(page, '#result-name')).toBe('Ada Lovelace');
    expect(await textOf(page, '#result-pass')).toBe('Membership');
    expect((await client.get(`/api/pass/${pass.identifier}`)).body.voided).toBe(true);
    await close();
  });

  test('scans a code that stays in view once', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    await phone.hold(pass.barcodeValue);
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await result(page).waitFor();
    await dismiss(page);
    // The video continues, and so does the reading.
    const time = () => page.evaluate<number>("document.getElementById('video').currentTime");
    const until = (await time()) + 1.5;
    await eventually(async () => (await time()) > until);
    expect(await result(page).isVisible()).toBe(false);
    expect(await page.locator('#count-scanned').textContent()).toBe('1');
    await close();
  });

  test('shows amber for a pass that was used before, and red for an unknown code', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    await phone.hold(pass.barcodeValue);
    const first = await phone.open();
    await first.page.goto(scanner.path);
    await result(first.page).waitFor();
    await first.close();
    const second = await phone.open();
    await second.page.goto(scanner.path);
    await result(second.page).waitFor();
    expect(await word(second.page)).toBe('Already used');
    expect(await result(second.page).getAttribute('data-tone')).toBe('warning');
    expect(await textOf(second.page, '#result-text')).toMatch(/^Used \d/);
    await second.close();
    await phone.hold('no such pass');
    const third = await phone.open();
    await third.page.goto(scanner.path);
    await result(third.page).waitFor();
    expect(await word(third.page)).toBe('Not found');
    expect(await result(third.page).getAttribute('data-tone')).toBe('bad');
    expect(await textOf(third.page, '#count-refused')).toBe('1');
    await third.close();
  });

  test('continues automatically after the configuration’s time for results', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, { timeToShowAutoSaveConfirmation: 1 });
    await phone.hold(pass.barcodeValue);
    const { page, close } = await phone.open();
    await page.goto(scanner.path);
    await result(page).waitFor();
    await result(page).waitFor({ state: 'hidden' });
    expect(await page.locator('#finder').getAttribute('data-camera')).toBe('on');
    await close();
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
