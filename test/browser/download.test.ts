import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { d1 } from '../support/control.ts';
import { DESKTOP, type Look, lookIn, PHONE } from '../support/page-faults.ts';

const PIN = 'open sesame';

const IPHONE: BrowserContextOptions = {
  viewport: PHONE,
  userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
};
const looksAt = (viewport: Look['viewport']): Look[] => [
  { viewport, colorScheme: 'dark' },
  { viewport, colorScheme: 'light' },
];
const DEVICES = [
  { name: 'phone', options: IPHONE, looks: looksAt(PHONE) },
  { name: 'desktop', options: { viewport: DESKTOP }, looks: looksAt(DESKTOP) },
];

let client: Client;
let guardedTemplateId: string;
let bundlePath: string;

beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  guardedTemplateId = await client.createTemplate({ downloadPinEnabled: true, preventDownloadWhenActive: true });
  bundlePath = await createBundle();
});

function guardedPass(): Promise<CreatedPass> {
  return client.createPass(guardedTemplateId, { downloadPin: PIN, 'Full name': 'Grace Hopper' });
}

/** Creates a bundle of three different-looking passes and one with a PIN. */
async function createBundle(): Promise<string> {
  const [membership, concert] = await Promise.all([
    client.createTemplate(),
    client.createTemplate({
      name: 'Concert',
      type: 'eventTicket',
      description: 'Concert ticket',
      organizationName: 'Example Hall',
      colors: { backgroundColor: '#5b2333', foregroundColor: '#ffffff', labelColor: '#f7c59f' },
    }),
  ]);
  const passes = await Promise.all([
    client.createPass(membership, { 'Full name': 'Ada Lovelace', Level: 'Gold' }),
    client.createPass(concert, { 'Full name': 'Row 7, seat 12' }),
    client.createPass(membership, { 'Full name': 'Alan Turing', expirationDate: '2020-01-01 12:00' }),
    guardedPass(),
  ]);
  const reply = await client.post('/api/v2/pass-bundle', { passes: passes.map(({ identifier }) => identifier) });
  return new URL(reply.body.data.urlToPass).pathname;
}

/** The status of a rejected PIN isn't an error of the page. */
const newPage = (options: BrowserContextOptions) =>
  openPage(options, /the server responded with a status of (403|429)/);

const pathOf = ({ linkToPassPage }: CreatedPass) => new URL(linkToPassPage).pathname;

describe.each(DEVICES)('on a $name, light and dark,', ({ name, options, looks }) => {
  const lookAt = (page: Page, state: string) => lookIn(looks, page, `${name} ${state}`);

  test('a PIN opens the page, which has no faults at each step', async () => {
    const { page, close } = await newPage(options);
    const pass = await guardedPass();
    await page.goto(pathOf(pass));
    await lookAt(page, 'pin');
    await page.getByLabel('PIN').fill('wrong');
    await page.getByRole('button', { name: 'Open pass' }).click();
    await page.getByRole('alert').waitFor();
    await lookAt(page, 'pin wrong');
    await page.getByLabel('PIN').fill(PIN);
    await page.getByRole('button', { name: 'Open pass' }).click();
    await page.getByText('Grace Hopper').first().waitFor();
    await lookAt(page, 'pass');
    await page.reload();
    expect(await page.getByText('Grace Hopper').first().isVisible()).toBe(true);
    await close();
  });

  test('a locked page and a blocked one say so', async () => {
    const { page, close } = await newPage(options);
    const [locked, blocked] = await Promise.all([guardedPass(), client.createPass(guardedTemplateId)]);
    await d1('update passes set pin_failures = 5, pin_locked_until_at = ? where id = ?', [
      Date.now() + 10 * 60_000,
      locked.identifier,
    ]);
    await d1('update passes set number_of_active = 1 where id = ?', [blocked.identifier]);
    await page.goto(pathOf(locked));
    expect(await page.getByText('in 10 minutes').isVisible()).toBe(true);
    await lookAt(page, 'locked');
    await page.goto(pathOf(blocked));
    expect(await page.getByRole('heading', { name: 'already on a device' }).isVisible()).toBe(true);
    await lookAt(page, 'blocked');
    await close();
  });

  test('the print version reads on its white paper, links included', async () => {
    const { page, close } = await newPage(options);
    const links = [
      { label: 'Manage booking', url: 'https://example.com/booking' },
      { label: 'desk@example.com', url: 'mailto:desk@example.com' },
    ];
    const pass = await client.createPass(await client.createTemplate({ links }));
    await page.goto(`${pathOf(pass)}?print`);
    expect(await page.locator('.sheet-links li').allInnerTexts()).toEqual([
      'Manage booking: example.com/booking',
      'desk@example.com',
    ]);
    await lookAt(page, 'print');
    await close();
  });

  test('a bundle shows its passes and adds them all at once', async () => {
    const { page, close } = await newPage(options);
    await page.goto(bundlePath);
    expect(await page.getByRole('article').count()).toBe(3);
    expect(await page.getByRole('link', { name: 'Enter PIN' }).isVisible()).toBe(true);
    await lookAt(page, 'bundle');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Add all to Apple Wallet' }).click();
    expect((await download).suggestedFilename()).toBe('passes.pkpasses');
    await close();
  });
});

describe('without scripts', () => {
  test('the PIN form works, and then the page offers its file', async () => {
    const { page, context, close } = await newPage({ ...IPHONE, javaScriptEnabled: false });
    const pass = await guardedPass();
    await page.goto(`/de${pathOf(pass)}`);
    await page.getByLabel('PIN').fill(PIN);
    await page.getByLabel('PIN').press('Enter');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Zu Apple Wallet hinzufügen' }).click();
    expect((await download).suggestedFilename()).toBe(`${pass.identifier}.pkpass`);
    expect(await context.cookies()).toMatchObject([
      { name: expect.stringMatching(/^pin-[0-9a-f]{32}$/), httpOnly: true, sameSite: 'Lax' },
    ]);
    await close();
  });

  test('the print version is counted when it is opened, and not when it is reloaded', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP, javaScriptEnabled: false });
    const pass = await client.createPass(await client.createTemplate());
    await page.goto(pathOf(pass));
    await page.getByRole('button', { name: 'Print version' }).click();
    await page.getByRole('link', { name: 'Back to the pass' }).waitFor();
    await page.reload();
    const { body } = await client.get(`/api/pass/${pass.identifier}`);
    expect(body.numberOfPrinted).toBe(1);
    await close();
  });
});
