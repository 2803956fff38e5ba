import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';
import { createScanner, type ScannerLink, STAYS } from '../support/scanner.ts';
import { checkCode, dismissAtOnce, openPhone, result, type ScannerPhone, textOf } from '../support/scanner-phone.ts';

let phone: ScannerPhone;
let client: Client;
let templateId: string;

beforeAll(async () => {
  [phone, client] = await Promise.all([openPhone(), freshAccount()]);
  templateId = await client.createTemplate();
});

/** Longer than the app waits before it tries again to reach the service. */
const RETRY_MILLIS = 90_000;

/**
 * Opens the app with a clock that the test moves, and waits until it works offline. Codes are typed, so only its start
 * needs the camera.
 */
async function openInstalled(scanner: ScannerLink, permissions: string[] = []) {
  const opened = await phone.open({ permissions });
  await opened.page.clock.install();
  await opened.page.goto(scanner.path);
  await opened.page.evaluate('navigator.serviceWorker.ready');
  await eventually(async () => {
    const kept = await keptPaths(opened.page);
    return kept.includes(scanner.path) && kept.some((path) => path.endsWith('.wasm'));
  });
  return opened;
}

function keptPaths(page: Page): Promise<string[]> {
  return page.evaluate(`(async () => {
    const cache = await caches.open('scanner');
    const kept = await cache.keys();
    return kept.map(({ url }) => new URL(url).pathname);
  })()`);
}

async function reopen(context: BrowserContext, page: Page, scanner: ScannerLink): Promise<Page> {
  await page.close();
  const again = await context.newPage();
  await again.goto(scanner.path);
  return again;
}

/** Triggers what the browser does when it is online again. */
async function backgroundSync(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  // A page of the service other than the app.
  await page.goto('/docs');
  const session = await context.newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations;
      if (found) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const sync = { origin: new URL(page.url()).origin, registrationId: await registration };
  await session.send('ServiceWorker.dispatchSyncEvent', { ...sync, tag: 'scans', lastChance: false });
}

/**
 * Runs in the page, because requests that outlive a tab can't be intercepted: drops the reply to the first scan, and
 * records each word on the colored screen.
 */
const LOSE_FIRST_REPLY = `{
  const send = window.fetch;
  let isLost = false;
  window.fetch = async (address, options) => {
    const reply = await send(address, options);
    if (isLost || !String(address).endsWith('/scans')) return reply;
    isLost = true;
    throw new TypeError('the connection was reset');
  };
  window.words = [];
  const word = document.querySelector('#result-word');
  new MutationObserver(() => window.words.push(word.textContent)).observe(word, { childList: true, characterData: true, subtree: true });
}`;

/** Runs in the page: the service fails on the first scan sent after going online. */
const REFUSE_FIRST_SCAN = `{
  const send = window.fetch;
  let isRefused = false;
  window.fetch = (address, options) => {
    if (isRefused || !navigator.onLine || !String(address).endsWith('/scans')) return send(address, options);
    isRefused = true;
    const headers = { 'Content-Type': 'application/json' };
    return Promise.resolve(new Response('{"error":"busy"}', { status: 409, headers }));
  };
}`;

/** Runs in the page: returns all scans stored on the device after a change, oldest first. */
const scansAfter = (change: string) => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('scanner');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const store = opening.result.transaction('scans', 'readwrite').objectStore('scans');
    const reading = store.getAll();
    reading.onsuccess = () => {
      const scans = reading.result.sort((a, b) => a.scannedAt - b.scannedAt);
      for (const scan of scans) { ${change} }
      opening.result.close();
      resolve(scans);
    };
  };
})`;
const CHANGE_SCANS_TO_UNDONE = scansAfter('store.put({ ...scan, isUndone: true });');

const statesOf = async (page: Page) =>
  (await page.evaluate<{ state: string }[]>(scansAfter(''))).map(({ state }) => state);

const isVoided = async (id: string) => (await client.get(`/api/pass/${id}`)).body.voided === true;

describe('offline', () => {
  test('a scan is stored, survives closing the tab, and is confirmed when online again', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not yet confirmed');
    expect(await result(page).getAttribute('data-tone')).toBe('open');
    const again = await reopen(context, page, scanner);
    await again.getByText('1 unconfirmed scan').waitFor();
    expect(await textOf(again, '#count-scanned')).toBe('1');
    expect(await isVoided(pass.identifier)).toBe(false);
    await context.setOffline(false);
    await again.getByText('Online', { exact: true }).waitFor();
    expect(await isVoided(pass.identifier)).toBe(true);
    expect(await again.locator('#conflict-banner').isVisible()).toBe(false);
    const scans = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
    expect(scans.body).toHaveLength(1);
    await close();
  });

  test('a signed code is genuine, and one with a wrong signature forged', async () => {
    const signed = await client.createTemplate({ barcode: { value: 'T-{userProvidedId}.{sign()}' } });
    const { barcodeValue } = await client.createPass(signed, { userProvidedId: '7' });
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    expect(await checkCode(page, barcodeValue)).toBe('Genuine, not yet confirmed');
    expect(await result(page).getAttribute('data-tone')).toBe('open');
    await dismissAtOnce(page);
    for (const times of ['once', 'twice']) {
      expect([times, await checkCode(page, barcodeValue.replace('T-7', 'T-1'))]).toEqual([times, 'Forged']);
      expect(await result(page).getAttribute('data-tone')).toBe('bad');
      await dismissAtOnce(page);
    }
    expect(await checkCode(page, barcodeValue)).toBe('Already scanned');
    await close();
  });

  test('the app starts without errors', async () => {
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner, ['camera']);
    await context.setOffline(true);
    await page.reload();
    await page.getByText('Offline', { exact: true }).waitFor();
    // The app's start ends with requests that need a connection.
    await page.waitForLoadState('networkidle');
    await context.setOffline(false);
    await page.getByText('Online', { exact: true }).waitFor();
    await close();
  });

  test('a scan is sent by the service worker when online again without an open tab', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not yet confirmed');
    await page.close();
    await context.setOffline(false);
    await backgroundSync(context);
    await eventually(() => isVoided(pass.identifier));
    await close();
  });

  test('a scan that the service cannot accept now delays no other, and is resent until it can', async () => {
    const [broken, sound] = [await client.createPass(templateId), await client.createPass(templateId)];
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    for (const { barcodeValue } of [broken, sound]) {
      expect(await checkCode(page, barcodeValue)).toBe('Not yet confirmed');
      await dismissAtOnce(page);
    }
    const [row] = await d1<{ properties: string }>('select properties from passes where id = ?', [broken.identifier]);
    const setProperties = (text: string) =>
      d1('update passes set properties = ? where id = ?', [text, broken.identifier]);
    await setProperties('damaged');
    await context.setOffline(false);
    await eventually(() => isVoided(sound.identifier));
    await setProperties(row!.properties);
    await page.clock.fastForward(RETRY_MILLIS);
    await eventually(() => isVoided(broken.identifier));
    await close();
  });

  test('a scan that the service cannot accept now delays later ones of the same code', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    for (const word of ['Not yet confirmed', 'Already scanned']) {
      expect(await checkCode(page, pass.barcodeValue)).toBe(word);
      await dismissAtOnce(page);
    }
    await page.evaluate(REFUSE_FIRST_SCAN);
    await context.setOffline(false);
    await eventually(async () => {
      await page.clock.fastForward(RETRY_MILLIS);
      return (await statesOf(page)).every((state) => state !== 'waiting');
    });
    // The first one counts, because both were shown.
    expect(await statesOf(page)).toEqual(['settled', 'settled']);
    await close();
  });

  test('a scan that was undone does not count as accepted', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Valid');
    await page.evaluate(CHANGE_SCANS_TO_UNDONE);
    await dismissAtOnce(page);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not yet confirmed');
    await close();
  });

  test('the same code again is amber: this device has accepted it', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not yet confirmed');
    await dismissAtOnce(page);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Already scanned');
    await dismissAtOnce(page);
    await context.setOffline(false);
    await page.getByText('Online', { exact: true }).waitFor();
    // No result differs from what was shown.
    expect(await page.locator('#conflict-banner').isVisible()).toBe(false);
    expect(await textOf(page, '#count-refused')).toBe('1');
    await close();
  });

  test('a scan that turns out to be rejected is shown until somebody has seen it', async () => {
    const pass = await client.createPass(templateId);
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    const scanner = await createScanner(client, STAYS);
    const { page, context, close } = await openInstalled(scanner);
    await context.setOffline(true);
    expect(await checkCode(page, pass.barcodeValue)).toBe('Not yet confirmed');
    await dismissAtOnce(page);
    await context.setOffline(false);
    await page.getByText('1 offline scan was rejected').waitFor();
    await page.reload();
    await page.getByText('1 offline scan was rejected').click();
    await page.getByRole('heading', { name: 'Needs your attention' }).waitFor();
    await page.getByRole('button', { name: 'Got it' }).click();
    await page.getByRole('heading', { name: 'Needs your attention' }).waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByText('Online', { exact: true }).waitFor();
    expect(await page.locator('#conflict-banner').isVisible()).toBe(false);
    await close();
  });

  test('a lost reply does no harm: the scan is resent and counts once', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client, STAYS);
    const { page, close } = await openInstalled(scanner);
    await page.evaluate(LOSE_FIRST_REPLY);
    await checkCode(page, pass.barcodeValue);
    expect(await page.evaluate('window.words[0]')).toBe('Not yet confirmed');
    await page.getByText('Offline', { exact: true }).waitFor();
    await page.clock.fastForward(RETRY_MILLIS);
    await page.getByText('Online', { exact: true }).waitFor();
    expect(await page.locator('#conflict-banner').isVisible()).toBe(false);
    const scans = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
    expect(scans.body).toMatchObject([{ scanStatus: 0 }]);
    await close();
  });
});
