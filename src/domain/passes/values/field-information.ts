import type { StoredDefinition } from '../../templates/definition.ts';
import { FLIGHT_INFORMATION, isFieldUsed, isFlight } from './used-fields.ts';

/** Field of a template that callers can fill. */
export interface FieldInformation {
  type: 'unicode' | 'datetime';
  key: string;
  required: boolean;
  label: string;
}

const BUILT_IN: [key: string, label: string, isTime?: true][] = [
  ['userProvidedId', 'User provided ID'],
  ['barcodeValue', 'Barcode value'],
  ['barcodeAlternativeText', 'Alternative barcode text'],
  ['storedValue', 'Stored value'],
  ['emailRecipient', 'E-mail recipient'],
  ['phoneRecipient', 'Phone recipient'],
  ['expirationDate', 'Expiration date', true],
  ['relevantDate', 'Relevant date', true],
  ['urlToThumbnail', 'URL to thumbnail'],
  ['urlToBackground', 'URL to background'],
  ['urlToLogo', 'URL to logo'],
  ['localizedBackgroundImages', 'Localized background images'],
  ['groupingIdentifier', 'Grouping identifier'],
  ['eligibleValidationPlaces', 'Eligible validation places'],
  ['downloadPin', 'Download PIN'],
];

const DATE_PROPERTIES = new Set(['date', 'datetime']);

/** Fields that a caller can fill: built-in fields that the definition uses, flight fields, additional properties. */
export function fieldInformation(definition: StoredDefinition): FieldInformation[] {
  const field = (isTime: boolean, key: string, required: boolean, label: string): FieldInformation => ({
    type: isTime ? 'datetime' : 'unicode',
    key,
    required,
    label,
  });
  const flight = isFlight(definition) ? FLIGHT_INFORMATION : [];
  return [
    ...BUILT_IN.filter(([key]) => isFieldUsed(definition, key)).map(([key, label, isTime = false]) =>
      field(isTime, key, false, label),
    ),
    ...flight.map(({ isTime, key, required, label }) => field(isTime, key, required, label)),
    ...definition.additionalProperties.map(({ type, id, required, name }) =>
      field(DATE_PROPERTIES.has(type), id, required, name),
    ),
  ];
}
