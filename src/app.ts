import { getPath } from 'hono/utils/url';
import { useDevClock } from './dev/clock.ts';
import type { Env } from './platform/env.ts';

/**
 * Everything that answers HTTP. A surface is loaded with the first request for it: most isolates need one of them, and
 * to build the schemas and routes of all of them takes most of a start.
 */
export async function answer(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  await useDevClock(env);
  const { app } = await surfaceOf(getPath(request));
  return app.fetch(request, env, execution);
}

const API = /^\/(api(\/.*)?|admin\/commands|health|openapi\.json)$/s;
const WALLETS = /^\/(wallet\/(apple|google)\/.*|messages\/[^/]+\/status|passes\/[^/]+\/[^/]+\.pkpass)$/s;
const MCP = /^\/mcp$/;
const CONSOLE = /^\/(console(\/.*)?|setup)$/s;

function surfaceOf(path: string) {
  if (API.test(path)) return import('./app/api.ts');
  if (WALLETS.test(path)) return import('./app/wallets.ts');
  if (MCP.test(path)) return import('./app/mcp.ts');
  return CONSOLE.test(path) ? import('./app/console.ts') : import('./app/pages.ts');
}
