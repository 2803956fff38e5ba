import { getPath } from 'hono/utils/url';
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

const API = /^\/(api(\/.*)?|health|openapi\.json)$/s;
const WALLETS = /^\/(wallet\/(apple|google)\/.*|messages\/[^/]+\/status|passes\/[^/]+\/[^/]+\.pkpass)$/s;
const SCANNER = /^\/scan\/.*$/s;
const MCP = /^\/mcp$/;
const CONSOLE = /^\/console(\/.*)?$/s;
const SETUP = /^\/setup$/;
const ADMIN = /^\/admin\/commands$/;
const DEV = /^\/dev\/.*$/s;

/** Loads the surface of a path. */
export async function surfaceAt(path: string) {
  if (API.test(path)) return (await import('./app/api.ts')).app;
  if (WALLETS.test(path)) return (await import('./app/wallets.ts')).app;
  if (SCANNER.test(path)) return (await import('./app/scanner.ts')).app;
  if (MCP.test(path)) return (await import('./app/mcp.ts')).app;
  if (CONSOLE.test(path)) return (await import('./app/console.ts')).consoleAt(path);
  if (SETUP.test(path)) return (await import('./app/setup.ts')).app;
  if (ADMIN.test(path)) return (await import('./app/admin.ts')).app;
  if (DEV.test(path)) return (await import('./app/dev.ts')).app;
  return (await import('./app/pages.ts')).app;
}
