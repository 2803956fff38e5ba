import { expect } from 'vitest';
import type { ModelPass } from './model.ts';

/** What the v1 read of a pass must show. */
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

/** What a v1 list must show of a pass. */
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

/** What `data` of a v3 read must show. */
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
    // What Google got as a flight ends there with it; whether it got the pass before is a matter of time.
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

/** `genericProperties` of the reply to a write: the values of the template's properties under their names. */
export function namedValues({ content }: ModelPass) {
  const named = content.template.properties.map(({ name, id }) => [name, content.properties[id]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
