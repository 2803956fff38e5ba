import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newIssuer, newPassCertificate, subjectOf } from '../domain/certificates/pass-certificates.ts';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { buryJobs, d1, eventually, runScheduled } from '../support/control.ts';
import { failedMail } from '../support/failed-messages.ts';
import { DESKTOP, walk } from '../support/page-faults.ts';
import { deliveriesWhen, subscribed } from '../support/webhooks.ts';

/* The console sections for running an account, at both widths, light and dark. */

const { origin } = inject('worker');

let account: Client;
/** For tests that leave nothing behind in a page. */
let shared: OpenPage;
const email = `operator-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  await admin('user invite', { account: account.accountId, email, privilege: ['owner'] });
  shared = await openConsole(email);
});
afterAll(async () => {
  await shared?.close();
});

const base = () => `/console/accounts/${account.accountId}`;

/** Opens a page as the account's owner, and returns the account's address. */
async function signedIn(options: BrowserContextOptions) {
  return { ...(await openConsole(email, options)), console: base() };
}

const TABLET = { width: 700, height: 900 };

/** Expects a page to be no wider than a tablet's window. */
async function expectToFitTablet(path: string): Promise<void> {
  const { page } = shared;
  await page.setViewportSize(TABLET);
  await page.goto(path);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(TABLET.width);
  await page.setViewportSize(DESKTOP);
}

const walkThrough = (paths: (console: string) => string[]) => walk(shared.page, paths(base()));

describe('webhooks', () => {
  let paths: (console: string) => string[];
  beforeAll(async () => {
    const { identifier: id } = await subscribed(account, 'https://shop.example.com/hooks/passes', {
      retryEnabled: true,
    });
    await subscribed(account, 'https://crm.example.com/a/rather/long/address/of/a/receiver?with=query', {
      event: 'message_failed',
    });
    await account.post('/api/hook/subscribe', { event: 'pass_voided', pullMode: true });
    await account.post(`/api/hook/${id}/test`);
    const [first] = await deliveriesWhen(account, id, ([one]) => (one?.attempts.length ?? 0) > 0);
    const one = `/webhooks/${id}`;
    const all = ['', '/new', '/verify'].map((path) => `/webhooks${path}`);
    const ofOne = ['', '?state=failed', `/deliveries/${first!.deliveryId}`, '/rotate', '/delete', '/pause'];
    paths = (console) => [...all, ...ofOne.map((path) => one + path)].map((path) => console + path);
  });

  test('have no faults at both widths, light and dark', () => walkThrough(paths));

  test('fit a tablet', () => expectToFitTablet(`${base()}/webhooks`));

  test('are created, tested, paused and deleted by forms that need no script', async () => {
    const { page, console, close } = await signedIn({ javaScriptEnabled: false });
    await page.goto(`${console}/webhooks`);
    await page.getByRole('link', { name: 'Create webhook' }).click();
    await page.getByLabel('Event', { exact: true }).selectOption('pass_deleted');
    await page.getByRole('textbox', { name: 'Endpoint URL' }).fill('https://walk.example.com/hook');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('This is a test event').waitFor();
    await page.getByRole('link', { name: 'pass_deleted' }).click();
    await page.getByRole('link', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Pause webhook' }).click();
    await page.getByText('Deliveries stop while the webhook is paused').waitFor();
    await page.getByRole('link', { name: 'Delete webhook' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.waitForURL(`**${console}/webhooks`);
    expect(await page.getByText('walk.example.com').count()).toBe(0);
    await close();
  });

  test('show a secret that can be copied', async () => {
    const { page, context } = shared;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await page.goto(`${base()}/webhooks/new`);
    await page.getByRole('textbox', { name: 'Endpoint URL' }).fill('https://copy.example.com/hook');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('button', { name: 'Copy: Signing secret' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^whsec_/);
  });
});

describe('messages', () => {
  let paths: (console: string) => string[];
  beforeAll(async () => {
    const template = await account.createTemplate({
      sendoutOptions: { passCreationNotification: { subject: 'Your ticket', emailTemplate: 'Hello' } },
    } as never);
    for (const emailRecipient of ['ada@example.com', 'grace.hopper@example.com']) {
      await account.createPass(template, { emailRecipient });
    }
    await failedMail(account, template, 'no address');
    const failed = await eventually(async () => {
      const rows = await d1<{ id: string; status: string }>('select id, status from messages where account_id = ?', [
        account.accountId,
      ]);
      return (
        rows.length === 3 &&
        rows.every(({ status }) => status !== 'queued') &&
        rows.find(({ status }) => status === 'failed')
      );
    });
    const all = ['', '?state=failed', '?channel=sms', `/${failed.id}`];
    paths = (console) => all.map((path) => `${console}/messages${path}`);
  });

  test('have no faults at both widths, light and dark', () => walkThrough(paths));
});

describe('failed jobs', () => {
  test('say so when there are none', async () => {
    await walk(shared.page, [`${base()}/failed-jobs`]);
  });

  describe('that exist', () => {
    let paths: (console: string) => string[];
    beforeAll(async () => {
      const { identifier: passId } = await account.createPass(await account.createTemplate());
      const { accountId } = account;
      await buryJobs([
        { type: 'push-to-google', accountId, passId },
        { type: 'delete-pass-files', accountId, passId },
        { type: 'push-passes', accountId, passIds: [passId] },
        { type: 'import-pass-images', accountId, passId },
      ]);
      const [letter] = await eventually(async () => {
        const kept = await d1<{ id: string }>('select id from dead_letters where account_id = ?', [account.accountId]);
        return kept.length === 4 && kept;
      });
      const all = ['', '?done=retry', `/${letter!.id}/discard`].map((path) => `/failed-jobs${path}`);
      paths = (console) => ['', ...all].map((path) => console + path);
    });

    test('have no faults at both widths, light and dark', () => walkThrough(paths));

    test('are retried and discarded by forms that need no script', async () => {
      const { page, console, close } = await signedIn({ javaScriptEnabled: false });
      await page.goto(console);
      await page.getByRole('listitem').filter({ hasText: 'jobs failed' }).getByRole('link').click();
      await page.getByRole('button', { name: 'Retry: Update a pass in Google Wallet' }).click();
      await page.getByText('Job scheduled').waitFor();
      await page.getByRole('link', { name: 'Discard: Remove the stored files' }).click();
      await page.getByRole('button', { name: 'Discard job' }).click();
      await page.getByText('Job discarded').waitFor();
      await page.getByRole('button', { name: 'Retry all' }).click();
      await page.getByText('Scheduled', { exact: true }).first().waitFor();
      await close();
    });
  });
});

describe('certificates and settings', () => {
  let paths: (console: string) => string[];
  beforeAll(async () => {
    const { accountId } = account;
    const issuer = await newIssuer('CN=Example WWDR');
    const ids: string[] = [];
    for (const [passTypeId, validDays] of [
      ['pass.com.example.tickets', 20],
      ['pass.com.example.loyalty', 200],
    ] as const) {
      const files = await newPassCertificate(issuer, { subject: subjectOf(passTypeId), validDays });
      const command = { account: accountId, ...files, intermediatePem: issuer.pem };
      ids.push((await admin<{ certificateId: string }>('certificate import', command)).certificateId);
    }
    await account.post('/api/v3/project', { name: 'Summer festival' });
    const certificates = [
      '',
      '/new',
      '/google',
      `/${ids[0]}`,
      `/${ids[0]}/default`,
      `/${ids[0]}/delete`,
      `/${ids[1]}/delete`,
    ];
    const settings = ['', '?saved', '/sub-customers', '/signing-key', '/signing-key/rotate'];
    const { page } = shared;
    await page.goto(`${base()}/certificates/new`);
    await page.getByRole('button', { name: 'Create signing request' }).click();
    await page.getByRole('link', { name: 'Download signing request' }).waitFor();
    const request = new URL(page.url()).pathname.split('/').at(-1);
    certificates.push(`/requests/${request}`, `/requests/${request}/delete`);
    paths = (console) => [
      ...certificates.map((path) => `${console}/certificates${path}`),
      ...settings.map((path) => `${console}/settings${path}`),
    ];
  });

  test('have no faults at both widths, light and dark', () => walkThrough(paths));
});

test('the menu shows all of its entries on a small laptop', async () => {
  const { page, console, close } = await signedIn({ viewport: { width: 1280, height: 768 } });
  await page.goto(`${console}/audit-log`);
  const box = await page.getByRole('link', { name: 'Audit log' }).boundingBox();
  expect(box!.y + box!.height).toBeLessThanOrEqual(768);
  await close();
});

describe('the page of the service', () => {
  beforeAll(async () => {
    await admin('user operator', { email, on: true });
    await runScheduled();
    const [day, hour] = [24 * 3_600_000, 3_600_000];
    const now = Date.now();
    for (let i = 1; i < 30; i++) {
      const databaseBytes = 3e9 - i * 5e7;
      const sizes = { databaseBytes, 'bytes of DB': databaseBytes, 'bytes of DB_1': 1e6 };
      const gauges = { ...sizes, passesEver: 900_000 - i * 20_000, eventsEver: 5e6 - i * 150_000 };
      const startsAt = now - (now % day) - i * day;
      await keepSample('day', startsAt, gauges);
      await keepSample('hour', now - (now % hour) - i * hour, { pushes: i * 7, messages: 40 - i, images: i % 5 });
    }
    await d1(
      `insert or replace into service_alerts (name, raised_at, ticks, ticked_at, detail, mailed_at)
        values ('failed-jobs', ?, 0, ?, '9 in the last hour, 12 in all.', null)`,
      [now - hour, now],
    );
  });

  const keepSample = (period: string, startsAt: number, gauges: object) =>
    d1('insert or ignore into service_samples (period, starts_at, gauges, measured_at) values (?, ?, ?, ?)', [
      ...[period, startsAt, JSON.stringify(gauges), startsAt + 60_000],
    ]);

  test('has no faults at both widths, light and dark', () => walkThrough(() => ['/console/service']));

  test('fits a tablet', () => expectToFitTablet('/console/service'));

  test('shows alerts with a next step, and charts that keyboards read', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto('/console/you');
    await page.getByRole('link', { name: 'Service', exact: true }).click();
    await page.getByText('Next step:').first().waitFor();
    const bar = page.locator('[aria-labelledby="backlog-hours"] .chart-box .bar').last();
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('[aria-labelledby="backlog-hours"] .chart-box .readout').filter({ hasText: 'Pushes' }).waitFor();
  });
});
