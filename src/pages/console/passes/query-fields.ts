import type { StoredDefinition } from '../../../domain/templates/definition.ts';

/** Determines how values of a field are compared. */
export type FieldKind = 'text' | 'number' | 'date' | 'flag';

/** A field that can be used in a query. */
export interface QueryField {
  name: string;
  label: string;
  kind: FieldKind;
}

/** Fields that all passes have. */
const BUILT_IN: QueryField[] = [
  { name: 'userProvidedId', label: 'External ID', kind: 'text' },
  { name: 'identifier', label: 'Identifier', kind: 'text' },
  { name: 'generatedId', label: 'Readable identifier', kind: 'text' },
  { name: 'barcodeValue', label: 'Barcode value', kind: 'text' },
  { name: 'barcodeAlternativeText', label: 'Text below the barcode', kind: 'text' },
  { name: 'passTemplateName', label: 'Template name', kind: 'text' },
  { name: 'emailRecipient', label: 'E-mail of the holder', kind: 'text' },
  { name: 'phoneRecipient', label: 'Phone of the holder', kind: 'text' },
  { name: 'bundleId', label: 'Bundle', kind: 'text' },
  { name: 'groupingIdentifier', label: 'Grouping identifier', kind: 'text' },
  { name: 'voided', label: 'Voided', kind: 'flag' },
  { name: 'redeemed', label: 'Redeemed', kind: 'flag' },
  { name: 'active', label: 'On a device', kind: 'flag' },
  { name: 'numberOfActive', label: 'Devices', kind: 'number' },
  { name: 'numberOfInactive', label: 'Removed from devices', kind: 'number' },
  { name: 'numberOfPrinted', label: 'Printed', kind: 'number' },
  { name: 'storedValue', label: 'Stored value', kind: 'number' },
  { name: 'createdOn', label: 'Created', kind: 'date' },
  { name: 'modifiedOn', label: 'Changed', kind: 'date' },
  { name: 'firstDownloadedAt', label: 'First added to a wallet', kind: 'date' },
  { name: 'lastUsage', label: 'Last scanned', kind: 'date' },
  { name: 'validAsOfDate', label: 'Valid from', kind: 'date' },
  { name: 'expirationDate', label: 'Expires', kind: 'date' },
  { name: 'effectiveExpirationDate', label: 'Expires (including template rules)', kind: 'date' },
  { name: 'relevantDate', label: 'Relevant at', kind: 'date' },
  { name: 'downloadEnabledUntil', label: 'Downloads allowed until', kind: 'date' },
  { name: 'eligibleValidationPlaces', label: 'Validation place', kind: 'text' },
  { name: 'labelColor', label: 'Label color', kind: 'text' },
  { name: 'foregroundColor', label: 'Text color', kind: 'text' },
  { name: 'backgroundColor', label: 'Background color', kind: 'text' },
  { name: 'footerBackgroundColor', label: 'Footer background color', kind: 'text' },
  { name: 'urlToThumbnail', label: 'Thumbnail URL', kind: 'text' },
  { name: 'urlToBackground', label: 'Background image URL', kind: 'text' },
  { name: 'urlToLogo', label: 'Logo URL', kind: 'text' },
];

const PROPERTY_KINDS: Partial<Record<string, FieldKind>> = {
  number: 'number',
  date: 'date',
  datetime: 'date',
  checkbox: 'flag',
};

/** Returns the fields for queries. With a template, its own fields come first. */
export function queryFields(definition: StoredDefinition | undefined): QueryField[] {
  const own = (definition?.additionalProperties ?? []).map(({ id, name, type }) => ({
    name: id,
    label: name,
    kind: PROPERTY_KINDS[type] ?? ('text' as const),
  }));
  return [...own, ...BUILT_IN];
}

const ORDER = [
  ['greaterThan', 'is greater than'],
  ['greaterThanOrEquals', 'is at least'],
  ['lowerThan', 'is less than'],
  ['lowerThanOrEquals', 'is at most'],
] as const;
const DATES = [
  ['equals', 'is on'],
  ['notEquals', 'is not on'],
  ['greaterThan', 'is after'],
  ['greaterThanOrEquals', 'is from'],
  ['lowerThan', 'is before'],
  ['lowerThanOrEquals', 'is until'],
] as const;
const PRESENCE = [
  ['notEmpty', 'is not empty'],
  ['empty', 'is empty'],
] as const;

/** Operators by field kind, with their titles. */
export const OPERATORS_OF: Record<FieldKind, readonly (readonly [name: string, title: string])[]> = {
  text: [
    ['equals', 'is'],
    ['notEquals', 'is not'],
    ['contains', 'contains'],
    ['doesNotContain', 'does not contain'],
    ['beginsWith', 'begins with'],
    ['endsWith', 'ends with'],
    ...PRESENCE,
  ],
  number: [['equals', 'is'], ['notEquals', 'is not'], ...ORDER, ...PRESENCE],
  date: [...DATES, ...PRESENCE],
  flag: [
    ['isTrue', 'is yes'],
    ['isFalse', 'is no'],
  ],
};

/** Operators without a value. */
export const WITHOUT_VALUE = new Set(['empty', 'notEmpty', 'isTrue', 'isFalse']);
