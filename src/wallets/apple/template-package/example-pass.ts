import { SEMANTIC_TAGS } from '../../../domain/templates/apple/semantic-tags.ts';

/* A file of a pass is an example: parts of it belong to one holder, one visit or one journey. */

/** Tags of one holder, beside those of one journey. */
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

/** Whether a semantic tag of an example must not be on every pass of a template. */
export function isOfOnePass(tag: string): boolean {
  const style = Object.hasOwn(SEMANTIC_TAGS, tag) ? SEMANTIC_TAGS[tag]!.style : undefined;
  return PERSONAL_TAGS.has(tag) || (style !== undefined && ONE_JOURNEY.has(style));
}

/** Members that a pass has and a template does not, and why they are left out. */
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

/** Whether these files are those of a pass that was issued, or an example of one, and not a template. */
export function isExamplePass(names: ReadonlyMap<string, unknown>, pass: Record<string, unknown>): boolean {
  if (names.has('signature') || names.has('manifest.json')) return true;
  return pass.serialNumber !== undefined || pass.authenticationToken !== undefined;
}
