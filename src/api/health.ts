import { sql } from 'drizzle-orm';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { callerNetwork, enforceRateLimit } from '../domain/rate-limits.ts';
import { describeError, logLine } from '../platform/log.ts';
import { readEncryptionKeys } from '../platform/sealed-text.ts';
import type { ApiEnv } from './api-env.ts';
import { operation } from './operation.ts';

const HealthView = z.object({ status: z.string() });
const RefusedView = z.object({ ErrorMessage: z.string() });

/**
 * `GET /health`: 200 when the database answers and the encryption keys can be read, otherwise 503; for load balancers
 * and the start script.
 */
export const health = createFactory<ApiEnv>().createHandlers(
  operation({
    id: 'readHealth',
    summary: 'Check the service’s health',
    tag: 'Service',
    open: true,
    replies: {
      200: {
        description: 'The database answers, and the encryption keys can be read',
        schema: HealthView,
        example: { status: 'ok' },
      },
      429: {
        description: 'Too many requests from this address; wait for the time in `Retry-After`',
        schema: RefusedView,
        example: { ErrorMessage: 'Too many requests; try again later' },
      },
      503: {
        description: 'A check fails; see the log',
        schema: HealthView,
        example: { status: 'database unavailable' },
      },
    },
  }),
  async (c) => {
    await enforceRateLimit(c.env, 'health', callerNetwork(c.req.raw, c.env));
    try {
      readEncryptionKeys(c.env);
    } catch (error) {
      const { requestId } = c.var.baseContext;
      logLine('error', { event: 'encryption-keys', requestId, error: describeError(error) });
      return c.json({ status: 'encryption keys malformed' }, 503);
    }
    try {
      await c.var.baseContext.db.run(sql`select 1`);
      return c.json({ status: 'ok' });
    } catch {
      return c.json({ status: 'database unavailable' }, 503);
    }
  },
);
