import type { StoredDefinition } from '../../templates/definition.ts';
import { FlightFields } from './flight-fields.ts';
import { isFlight } from './pass-values.ts';

/** One fillable field of a template. */
export interface FieldInformation {
  type: 'unicode' | 'datetime';
  key: string;
  required: boolean;
  label: string;
}

interface BuiltIn {
  key: string;
  label: string;
  type?: FieldInformation['type'];
  /** Whether templates of this definition use the field; absent: all do. */
  usedBy?: (definition: StoredDefinition) => boolean;
}

const isTicketOrBoarding = ({ type }: StoredDefinition) => /^(eventTicket|boardingPass)/.test(type);

const BUILT_IN: BuiltIn[] = [
  { key: 'userProvidedId', label: 'User provided ID' },
  { key: 'barcodeValue', label: 'Barcode value' },
  { key: 'barcodeAlternativeText', label: 'Alternative barcode text' },
  { key: 'storedValue', label: 'Stored value' },
  { key: 'emailRecipient', label: 'E-mail recipient', usedBy: (d) => !!d.sendoutOptions.passCreationNotification },
  { key: 'phoneRecipient', label: 'Phone recipient', usedBy: (d) => !!d.sendoutOptions.sms },
  {
    key: 'expirationDate',
    label: 'Expiration date',
    type: 'datetime',
    usedBy: (d) => d.expiration.expirationDateDifferentForEachPass,
  },
  { key: 'relevantDate', label: 'Relevant date', type: 'datetime', usedBy: (d) => d.relevantDateDifferentForEachPass },
  { key: 'urlToThumbnail', label: 'URL to thumbnail', usedBy: (d) => d.images.perPassImages.thumbnail },
  { key: 'urlToBackground', label: 'URL to background', usedBy: (d) => d.images.perPassImages.background },
  { key: 'urlToLogo', label: 'URL to logo', usedBy: (d) => d.images.perPassImages.logo },
  {
    key: 'localizedBackgroundImages',
    label: 'Localized background images',
    usedBy: (d) => d.images.perPassImages.background && d.translationsEnabled,
  },
  {
    key: 'groupingIdentifier',
    label: 'Grouping identifier',
    usedBy: (d) => d.groupingIdentifierEnabled && isTicketOrBoarding(d),
  },
  {
    key: 'eligibleValidationPlaces',
    label: 'Eligible validation places',
    usedBy: (d) => d.validValidationPlaces.length > 0,
  },
  { key: 'downloadPin', label: 'Download PIN', usedBy: (d) => d.downloadPinEnabled },
];

const DATE_PROPERTIES = new Set(['date', 'datetime']);

/** What a caller can fill: built-in fields that the definition uses, flight fields, additional properties. */
export function fieldInformation(definition: StoredDefinition): FieldInformation[] {
  const builtIn = BUILT_IN.filter((field) => field.usedBy?.(definition) ?? true).map(
    ({ key, label, type = 'unicode' }): FieldInformation => ({ type, key, required: false, label }),
  );
  const properties = definition.additionalProperties.map(
    (property): FieldInformation => ({
      type: DATE_PROPERTIES.has(property.type) ? 'datetime' : 'unicode',
      key: property.id,
      required: property.required,
      label: property.name,
    }),
  );
  return [...builtIn, ...(isFlight(definition) ? flightInformation() : []), ...properties];
}

function flightInformation(): FieldInformation[] {
  return Object.entries(FlightFields.shape).map(
    ([key, schema]): FieldInformation => ({
      type: /Time$/.test(key) ? 'datetime' : 'unicode',
      key,
      required: !schema.safeParse(null).success,
      label: words(key),
    }),
  );
}

/** `localBoardingDateTime` as `Local boarding date time`. */
function words(name: string): string {
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced[0]!.toUpperCase() + spaced.slice(1);
}
