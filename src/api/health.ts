import { sql } from 'drizzle-orm';
import type { Context } from 'hono';
import type { ApiEnv } from './api-env.ts';

/** `GET /health`: 200 when the database answers, otherwise 503; for load balancers and the start script. */
export async function health(c: Context<ApiEnv>): Promise<Response> {
  c.set('route', '/health');
  try {
    await c.var.baseContext.db.run(sql`select 1`);
    return c.json({ status: 'ok' });
  } catch {
    return c.json({ status: 'database unavailable' }, 503);
  }
}
