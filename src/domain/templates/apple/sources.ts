/* Pages that document Apple Wallet. */

const DOCS = 'https://developer.apple.com/documentation/walletpasses';
export const SOURCES = {
  pass: `${DOCS}/pass`,
  fields: `${DOCS}/passfields`,
  fieldContent: `${DOCS}/passfieldcontent`,
  barcodes: `${DOCS}/pass/barcodes-data.dictionary`,
  beacons: `${DOCS}/pass/beacons-data.dictionary`,
  relevantDates: `${DOCS}/pass/relevantdates-data.dictionary`,
  nfc: `${DOCS}/pass/nfc-data.dictionary`,
  semanticTags: `${DOCS}/semantictags`,
  posterEvent: `${DOCS}/creating-an-event-pass-using-semantic-tags`,
  boarding: `${DOCS}/creating-an-airline-boarding-pass-using-semantic-tags`,
  posterGeneric: `${DOCS}/creating-a-poster-generic-pass`,
  actions: `${DOCS}/defining-the-metadata-of-your-wallet-pass`,
  upcoming: `${DOCS}/upcomingpassinformationentry`,
  source: `${DOCS}/creating-the-source-for-a-pass`,
  design: 'https://developer.apple.com/design/human-interface-guidelines/wallet',
  validator: 'https://github.com/apple/pass-builder (EventTicketValidator)',
  seatValidator: 'https://github.com/apple/pass-builder (SeatValidator)',
  imageValidator: 'https://github.com/apple/pass-builder (RequiredImagesValidator)',
} as const;
