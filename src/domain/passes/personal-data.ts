import type { StoredDefinition } from '../templates/definition.ts';
import { shownTokens } from './page/links.ts';
import type { Pass } from './table.ts';
import type { FlightFields } from './values/pass-fields.ts';

/** Fields of every pass that hold personal data, by their API names. */
export const PERSONAL_FIELDS = ['emailRecipient', 'phoneRecipient', 'downloadPin'] as const;

/** Fields of a flight that identify its passenger. */
export const PASSENGER_FIELDS = [
  'passengerName',
  'confirmationCode',
  'seatNumber',
  'sequenceNumber',
] as const satisfies (keyof FlightFields)[];

/** Fields of the code, which on a boarding pass contains the name of the passenger. */
export const CODE_FIELDS = ['barcodeValue', 'barcodeAlternativeText'] as const;

/** Returns the IDs of the additional properties that hold personal data. */
export function personalProperties(definition: Pick<StoredDefinition, 'additionalProperties'> | undefined): string[] {
  return (definition?.additionalProperties ?? []).filter(({ personal }) => personal).map(({ id }) => id);
}

/**
 * Returns the pass without personal data, for users who may not see it. The push text is removed too, because it may
 * quote a property, and so are the secrets of links. Only for display.
 */
export function withoutPersonalData(pass: Pass, definition: StoredDefinition): Pass {
  // Values of an earlier template, which this one doesn't know, may be personal too.
  const known = definition.additionalProperties.filter(({ personal }) => !personal);
  const shown = known.flatMap(({ id }) => (Object.hasOwn(pass.properties, id) ? [[id, pass.properties[id]!]] : []));
  return {
    ...pass,
    emailRecipient: null,
    phoneRecipient: null,
    downloadPin: null,
    pushText: null,
    // A card may show its links, which give access to everything.
    ...shownTokens({ page: pass.id, file: '', authentication: '' }),
    bundlePageToken: null,
    properties: Object.fromEntries(shown),
    ...withoutPassenger(pass),
  };
}

/** Returns the fields of a boarding pass without its passenger; nothing for other passes. */
export function withoutPassenger({
  flight,
  barcodeAlternativeText,
}: Pass): Partial<Pick<Pass, 'flight' | (typeof CODE_FIELDS)[number]>> {
  if (!flight) return {};
  return {
    flight: { ...flight, passengerName: '', confirmationCode: '', seatNumber: null, sequenceNumber: null },
    barcodeValue: '',
    barcodeAlternativeText: barcodeAlternativeText === null ? null : '',
  };
}
