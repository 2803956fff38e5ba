import * as z from 'zod';
import { FlightFields } from '../domain/passes/values/pass-fields.ts';
import type { OmittedImage } from '../domain/templates/stored-definition.ts';
import { PASS_EXAMPLE } from './examples.ts';

/** Adds an example for the contract document to the schema of a reply. */
export function like<S extends z.ZodType>(schema: S, example: z.input<S>): S {
  return schema.meta({ examples: [example] });
}

/** Returns a text schema with an example. */
export function text(example: string): z.ZodString {
  return like(z.string(), example);
}

/** Returns a schema for a text or null with an example. */
export function textOrNull(example: string) {
  return like(z.string().nullable(), example);
}

/** Formats UTC milliseconds as ISO 8601. */
export const iso = (millis: number) => new Date(millis).toISOString();
export const isoOrNull = (millis: number | null) => (millis === null ? null : iso(millis));

/** A time in the account's zone. */
export const LocalTime = text('2027-01-31 08:30:00');

/** Values of additional properties, by name. */
export const NamedProperties = like(z.record(z.string(), z.union([z.string(), z.boolean()])), PASS_EXAMPLE.properties);

/** A count, with 1 as its example. */
export const Count = like(z.int(), 1);

const shown = Object.keys(FlightFields.shape).map((name) => [
  name,
  name === 'flightNumber' ? z.int() : z.string().nullable(),
]);

/** The flight fields in replies: those that an air boarding pass has, at the top level. */
export const FlightView = z.object(Object.fromEntries(shown) as Record<keyof FlightFields, z.ZodType>).partial();

/** Default images that a new template had to do without; absent if there are none. */
export const Warnings = z
  .array(
    text(
      'images.logo (logoUrl of the account): image is not importable from URL (the server answered with status ' +
        '404); the template was created without it',
    ),
  )
  .optional()
  .describe('Default images of the account that could not be fetched; absent when there are none');

/** Returns the `warnings` member of a reply for a new template. */
export function warningsOf(omitted: OmittedImage[]): { warnings?: string[] } {
  return omitted.length > 0 ? { warnings: omitted.map(({ warning }) => warning) } : {};
}
