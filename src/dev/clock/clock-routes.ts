import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checked } from '../../domain/check.ts';
import { DomainError, invalid } from '../../domain/errors.ts';
import type { PageEnv } from '../../pages/page-env.ts';
import { clockOffset } from '../../platform/clock.ts';
import { advanceClock } from './advance-clock.ts';
import type { Happening } from './happening.ts';
import { Advance } from './read-advance.ts';

const BODY_BYTES_MAX = 4 * 1024;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Routes of a local service's clock, for tests of programs that use the service. */
export const clockRoutes = new Hono<PageEnv>();

clockRoutes.get('/', (c) => reply(c, {}));

clockRoutes.post('/', bodyLimit({ maxSize: BODY_BYTES_MAX }), async (c) => {
  // A page of another origin can't send JSON: the browser asks with a preflight (Fetch standard, "CORS-preflight
  // request"), which this service never allows.
  if (!JSON_TYPE.test(c.req.header('Content-Type') ?? ''))
    throw new DomainError('unsupported_media_type', 'Content-Type must be application/json');
  const { advance } = checked(Advance, await bodyOf(c));
  const { report, isSettled } = await advanceClock(c.var.ctx, advance);
  const { happened, omitted } = report;
  return reply(c, { advancedMs: advance, isSettled, happened: happened.map(shown), omitted });
});

async function bodyOf(c: Context<PageEnv>): Promise<unknown> {
  return c.req.json().catch(() => {
    throw invalid('The body is not JSON');
  });
}

function shown({ at, ...facts }: Happening) {
  return { at: new Date(at).toISOString(), ...facts };
}

function reply(c: Context<PageEnv>, more: object): Response {
  const now = { now: new Date().toISOString(), offsetMs: clockOffset() };
  return c.json({ ...now, ...more }, 200, { 'Cache-Control': 'private, no-store' });
}
