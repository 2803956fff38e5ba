/** Limits that several features share. */
export const BODY_BYTES_MAX = 1024 * 1024;
export const BULK_BODY_BYTES_MAX = 10 * 1024 * 1024;
export const PAGE_SIZE_MAX = 100;
/** Maximum size of a template file, images included. */
export const IMPORT_BYTES_MAX = 10 * 1024 * 1024;
/** Also Apple's limit for a `.pkpasses` file. */
export const BUNDLE_PASSES_MAX = 10;
/** Languages in which a pass can have its own background image. Each is a URL to fetch. */
export const LOCALIZED_IMAGES_MAX = 50;
/** Longest text of a single pass or template field. A D1 row holds 2 MB, and a wallet shows far less. */
export const TEXT_CHARS_MAX = 10_000;
/** Longest image source in characters: a URL, or base64. */
export const IMAGE_SOURCE_CHARS_MAX = 8_000_000;
/** Longest identifier that a caller chooses (userProvidedId, barcode value, bundleId, grouping identifier). */
export const NAME_CHARS_MAX = 500;
/**
 * Characters of all texts of one card together, with placeholders filled and translations included: about one page, and
 * as much as a pass file can use.
 */
export const CARD_TEXT_CHARS_MAX = 65_536;
/** Characters of all values of a pass together. A page of a list has 100 passes, in the memory of one isolate. */
export const PASS_VALUES_CHARS_MAX = 65_536;
/** Characters of the values that a scan records for the questions of its app configuration. */
export const SCAN_VALUES_CHARS_MAX = 20_000;
/** Characters of a stored definition, without its templates of e-mails. Searches read many definitions at a time. */
export const DEFINITION_CHARS_MAX = 250_000;
/** Languages of a template or a place. A pass file has all texts in each. */
export const LANGUAGES_MAX = 60;
/** Characters of a template's translated texts, counted in each language. Fully translated ones have 32,768 at most. */
export const TRANSLATED_CHARS_MAX = 500_000;
/** Characters of any other text after its placeholders are filled. Mail templates may have half as many. */
export const FILLED_TEXT_CHARS_MAX = 1_000_000;
