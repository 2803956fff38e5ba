import { expect, test } from 'vitest';
import { app as admin } from '../src/app/admin.ts';
import { app as api } from '../src/app/api.ts';
import { consoleWith } from '../src/app/console.ts';
import { app as dev } from '../src/app/dev.ts';
import { app as mcp } from '../src/app/mcp.ts';
import { app as pages } from '../src/app/pages.ts';
import { app as scanner } from '../src/app/scanner.ts';
import { app as setup } from '../src/app/setup.ts';
import { app as wallets } from '../src/app/wallets.ts';
import { surfaceAt } from '../src/app.ts';
import { allSections } from './support/whole-console.ts';

const surfaces = { admin, api, console: consoleWith(allSections), dev, mcp, pages, scanner, setup, wallets };
const isMiddleware = (path: string) => path.endsWith('*');
/** Returns an address that a route matches. */
const addressOf = (path: string) =>
  path.replace(/:\w+(\{[^/]*\})?/g, (_, pattern?: string) => {
    const samples = ['7', 'some-name', 'some-name.pkpass'];
    return samples.find((sample) => new RegExp(`^${pattern?.slice(1, -1) ?? '.{8,}'}$`).test(sample))!;
  });

test.each(Object.entries(surfaces))('every address of the surface %s leads to it', async (_name, { routes }) => {
  const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => !isMiddleware(path));
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) {
    const surface = await surfaceAt(addressOf(path));
    expect(
      surface.routes.map((route) => route.path),
      path,
    ).toContain(path);
  }
});
