import type { AccountContext } from '../context.ts';
import type { DefinedPass } from './find-pass.ts';
import { FLIGHT_FIELD_NAMES } from './flight-fields.ts';
import { compact, type PassAppearance, type PassFields } from './pass-fields.ts';
import { PASS_IMAGE_FIELDS, PASS_IMAGE_ROLES, pendingAfter } from './pass-images.ts';
import { isFlight, type PassValues, passValues, readFlight } from './pass-values.ts';
import type { Pass } from './table.ts';

/** Which field fills which column; the columns that one field fills alone. */
const COLUMN_OF: Partial<Record<string, keyof PassValues>> = {
  userProvidedId: 'userProvidedId',
  barcodeAlternativeText: 'barcodeAlternativeText',
  storedValue: 'storedValue',
  expirationDate: 'expirationAt',
  relevantDate: 'relevantAt',
  validAsOfDate: 'validAsOfAt',
  groupingIdentifier: 'groupingIdentifier',
  bundleId: 'bundleId',
  emailRecipient: 'emailRecipient',
  phoneRecipient: 'phoneRecipient',
  downloadPin: 'downloadPin',
};

const COLORS = ['labelColor', 'foregroundColor', 'backgroundColor', 'footerBackgroundColor'] as const;

/** The columns that a partial update changes: those of the fields that were sent, where null clears. Throws `invalid` naming the field. */
export function passPatch(ctx: AccountContext, { pass, definition }: DefinedPass, fields: PassFields): Partial<Pass> {
  const sent = (name: string) => Object.hasOwn(fields, name) && fields[name] !== undefined;
  // A whole pass made of the sent fields alone says what each becomes; flights are merged first, because theirs are checked together.
  const flight =
    FLIGHT_FIELD_NAMES.some(sent) && isFlight(definition) ? readFlight({ ...pass.flight, ...fields }) : pass.flight;
  const values = passValues(ctx, definition, fields, flight);
  const patch: Partial<Pass> = { appearance: patchedAppearance(pass.appearance, values.appearance, fields), flight };
  for (const [field, column] of Object.entries(COLUMN_OF)) {
    if (sent(field)) Object.assign(patch, { [column!]: values[column!] });
  }
  if (fields.barcodeValue) patch.barcodeValue = fields.barcodeValue;
  return patch;
}

function patchedAppearance(before: PassAppearance, values: PassAppearance, fields: PassFields): PassAppearance {
  const pendingImages = pendingAfter(before.pendingImages, values.pendingImages, fields);
  const after: PassAppearance = { ...before, pendingImages };
  const colors = { ...before.colors };
  for (const color of COLORS) if (Object.hasOwn(fields, color)) colors[color] = values.colors?.[color];
  after.colors = colors;
  if (fields.locations !== undefined) after.locations = values.locations;
  if (fields.eligibleValidationPlaces !== undefined) after.eligibleValidationPlaces = values.eligibleValidationPlaces;
  const images = { ...before.images };
  for (const role of PASS_IMAGE_ROLES) if (fields[PASS_IMAGE_FIELDS[role]] === null) delete images[role];
  after.images = images;
  // The object that is sent says which languages there are; those that stay show what they have until theirs is imported.
  if (fields.localizedBackgroundImages !== undefined) {
    const languages = Object.keys(fields.localizedBackgroundImages ?? {});
    const kept = Object.entries(before.localizedBackgrounds ?? {}).filter(([language]) => languages.includes(language));
    after.localizedBackgrounds = Object.fromEntries(kept);
  }
  return compact(after);
}
