import * as z from 'zod';

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
export const ADVANCE_DAYS_MAX = 400;

/** A span such as `3d` as milliseconds. */
const Span = z
  .string()
  .regex(/^\d{1,9}[smhdw]$/, FORMAT)
  .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.slice(-1) as keyof typeof UNITS_MS])
  .refine((ms) => ms > 0, 'must be more than 0: the clock only goes forward')
  .refine((ms) => ms <= ADVANCE_DAYS_MAX * UNITS_MS.d, `must be at most ${ADVANCE_DAYS_MAX}d`);

/** The body of a request that advances the clock. */
export const Advance = z.strictObject({ advance: Span }, { error: 'must be an object such as {"advance": "3d"}' });
