import { parseDate, parseDateTime } from '../../../platform/dates.ts';
import { invalidInput } from '../../check.ts';
import type { AccountContext } from '../../context.ts';
import { invalidField } from '../../errors.ts';
import { NO_SUCH_DATE } from '../../fields.ts';
import { signerFor } from '../../signing-keys/signer.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { timeZoneOf } from '../../templates/time-zone.ts';
import { fillPlaceholders, type PlaceholderSource } from '../card/placeholders.ts';
import { pendingImages } from '../images/pass-images.ts';
import type { Pass } from '../table.ts';
import { compact, FlightFields, type PassAppearance, type PassFields } from './pass-fields.ts';
import { isFieldUsed, isFlight } from './used-fields.ts';

/** Columns that `passValues` takes from an existing pass. */
interface Known {
  flight?: FlightFields | null;
  /** Current validation places of the pass. They stay valid even if the template no longer has them. */
  places?: string[];
}

/** Converts dates to UTC milliseconds and leaves out fields that the template doesn't use. Throws `invalid`. */
export function passValues(
  ctx: AccountContext,
  definition: StoredDefinition,
  fields: PassFields,
  { flight = isFlight(definition) ? readFlight(fields) : null, places }: Known = {},
) {
  const timezone = timeZoneOf(ctx.account, definition);
  const used = (key: 'groupingIdentifier' | 'downloadPin') =>
    isFieldUsed(definition, key) ? fields[key] || null : null;
  checkPlaces([...definition.validValidationPlaces, ...(places ?? [])], fields.eligibleValidationPlaces);
  return {
    userProvidedId: fields.userProvidedId || null,
    barcodeAlternativeText: fields.barcodeAlternativeText ?? null,
    storedValue: fields.storedValue ?? null,
    ...passDates(fields, timezone),
    groupingIdentifier: used('groupingIdentifier'),
    bundleId: fields.bundleId || null,
    emailRecipient: fields.emailRecipient || null,
    phoneRecipient: fields.phoneRecipient || null,
    downloadPin: used('downloadPin'),
    appearance: appearanceOf(definition, fields),
    flight,
  };
}

/** Reads dates in `timezone`. Throws `invalid` for a date that doesn't exist. */
export function passDates(fields: PassFields, timezone: string) {
  return {
    expirationAt: readDate(fields.expirationDate, 'expirationDate', timezone),
    relevantAt: readDate(fields.relevantDate, 'relevantDate', timezone),
    validAsOfAt: readDate(fields.validAsOfDate, 'validAsOfDate', timezone),
  };
}

function appearanceOf(definition: StoredDefinition, fields: PassFields): PassAppearance {
  const { labelColor, foregroundColor, backgroundColor, footerBackgroundColor } = fields;
  return compact({
    colors: { labelColor, foregroundColor, backgroundColor, footerBackgroundColor },
    locations: fields.locations ?? undefined,
    eligibleValidationPlaces: fields.eligibleValidationPlaces ?? undefined,
    pendingImages: pendingImages(definition, fields),
  });
}

/** Returns the flight fields among a pass's fields; throws `invalid` for those that are missing or wrong. */
export function readFlight(fields: Record<string, unknown>): FlightFields {
  const result = FlightFields.safeParse(fields);
  if (!result.success) throw invalidInput(result.error.issues);
  // Cleared fields are left out, so that equal flights are equal JSON.
  return Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== null)) as FlightFields;
}

/** Unknown places that an error names. */
const NAMED_MAX = 5;

function checkPlaces(known: string[], places: string[] | null | undefined): void {
  const unknown = places?.filter((place) => !known.includes(place)) ?? [];
  if (unknown.length > 0) {
    throw invalidField(
      'eligibleValidationPlaces',
      `not among the template's validValidationPlaces: ${unknown.slice(0, NAMED_MAX).join(', ').slice(0, 500)}`,
    );
  }
}

function readDate(text: string | null | undefined, field: string, timezone: string): number | null {
  if (!text) return null;
  const millis = parseDateTime(text, timezone) ?? parseDate(text, timezone);
  if (millis === undefined) {
    throw invalidField(field, `"${text}" ${NO_SUCH_DATE}`);
  }
  return millis;
}

/**
 * Returns the text from which barcode values are built; empty if each pass has its own. Flights default to the code
 * that airports read.
 */
export function barcodeText(definition: StoredDefinition): string {
  const { value, useAutoIdForValue, valueDifferentForEachPass } = definition.barcode;
  if (useAutoIdForValue || valueDifferentForEachPass) return '';
  return value || (isFlight(definition) ? '{bcbp}' : '');
}

const SIGNATURE_AT_END = '{sign()}';

/** Builds a barcode value from the text. A signature at its end covers the text before it. */
export function filledBarcode(text: string, source: PlaceholderSource): string {
  if (!text.endsWith(SIGNATURE_AT_END)) return fillPlaceholders(text, source);
  const signed = fillPlaceholders(text.slice(0, -SIGNATURE_AT_END.length), source);
  return signed === '' ? fillPlaceholders(text, source) : signed + source.signer!.sign(signed);
}

/**
 * Returns the barcode value of a pass that has none: the template's text, if it defines one, otherwise the generatedId.
 * Custom numbers are assigned only when the pass is created.
 */
export async function defaultBarcode(ctx: AccountContext, definition: StoredDefinition, pass: Pass): Promise<string> {
  const { generatedId } = pass;
  const text = barcodeText(definition);
  if (definition.customNumberRange || text === '') return generatedId;
  const signer = await signerFor(ctx, text);
  const shown = { ...pass, barcodeValue: generatedId };
  const source = { pass: shown, definition, timezone: timeZoneOf(ctx.account, definition), links: ctx, signer };
  return filledBarcode(text, source) || generatedId;
}
