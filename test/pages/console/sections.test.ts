import { describe, expect, test } from 'vitest';
import { consoleAt } from '../../../src/app/console.ts';
import { consoleRoutes } from '../../../src/pages/console/route.tsx';
import { SECTION_ROUTES, sectionAt } from '../../../src/pages/console/section-routes.ts';
import { SECTIONS } from '../../../src/pages/console/sections.ts';
import { allSections } from '../../support/whole-console.ts';

/*
 * An isolate loads a section with the first request for it. Whatever else it has loaded, the same routes answer an
 * address.
 */

interface Route {
  method: string;
  path: string;
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const pages = consoleRoutes(allSections).routes.filter(({ method }) => method !== 'ALL');
/** Returns an address that a route matches. */
const addressOf = (path: string) => path.replace(/:\w+(\{[^/]*\})?/g, 'some-name');

describe('the console', () => {
  test.each([...new Set(pages.map(({ path }) => path))])('answers %s with its section', async (path) => {
    const { routes } = await consoleAt(addressOf(path));
    expect(routes.map((route) => route.path)).toContain(path);
  });

  test('has the same rules around each section', async () => {
    const rules = (await consoleAt('/console')).routes.map(nameOf);
    expect(rules).toContain('ALL /console/accounts/:account/*');
    for (const base of Object.keys(SECTION_ROUTES)) {
      const names = (await consoleAt(addressOf(base))).routes.map(nameOf);
      expect(names.length).toBeGreaterThan(rules.length);
      expect(names.filter((name) => rules.includes(name))).toEqual(rules);
    }
  });

  test('has a section for each entry of the menu', () => {
    for (const { id } of SECTIONS) expect(sectionAt(`/console/accounts/some-name/${id}`)).toMatch(`:account/${id}`);
  });

  test.each(['/console', '/console/', '/console/sign-in', '/console/accounts', '/console/accounts/a/toString'])(
    'needs no section for %s',
    (path) => {
      expect(sectionAt(path)).toBeUndefined();
    },
  );
});
