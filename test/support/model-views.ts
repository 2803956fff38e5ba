import { expect } from 'vitest';
import type { ModelPass } from './model.ts';

/** Returns what v1's read of a pass must show. */
export function v1Read(origin: string, page: string, { identity, content }: ModelPass) {
  const { template } = content;
  return {
    ...v1Item(origin, page, { identity, content }),
    lastUsage: null,
    storedValue: content.storedValue,
    eligiblePlaces: content.eligiblePlaces ?? [],
    placesUsedAt: [],
    downloadPin: content.downloadPin,
    bundleId: content.bundleId,
    ...content.flight,
    fieldMapping: Object.fromEntries(template.properties.map(({ name, id }) => [name, id])),
  };
}

/** Returns what v1's list must show of a pass. */
export function v1Item(origin: string, page: string, { identity, content }: ModelPass) {
  const { identifier, generatedId, file, createdOn, modifiedOn } = identity;
  return {
    identifier,
    uri: `${origin}/api/pass/${identifier}`,
    generatedId,
    searchString: expect.stringContaining(content.barcodeValue),
    passData: expect.any(String),
    voided: content.voided,
    redeemed: false,
    createdOn,
    modifiedOn,
    expirationDate: content.expirationDate ? `${content.expirationDate}:00` : '',
    userProvidedId: content.userProvidedId ?? '',
    passTemplateGuid: content.template.id,
    passTemplateName: content.template.name,
    linkToPassPage: page,
    thumbnail: null,
    qrCodeImage: file.replace(/pkpass$/, 'png'),
    barcodeValue: content.barcodeValue,
    numberOfActive: 0,
    numberOfInactive: 0,
    numberOfPrinted: 0,
    passFieldData: content.properties,
  };
}

const SAVE_LINK = expect.stringMatching(/^https:/);

/** Fields that the random requests never fill. */
const NONE = {
  backgroundColor: null,
  barcodeAlternativeText: null,
  downloadEnabledUntil: null,
  emailRecipient: null,
  footerBackgroundColor: null,
  foregroundColor: null,
  groupingIdentifier: null,
  importErrors: [],
  labelColor: null,
  localizedBackgroundImages: null,
  locations: [],
  phoneRecipient: null,
  placesUsedAt: [],
  relevantDate: null,
  urlToBackground: null,
  urlToLogo: null,
  urlToThumbnail: null,
  validAsOfDate: null,
};

/** Returns what v3's read must have in `data`. */
export function v3Read(page: string, { identity, content }: ModelPass) {
  const { identifier, generatedId, file, createdOn, modifiedOn } = identity;
  return {
    ...content.properties,
    ...content.flight,
    identifier,
    userProvidedId: content.userProvidedId,
    barcodeValue: content.barcodeValue,
    generatedId,
    templateId: content.template.id,
    passTemplateName: content.template.name,
    downloadPage: page,
    linkToPassPage: page,
    passFileUri: file,
    // At Google, a flight stays a flight; whether Google got the pass in time depends on timing.
    walletSaveUri: content.wasFlight ? expect.toBeOneOf([null, SAVE_LINK]) : SAVE_LINK,
    createdOn,
    modifiedOn,
    ...NONE,
    expirationDate: content.expirationDate ? `${content.expirationDate}:00` : null,
    effectiveExpirationDate: content.expirationDate ? `${content.expirationDate}:00` : null,
    downloadPin: content.downloadPin,
    eligibleValidationPlaces: content.eligiblePlaces ?? [],
    voided: content.voided,
    redeemed: false,
    storedValue: content.storedValue,
    bundleId: content.bundleId,
    numberOfActive: 0,
    numberOfInactive: 0,
    firstDownloadedAt: null,
  };
}

/** Returns `genericProperties` of a write's reply: the values of the template's properties by name. */
export function namedValues({ content }: ModelPass) {
  const named = content.template.properties.map(({ name, id }) => [name, content.properties[id]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
