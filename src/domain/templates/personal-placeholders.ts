/**
 * Placeholders of a pass's own fields that belong to one holder, or open or identify one pass. Other personal values
 * are properties with `personal`, which have precedence over fields of the same name.
 */
export const PERSONAL_PLACEHOLDERS: ReadonlySet<string> = new Set([
  'emailRecipient',
  'phoneRecipient',
  'userProvidedId',
  'generatedId',
  'barcodeValue',
  'barcodeAlternativeText',
  'downloadPage',
  'bcbp',
  'passengerName',
  'confirmationCode',
  'seatNumber',
  'sequenceNumber',
]);
