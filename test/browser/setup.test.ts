import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localEncryptionKey } from '../../scripts/local-state.ts';
import { openPage } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { DESKTOP, lookTwice } from '../support/page-faults.ts';
import { type SeparateRuntime, startSeparateRuntime } from '../support/separate-runtime.ts';
import { recordLine } from '../support/statement-record.ts';

/* The first visit to a deployment in a browser. */

const SETUP_TOKEN = 'token-of-the-deployment';
/** The browser's messages about the form shown again and the page that is gone. */
const REFUSED = /400 \(Bad Request\)|404 \(Not Found\)/;

let worker: SeparateRuntime;
let origin: string;
let stateDir: string;

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'setup-'));
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const variables = { BASE_URL: '', SETUP_TOKEN, ENCRYPTION_KEY: localEncryptionKey(stateDir) };
  worker = await startSeparateRuntime({ port, stateDir, variables }, recordLine);
});

afterAll(async () => {
  await worker?.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

test('a deployment is set up by keyboard, at both sizes and in both looks', async () => {
  const { page, close } = await openPage({ viewport: DESKTOP, colorScheme: 'light' }, REFUSED);
  await page.goto(`${origin}/setup`);
  await lookTwice(page, 'setup');
  await page.getByLabel('Setup token').fill('wrong-token-of-the-deployment');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Aurora Rail');
  await page.getByLabel('Time zone').selectOption('Europe/Vienna');
  await page.getByLabel('Your e-mail address').fill('ada@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('is not the SETUP_TOKEN of this deployment').waitFor();
  await lookTwice(page, 'setup refused');
  expect(await page.getByLabel('Account name').inputValue()).toBe('Aurora Rail');
  await page.getByLabel('Setup token').fill(SETUP_TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your first pass' }).waitFor();
  await page.goto(`${origin}/console/service`);
  await page.getByRole('link', { name: 'Change address' }).click();
  await page.getByRole('heading', { name: 'Public address' }).waitFor();
  expect(await page.getByLabel('Address').inputValue()).toBe(origin);
  await lookTwice(page, 'service address');
  const reply = await page.goto(`${origin}/setup`);
  expect(reply?.status()).toBe(404);
  await close();
});
