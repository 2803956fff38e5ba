import { SEMANTIC_TAGS } from '../../../domain/templates/apple/semantic-tags.ts';

/* A pass file is an example: parts of it belong to one holder, visit or journey. */

/** Tags that belong to one holder, in addition to those of a journey. */
const PERSONAL_TAGS = new Set([
  'admissionLevel',
  'admissionLevelAbbreviation',
  'additionalTicketAttributes',
  'attendeeName',
  'balance',
  'entranceDescription',
  'seats',
  'totalPrice',
  'venueEntrance',
  'venueEntranceDoor',
  'venueEntranceGate',
  'venueEntrancePortal',
]);
const ONE_JOURNEY = new Set(['air', 'rail', 'boarding', 'journey']);

/** Returns whether a semantic tag of an example must not be on all passes of a template. */
export function isOfOnePass(tag: string): boolean {
  const style = Object.hasOwn(SEMANTIC_TAGS, tag) ? SEMANTIC_TAGS[tag]!.style : undefined;
  return PERSONAL_TAGS.has(tag) || (style !== undefined && ONE_JOURNEY.has(style));
}

/** Members that passes have and templates don't, and why they are left out. */
export const MEMBERS_OF_A_PASS: Record<string, string> = {
  passTypeIdentifier: 'passes are signed with a certificate of your account',
  teamIdentifier: 'passes are signed with a certificate of your account',
  serialNumber: 'each pass gets its own',
  authenticationToken: 'each pass gets its own',
  webServiceURL: 'passes get their updates from this service',
  groupingIdentifier: 'it belongs to one pass; passes of the template can have one',
  voided: 'it is the state of one pass',
  nfc: 'its message belongs to one pass, and its key to the readers of another issuer',
};

/** Returns whether an address has a query or fragment, which may lead to one holder's booking or account. */
export function isAddressOfOnePass(text: string): boolean {
  // Other texts can begin like an address, such as "Doors: when?".
  return /^\s*[a-z][a-z0-9+.-]*:(\/\/.*|\S*)[?#]/is.test(text) && URL.canParse(text);
}

/** Why such an address is left out. */
export const ADDRESS_OF_ONE_PASS = 'the address may belong to the holder of the example pass; left out';

/** Returns whether the files belong to an issued or example pass, and not to a template. */
export function isExamplePass(names: ReadonlyMap<string, unknown>, pass: Record<string, unknown>): boolean {
  if (names.has('signature') || names.has('manifest.json')) return true;
  return pass.serialNumber !== undefined || pass.authenticationToken !== undefined;
}
