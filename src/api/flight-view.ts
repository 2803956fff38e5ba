import * as z from 'zod';
import { FlightFields } from '../domain/passes/values/pass-fields.ts';

const shown = Object.keys(FlightFields.shape).map((name) => [
  name,
  name === 'flightNumber' ? z.int() : z.string().nullable(),
]);

/** The flight fields in replies: those that an air boarding pass has, at the top level. */
export const FlightView = z.object(Object.fromEntries(shown) as Record<keyof FlightFields, z.ZodType>).partial();
