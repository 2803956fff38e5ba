import type { Hono } from 'hono';
import type { ApiEnv } from '../api/api-env.ts';
import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { consoleRoutes } from '../pages/console/route.tsx';
import { loadSection, type SectionRoutes, sectionAt } from '../pages/console/section-routes.ts';
import { mounted, newApp } from './new-app.ts';

/** Consoles with one section each, by the prefix of the section's paths. */
const apps = new Map<string, Hono<ApiEnv>>();

/** Returns the console with the section that serves `path`. The section is loaded with its first request. */
export async function consoleAt(path: string): Promise<Hono<ApiEnv>> {
  const base = sectionAt(path) ?? '';
  if (!apps.has(base)) apps.set(base, consoleWith(base === '' ? [] : [await loadSection(base)]));
  return apps.get(base)!;
}

/** Builds a console with these sections. */
export function consoleWith(sections: SectionRoutes[]): Hono<ApiEnv> {
  const app = newApp();
  app.use(useDirectory);
  app.route('/', repeatHandlers(mounted(consoleRoutes(sections))));
  return app;
}
