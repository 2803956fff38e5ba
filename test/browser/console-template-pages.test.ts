import { afterAll, beforeAll, describe, test } from 'vitest';
import { demoTemplates } from '../../scripts/demo/templates.ts';
import { PARTS } from '../../src/pages/console/templates/designer/designer-form.ts';
import { DEPENDENT_PARTS } from '../../src/pages/console/templates/designer/protocol.ts';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { DESKTOP, FRAME, look, lookTwice, PHONE, walk } from '../support/page-faults.ts';

/** Axe checks sixteen pages, on any machine. */
const WALK_TIMEOUT_MILLIS = 180_000;

let account: Client;
let shared: OpenPage;
const email = `template-pages-${crypto.randomUUID()}@example.com`;
const templates: Record<string, string> = {};

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  await admin('user invite', { account: account.accountId, email, privilege: ['templates.edit', 'passes.edit'] });
  const demo = await demoTemplates();
  await Promise.all(
    demo.map(async ({ key, definition }) => {
      const reply = await account.post('/api/v2/pass-template', definition);
      templates[key] = reply.body.data.identifier;
    }),
  );
  shared = await openConsole(email, { viewport: DESKTOP });
});
afterAll(async () => {
  await shared?.close();
});

const path = (...parts: string[]) => `/console/accounts/${account.accountId}/${['templates', ...parts].join('/')}`;
/** Selector of what the walk through the designer checks, beside one of its parts. */
const allBut = (part: string) => `${FRAME}, #preview, .part:not([data-part="${part}"])`;

describe('the pages of templates have no faults', () => {
  test(
    'at both widths, light and dark',
    async () => {
      const { page } = shared;
      const id = templates.storeCard!;
      await account.patch(`/api/v2/pass-template/${id}`, { logoText: 'Another text' });
      const ofOne = ['notifications', 'delete', 'api', 'publish'].map((page) => path(id, page));
      await walk(page, [path(), path('new'), path('import'), path('projects'), ...ofOne]);
      await page.goto(path(id));
      for (const [name, title] of Object.entries(PARTS)) {
        const part = page.locator(`.part[data-part="${name}"]`);
        const before = await part.elementHandle();
        // Within the tabs, because the role and name of each element of the designer would take longer.
        await page.locator('.tabs').getByRole('radio', { name: title, exact: true }).check({ force: true });
        // These are redrawn with the preview, which is empty while axe checks the part.
        if (DEPENDENT_PARTS.has(name)) await before!.waitForElementState('hidden');
        await part.waitFor();
        await lookTwice(page, `templates part ${title}`, name === 'general' ? {} : { known: allBut(name) });
      }
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.getByRole('button', { name: 'Preview' }).click();
      await look(page, 'templates preview', { known: `${FRAME}, .part` });
      await page.getByRole('button', { name: 'Close' }).click();
    },
    WALK_TIMEOUT_MILLIS,
  );
});
