import { sql } from 'drizzle-orm';
import { createFactory } from 'hono/factory';
import { z } from 'zod';
import type { ApiEnv } from './api-env.ts';
import { operation } from './operation.ts';

const HealthView = z.object({ status: z.string() });

/** `GET /health`: 200 when the database answers, otherwise 503; for load balancers and the start script. */
export const health = createFactory<ApiEnv>().createHandlers(
  operation({
    id: 'readHealth',
    summary: 'Ask whether the service works',
    tag: 'Service',
    open: true,
    replies: {
      200: { description: 'The database answers', schema: HealthView, example: { status: 'ok' } },
      503: { description: 'It does not', schema: HealthView, example: { status: 'database unavailable' } },
    },
  }),
  async (c) => {
    try {
      await c.var.baseContext.db.run(sql`select 1`);
      return c.json({ status: 'ok' });
    } catch {
      return c.json({ status: 'database unavailable' }, 503);
    }
  },
);
