import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { checked } from '../../domain/check.ts';
import { DomainError, invalid } from '../../domain/errors.ts';
import type { PageEnv } from '../../pages/page-env.ts';
import { clockOffset } from '../../platform/clock.ts';
import { advanceClock } from './advance-clock.ts';
import type { Happening } from './recent-rows.ts';

const SECOND_MS = 1_000;
const UNITS_MS = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 604_800 * SECOND_MS,
};
const FORMAT = 'must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w';

/** Maximum days that one request can advance the clock. */
const ADVANCE_DAYS_MAX = 400;

/** A span such as `3d` as milliseconds. */
const Span = z
  .string()
  .regex(/^\d{1,9}[smhdw]$/, FORMAT)
  .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.slice(-1) as keyof typeof UNITS_MS])
  .refine((ms) => ms > 0, 'must be more than 0: the clock only goes forward')
  .refine((ms) => ms <= ADVANCE_DAYS_MAX * UNITS_MS.d, `must be at most ${ADVANCE_DAYS_MAX}d`);

/** The body of a request that advances the clock. */
export const Advance = z.strictObject({ advance: Span }, { error: 'must be an object such as {"advance": "3d"}' });

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

const shown = ({ at, ...facts }: Happening) => ({ at: new Date(at).toISOString(), ...facts });

function reply(c: Context<PageEnv>, more: object): Response {
  const now = { now: new Date().toISOString(), offsetMs: clockOffset() };
  return c.json({ ...now, ...more }, 200, { 'Cache-Control': 'private, no-store' });
}
