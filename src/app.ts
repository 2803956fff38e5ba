import type { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { ApiEnv } from './api/api-env.ts';
import { useDevClock } from './dev/clock.ts';
import type { Env } from './platform/env.ts';

/**
 * Answers every HTTP request. A surface is loaded with its first request: most isolates need only one, and building the
 * schemas and routes of all of them takes most of a cold start.
 */
export async function answer(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  await useDevClock(env);
  const app = await surfaceAt(getPath(request));
  return app.fetch(request, env, execution);
}

/** Surfaces by the paths that they serve; the first match counts. */
const SURFACES: [paths: RegExp, load: () => Promise<{ app: Hono<ApiEnv> }>][] = [
  [/^\/(api(\/.*)?|health|openapi\.json)$/s, () => import('./app/api.ts')],
  [
    /^\/(wallet\/(apple|google)\/.*|messages\/[^/]+\/status|passes\/[^/]+\/[^/]+\.pkpass)$/s,
    () => import('./app/wallets.ts'),
  ],
  [/^\/scan\/.*$/s, () => import('./app/scanner.ts')],
  [/^\/mcp$/, () => import('./app/mcp.ts')],
  [/^\/setup$/, () => import('./app/setup.ts')],
  [/^\/admin\/commands$/, () => import('./app/admin.ts')],
  [/^\/dev\/.*$/s, () => import('./app/dev.ts')],
  [/^/, () => import('./app/pages.ts')],
];
const CONSOLE = /^\/console(\/.*)?$/s;

/** Loaded surfaces, by their paths: importing a module again takes longer than finding a route in it. */
const loaded = new Map<RegExp, Hono<ApiEnv>>();

/** Returns the surface that serves a path, loading it if it is the first request for it. */
export async function surfaceAt(path: string): Promise<Hono<ApiEnv>> {
  if (CONSOLE.test(path)) return (await import('./app/console.ts')).consoleAt(path);
  const [paths, load] = SURFACES.find(([served]) => served.test(path))!;
  const app = loaded.get(paths) ?? (await load()).app;
  loaded.set(paths, app);
  return app;
}
