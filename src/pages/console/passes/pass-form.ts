import { normalizeColor } from '../../../domain/fields.ts';
import { PASS_IMAGE_FIELDS, PASS_IMAGE_ROLES } from '../../../domain/passes/images/pass-images.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import { FLIGHT_INFORMATION, isFieldUsed, isFlight } from '../../../domain/passes/values/used-fields.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import { formatMinute } from '../../../platform/dates.ts';
import { own } from '../../../platform/json.ts';
import { lineOf, locationOf } from './location-lines.ts';

/** Type of a field's input. `lines`: one entry per line. `flag`: yes, no, or empty. */
export type InputKind =
  | 'text'
  | 'textarea'
  | 'email'
  | 'tel'
  | 'url'
  | 'number'
  | 'date'
  | 'datetime'
  | 'choice'
  | 'flag'
  | 'color'
  | 'lines';

/** Groups of the form, in order. */
export const FORM_GROUPS = ['Data fields', 'Flight', 'Identity', 'Holder', 'Validity', 'Design'] as const;

/** A writable field of a pass, for forms, imports and bulk changes. Form values are text; `send` converts them. */
export interface FormField {
  /** Name of the field in the domain. */
  key: string;
  label: string;
  kind: InputKind;
  group: (typeof FORM_GROUPS)[number];
  required: boolean;
  hint?: string;
  options?: string[];
  /** Value of a new pass by default. */
  default?: string;
  /** Whether an empty value keeps the stored one. Image addresses are not stored, so their inputs start empty. */
  emptyKeeps?: boolean;
  /** Returns the value of a pass. */
  read(pass: Pass, timezone: string): string;
  /** Converts a non-empty text for the domain. */
  send(text: string): unknown;
}

type Given = Partial<FormField> & Pick<FormField, 'key' | 'label' | 'kind' | 'group'>;

/**
 * Returns the template's own fields, then the built-in ones that it uses. Without a definition, returns all built-in
 * fields.
 */
export function formFields(definition: StoredDefinition | undefined): FormField[] {
  const own = definition ? [...propertyFields(definition), ...(isFlight(definition) ? flightFields() : [])] : [];
  return [
    ...own,
    ...identityFields(definition),
    ...holderFields(definition),
    ...validityFields(definition),
    ...lookFields(definition),
  ];
}

function field(given: Given): FormField {
  const column = given.key as keyof Pass;
  return {
    required: false,
    read: (pass) => textOf(pass[column]),
    send: SENDERS[given.kind] ?? ((text) => text),
    ...given,
  };
}

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));

/**
 * Converts dates of forms and spreadsheets, such as `2026-11-20T14:30:00`, to the domain's `2026-11-20 14:30`. A date
 * alone gets the time.
 */
const dateTime = (text: string, dateOnly = '00:00') =>
  text.trim().replace(/^([\d-]{10})(?:[ T](\d\d:\d\d)(:\d\d)?)?$/, (_, date, time = dateOnly) => `${date} ${time}`);

const SENDERS: Partial<Record<InputKind, FormField['send']>> = {
  datetime: dateTime,
  number: (text) => text.trim(),
  flag: (text) => own(FLAGS, text.trim().toLowerCase()) ?? text,
  color: (text) => normalizeColor(text.trim()),
  lines: (text) => linesOf(text),
};

const FLAGS: Record<string, boolean> = {
  true: true,
  yes: true,
  '1': true,
  x: true,
  false: false,
  no: false,
  '0': false,
};

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PROPERTY_KINDS: Partial<Record<string, InputKind>> = {
  textarea: 'textarea',
  email: 'email',
  number: 'number',
  date: 'date',
  datetime: 'datetime',
  checkbox: 'flag',
  select: 'choice',
  radiobutton: 'choice',
};

function propertyFields({ additionalProperties }: StoredDefinition): FormField[] {
  return additionalProperties.map(({ id, name, type, required, unique, default: fallback, options }) =>
    field({
      key: id,
      label: name,
      kind: PROPERTY_KINDS[type] ?? 'text',
      group: 'Data fields',
      required,
      hint: unique ? 'Unique among the passes of its template' : undefined,
      options: options ?? undefined,
      default: fallback ?? undefined,
      read: (pass) => textOf(pass.properties[id]),
    }),
  );
}

/** A pass stores local times as `2026-11-20T14:30`. */
function flightFields(): FormField[] {
  return FLIGHT_INFORMATION.map(({ key, label, isTime, required }) =>
    field({
      key,
      label,
      kind: isTime ? 'datetime' : 'text',
      group: 'Flight',
      required,
      hint: isTime ? 'Local time of its airport' : undefined,
      read: (pass) => textOf(pass.flight?.[key]),
      send: (text) => (isTime ? dateTime(text).replace(' ', 'T') : text),
    }),
  );
}

/** Without a definition, the template is unknown, so all fields count as used. */
const isUsed = (definition: StoredDefinition | undefined, key: string) => !definition || isFieldUsed(definition, key);

function identityFields(definition: StoredDefinition | undefined): FormField[] {
  const text = (key: string, label: string, hint?: string) =>
    field({ key, label, kind: 'text', group: 'Identity', hint });
  const list = [
    text('userProvidedId', 'External ID', 'userProvidedId: the ID of this pass in your system'),
    text('barcodeValue', 'Barcode value', 'Leave empty to generate a value'),
    text('barcodeAlternativeText', 'Text below the barcode'),
    text('groupingIdentifier', 'Grouping identifier'),
    text('bundleId', 'Bundle', 'Passes in a bundle share a page, and the holder adds all of them with one tap'),
  ];
  return list.filter(({ key }) => isUsed(definition, key));
}

function holderFields(definition: StoredDefinition | undefined): FormField[] {
  const sendout = definition?.sendoutOptions;
  const [byMail, bySms] = [sendout?.passCreationNotification, sendout?.sms];
  const one = (key: string, label: string, kind: InputKind, hint?: string) =>
    field({ key, label, kind, group: 'Holder', hint });
  return [
    one('emailRecipient', 'E-mail of the holder', 'email', byMail ? 'Gets the pass by e-mail' : undefined),
    one('phoneRecipient', 'Phone of the holder', 'tel', bySms ? 'Gets the pass by SMS' : undefined),
    one('storedValue', 'Stored value', 'number', 'For example points, credit or remaining uses'),
    ...(isUsed(definition, 'downloadPin')
      ? [one('downloadPin', 'Download PIN', 'text', '4 to 64 characters, for example 4711')]
      : []),
  ];
}

function validityFields(definition: StoredDefinition | undefined): FormField[] {
  const date = (key: string, label: string, column: 'validAsOfAt' | 'expirationAt' | 'relevantAt', hint?: string) =>
    field({
      key,
      label,
      kind: 'datetime',
      group: 'Validity',
      hint,
      read: (pass, timezone) => (pass[column] === null ? '' : formatMinute(pass[column], timezone)),
      send: (text) => dateTime(text, column === 'expirationAt' ? '23:59' : undefined),
    });
  const places = definition?.validValidationPlaces ?? [];
  const dates = [
    date('validAsOfDate', 'Valid from', 'validAsOfAt'),
    date('expirationDate', 'Expires', 'expirationAt'),
    date('relevantDate', 'Relevant at', 'relevantAt', 'Phones suggest the pass on the lock screen around this time'),
  ];
  if (places.length === 0) return dates;
  const eligible = field({
    key: 'eligibleValidationPlaces',
    label: 'Validation places',
    kind: 'lines',
    group: 'Validity',
    hint: `One per line. Possible places: ${places.join(', ')}`,
    read: ({ appearance }) => (appearance.eligibleValidationPlaces ?? []).join('\n'),
  });
  return [...dates, eligible];
}

const COLORS = [
  ['backgroundColor', 'Background color'],
  ['foregroundColor', 'Text color'],
  ['labelColor', 'Label color'],
  ['footerBackgroundColor', 'Footer color'],
] as const;

function lookFields(definition: StoredDefinition | undefined): FormField[] {
  const colors = COLORS.map(([key, label]) =>
    field({
      key,
      label,
      kind: 'color',
      group: 'Design',
      hint: 'Example: #1d3557',
      read: ({ appearance }) => appearance.colors?.[key] ?? '',
    }),
  );
  const images = PASS_IMAGE_ROLES.map((role) =>
    field({
      key: PASS_IMAGE_FIELDS[role],
      label: `Address of the ${role}`,
      kind: 'url',
      group: 'Design',
      hint: 'The image is downloaded once and stored. Leave empty to keep the current image',
      emptyKeeps: true,
      read: () => '',
    }),
  );
  const localized = field({
    key: 'localizedBackgroundImages',
    label: 'Backgrounds by language',
    kind: 'lines',
    group: 'Design',
    hint: 'One per line: language and address, such as "de https://example.com/de.png". A language without an address loses its background.',
    emptyKeeps: true,
    read: () => '',
    send: (text) => Object.fromEntries(linesOf(text).map((line) => [...line.split(/\s+/, 2), null].slice(0, 2))),
  });
  const locations = field({
    key: 'locations',
    label: 'Locations',
    kind: 'lines',
    group: 'Design',
    hint: 'One per line: latitude, longitude, text for the lock screen',
    read: ({ appearance }) => (appearance.locations ?? []).map(lineOf).join('\n'),
    send: (text) => linesOf(text).map(locationOf),
  });
  const used = [...images, localized].filter(({ key }) => definition && isFieldUsed(definition, key));
  return [...colors, ...used, locations];
}
