import type { Page } from 'playwright-core';
import { admin, freshAccount } from './api.ts';
import { type OpenPage, openConsole } from './browser.ts';
import { DESKTOP, FRAME } from './page-faults.ts';
import { previewTemplates } from './preview-templates.ts';

/** The designer's previews of an account's templates. */
export interface Previews {
  /** Returns the address of a template's designer, by the name of its definition. */
  pathOf(name: string, query?: string): string;
  /** Opens a page as a signed-in user; by default, it is tall enough for a whole preview. */
  newPage(options?: object): Promise<OpenPage>;
}

/** Creates an account with some of the templates of `previewTemplates`, by default all. */
export async function openPreviews(names?: string[]): Promise<Previews> {
  const account = await freshAccount({ timezone: 'Europe/Vienna' });
  const email = `previews-${crypto.randomUUID()}@example.com`;
  await admin('user invite', { account: account.accountId, email, privilege: ['templates.edit'] });
  const definitions = Object.entries(await previewTemplates()).filter(([name]) => names?.includes(name) ?? true);
  const ids = new Map(
    await Promise.all(
      definitions.map(async ([name, definition]) => [name, await account.createTemplate(definition)] as const),
    ),
  );
  return {
    pathOf: (name, query = '') => `/console/accounts/${account.accountId}/templates/${ids.get(name)}${query}`,
    newPage: (options = { viewport: { ...DESKTOP, height: 1_300 } }) => openConsole(email, options),
  };
}

export const picture = (page: Page) => page.locator('#preview-picture');

/** Chooses within the controls, because the role and name of each element of the designer would take longer. */
export const choose = (page: Page, name: string) =>
  page.locator('#preview-choices').getByRole('radio', { name, exact: true }).check({ force: true });

/** What stays the same while the preview changes. */
export const DESIGNER = `${FRAME}, .tabs, .part`;
