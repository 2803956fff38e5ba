import type { AccountContext } from '../../context.ts';
import { invalidField } from '../../errors.ts';
import { FIELD_OF } from '../changed-columns.ts';
import type { DefinedPass } from '../find-pass.ts';
import { isRemoved, PASS_IMAGE_FIELDS, PASS_IMAGE_ROLES, pendingAfter } from '../images/pass-images.ts';
import type { Pass } from '../table.ts';
import {
  compact,
  FLIGHT_FIELD_NAMES,
  type FlightFields,
  PASS_COLORS,
  type PassAppearance,
  PassFields,
} from './pass-fields.ts';
import { passValues, readFlight } from './pass-values.ts';
import { isFlight } from './used-fields.ts';

/**
 * Returns the columns that an update changes: those of the sent fields, where null clears. Flight fields are checked as
 * a whole, sent ones together with `flight`. Throws `invalid` with the field.
 */
export function passPatch(
  ctx: AccountContext,
  { pass, definition }: DefinedPass,
  fields: PassFields,
  flight: Partial<FlightFields> = { ...pass.flight },
): Partial<Pass> {
  const sent = (name: string) => Object.hasOwn(fields, name) && fields[name] !== undefined;
  const hasFlight = isFlight(definition);
  const isFlightChanged =
    hasFlight && (FLIGHT_FIELD_NAMES.some(sent) || Object.keys(flight).length < sizeOf(pass.flight));
  const values = passValues(ctx, definition, fields, {
    flight: isFlightChanged ? readFlight({ ...flight, ...fields }) : pass.flight,
    places: pass.appearance.eligibleValidationPlaces,
  });
  const appearance = patchedAppearance(pass.appearance, values.appearance, fields);
  const patch: Partial<Pass> = { appearance, flight: values.flight };
  for (const [column, field] of Object.entries(FIELD_OF)) {
    if (sent(field)) Object.assign(patch, { [column]: values[column as keyof typeof FIELD_OF] });
  }
  if (fields.barcodeValue) patch.barcodeValue = fields.barcodeValue;
  return patch;
}

const sizeOf = (flight: FlightFields | null) => Object.keys(flight ?? {}).length;

/** Fields that a replacement keeps if they aren't sent. */
const KEPT_FIELDS = new Set(['barcodeValue', 'bundleId', 'enforceUniqueUserProvidedId']);

/** Returns the fields of a replacement. Fields that are neither sent nor `kept` are cleared. */
export function replacedFields(fields: PassFields, kept: Set<string>): PassFields {
  const absent = Object.keys(PassFields.shape).filter(
    (name) => fields[name] === undefined && !kept.has(name) && !KEPT_FIELDS.has(name),
  );
  const isColor = (name: string) => (PASS_COLORS as readonly string[]).includes(name);
  // Colors are cleared by undefined.
  return { ...fields, ...Object.fromEntries(absent.map((name) => [name, isColor(name) ? undefined : null])) };
}

function patchedAppearance(before: PassAppearance, values: PassAppearance, fields: PassFields): PassAppearance {
  const pendingImages = pendingAfter(before.pendingImages, values.pendingImages, fields);
  const after: PassAppearance = { ...before, pendingImages };
  const colors = { ...before.colors };
  for (const color of PASS_COLORS) if (Object.hasOwn(fields, color)) colors[color] = values.colors?.[color];
  after.colors = colors;
  if (fields.locations !== undefined) after.locations = values.locations;
  if (fields.eligibleValidationPlaces !== undefined) after.eligibleValidationPlaces = values.eligibleValidationPlaces;
  const images = { ...before.images };
  for (const role of PASS_IMAGE_ROLES) if (fields[PASS_IMAGE_FIELDS[role]] === null) delete images[role];
  after.images = images;
  // A sent language keeps its current image until the new one is imported.
  const kept = Object.entries(before.localizedBackgrounds ?? {}).filter(([language]) => !isRemoved(fields, language));
  after.localizedBackgrounds = Object.fromEntries(kept);
  const errors = before.importErrors?.filter(({ field }) => !isSent(fields, field)) ?? [];
  after.importErrors = errors.length > 0 ? errors : undefined;
  return compact(after);
}

/** Whether the fields replace or clear the image of a field. */
function isSent(fields: PassFields, field: string): boolean {
  const [name, language] = field.split('.') as [string, string | undefined];
  const value = fields[name] as Record<string, unknown> | string | null | undefined;
  return language === undefined || !value || typeof value === 'string'
    ? value !== undefined
    : Object.hasOwn(value, language);
}

/**
 * Returns the recorded usages that the `placesUsedAt` of an update clears: all for an empty value, the named places for
 * an array, none if absent or in the form of a read. Throws `invalid` for anything else.
 */
export function clearedPlaces(sent: Record<string, unknown>): 'all' | string[] {
  const value = sent.placesUsedAt;
  if (value === undefined) return [];
  if (value === '' || value === null) return 'all';
  if (Array.isArray(value) && value.every((place) => typeof place === 'string'))
    return value.length > 0 ? value : 'all';
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  throw invalidField('placesUsedAt', 'must be empty, an array of place names, or the object from a reply');
}

/** Applies `placesUsedAt` of an update; see `clearedPlaces`. */
export function clearUsages(pass: Pass, sent: Record<string, unknown>): Pass {
  const cleared = clearedPlaces(sent);
  if (cleared === 'all') return { ...pass, placesUsedAt: null };
  if (cleared.length === 0) return pass;
  const left = Object.entries(pass.placesUsedAt ?? {}).filter(([place]) => !cleared.includes(place));
  return { ...pass, placesUsedAt: left.length > 0 ? Object.fromEntries(left) : null };
}
