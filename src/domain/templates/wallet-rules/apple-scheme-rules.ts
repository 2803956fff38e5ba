import { APPLE_MEMBER_NAMES, APPLE_MEMBERS, type MemberStyle } from '../apple/members.ts';
import { schemeOf } from '../apple/schemes.ts';
import { POSTER_EVENT_TICKET_TAGS, posterTags, SEMANTIC_BOARDING_PASS_TAGS } from '../apple/semantic-tags.ts';
import { SOURCES } from '../apple/sources.ts';
import type { TemplateDefinition } from '../definition.ts';
import { FIELD_LISTS } from '../list-names.ts';
import type { Finding, Note } from './finding.ts';

/** Layouts of Apple Wallet that replace a classic style. */
export type NewLayout = 'posterEventTicket' | 'posterGeneric' | 'semanticBoardingPass';

/** Returns the faults that keep all passes of a definition from a layout that it requests. */
export function layoutFaults(definition: TemplateDefinition, layout: NewLayout): Pick<Finding, 'path' | 'message'>[] {
  const faults: Pick<Finding, 'path' | 'message'>[] = [];
  const note: Note = (severity, path, message) => {
    if (severity === 'warning') faults.push({ path, message });
  };
  if (layout === 'posterEventTicket') notePosterEvent(definition, schemePath(definition), note);
  if (layout === 'posterGeneric') notePosterGeneric(definition, note);
  return faults;
}

const schemePath = ({ apple }: TemplateDefinition) =>
  apple?.preferredStyleSchemes ? 'apple.preferredStyleSchemes' : 'preferredStyleScheme';

/** Notes missing requirements of the new layouts, and members that take effect only in them. */
export function noteSchemes(definition: TemplateDefinition, note: Note): void {
  const scheme = schemeOf(definition);
  const path = schemePath(definition);
  if (scheme === 'posterEventTicket') notePosterEvent(definition, path, note);
  if (scheme === 'semanticBoardingPass') noteSemanticBoarding(definition, path, note);
  if (scheme && !definition.apple?.semantics?.seats) {
    const message =
      scheme === 'posterEventTicket'
        ? 'is recommended for tickets with seats'
        : 'is recommended; without it, a pass has the seat of its seatNumber, or none';
    note('hint', 'apple.semantics.seats', message, SOURCES.seatValidator);
  }
  notePosterGeneric(definition, note);
  noteMembers(definition, note);
}

function notePosterEvent(definition: TemplateDefinition, path: string, note: Note): void {
  const { nfc, images, barcode, apple, fields } = definition;
  const tags = apple?.semantics ?? {};
  const keys = new Set(FIELD_LISTS.flatMap((list) => fields[list].map(({ key }) => key)));
  for (const tag of posterTags(tags.eventType)) {
    const isField = POSTER_EVENT_TICKET_TAGS.some((name) => name === tag) && keys.has(tag);
    if (tags[tag] != null || isField) continue;
    const message = 'is required for a poster event ticket; without it, the ticket keeps its classic style';
    note('warning', `apple.semantics.${tag}`, message, SOURCES.posterEvent);
  }
  if (!nfc.enabled) {
    const code = barcode.format === 'none' ? '' : ', and a ticket that needs a barcode for entry can’t have a poster';
    note('warning', path, `is left out: a poster event ticket requires entry by NFC${code}`, SOURCES.posterEvent);
  } else if (!nfc.requiresAuthentication) {
    const message = 'must be true for a poster event ticket; without it, the ticket keeps its classic style';
    note('warning', 'nfc.requiresAuthentication', message, SOURCES.validator);
  } else if (barcode.format !== 'none') {
    const message = 'is not used for entry: a poster event ticket is read by NFC';
    note('hint', 'barcode.format', message, SOURCES.posterEvent);
  }
  if (!images.artwork && !images.background) {
    const message =
      'or a background is required for a poster event ticket; without it, the ticket keeps its classic style';
    note('warning', 'images.artwork', message, SOURCES.validator);
  } else if (!images.artwork && images.strip && definition.type === 'eventTicket') {
    const message = 'hides the background, which would be the poster; use artwork';
    note('warning', 'images.strip', message, SOURCES.posterEvent);
  }
  if (tags.eventStartDate == null && tags.eventStartDateInfo == null)
    note('hint', 'apple.semantics.eventStartDate', 'is recommended for a poster event ticket', SOURCES.posterEvent);
  if (tags.eventType === 'PKEventTypeLivePerformance' && tags.artistIDs == null)
    note('hint', 'apple.semantics.artistIDs', 'is recommended for a live performance', SOURCES.validator);
  if (definition.logoText)
    note('hint', 'logoText', 'is not shown on a poster event ticket; use apple.eventLogoText', SOURCES.pass);
  if (apple?.useAutomaticColors === true && (definition.colors.foregroundColor || definition.colors.labelColor))
    note('hint', 'apple.useAutomaticColors', 'replaces the colors of texts and labels', SOURCES.pass);
}

function noteSemanticBoarding(definition: TemplateDefinition, path: string, note: Note): void {
  const given = definition.apple?.semantics ?? {};
  const left = SEMANTIC_BOARDING_PASS_TAGS.filter((tag) => given[tag] == null);
  if (left.length === 0) return;
  const message =
    'is left out of passes without localScheduledArrivalDateTime, or with an airport whose city is not known; ' +
    `they provide ${left.join(', ')}`;
  note('hint', path, message, SOURCES.boarding);
}

function notePosterGeneric(definition: TemplateDefinition, note: Note): void {
  const { apple, type, images, expiration } = definition;
  if (!apple?.posterGeneric) return;
  const path = 'apple.posterGeneric';
  if (type === 'boardingPass')
    note('warning', path, 'is left out: it would replace the boarding pass', SOURCES.posterGeneric);
  const required = 'is required for a poster; without it, the poster is left out';
  if (!images.artwork) note('warning', 'images.artwork', required, SOURCES.posterGeneric);
  else if (schemeOf(definition) === 'posterEventTicket')
    note('warning', path, 'replaces the poster event ticket on iOS 27', SOURCES.posterGeneric);
  if (!images.primaryLogo && !images.logo)
    note('hint', 'images.primaryLogo', 'is shown at the top of the poster', SOURCES.posterGeneric);
  if (!expiration.expirationDate && !expiration.validityInDays && !expiration.expirationDateDifferentForEachPass)
    note('hint', 'expiration', 'is recommended, because a poster does not expire on its own', SOURCES.posterGeneric);
}

const WORDS: Record<Exclude<MemberStyle, 'any'>, string> = {
  posterEvent: 'poster event tickets',
  posterEventOrBoarding: 'poster event tickets and boarding passes',
  poster: 'posters',
  boarding: 'boarding passes',
  strip: 'passes with a strip',
};

function noteMembers(definition: TemplateDefinition, note: Note): void {
  const { apple, type } = definition;
  if (!apple) return;
  const isPosterEvent = schemeOf(definition) === 'posterEventTicket';
  const isBoarding = type === 'boardingPass';
  const holds: Record<MemberStyle, boolean> = {
    any: true,
    posterEvent: isPosterEvent,
    posterEventOrBoarding: isPosterEvent || isBoarding,
    poster: isPosterEvent || Boolean(apple.posterGeneric),
    boarding: isBoarding,
    strip: ['coupon', 'storeCard', 'eventTicket'].includes(type),
  };
  for (const name of APPLE_MEMBER_NAMES) {
    const { style, source } = APPLE_MEMBERS[name];
    if (apple[name] == null || style === 'any' || holds[style]) continue;
    note('warning', `apple.${name}`, `is left out: it affects only ${WORDS[style]}`, SOURCES[source]);
  }
  const onlyPosterEvent = { upcomingPassInformation: SOURCES.upcoming, additionalInfoFields: SOURCES.fields };
  for (const name of ['upcomingPassInformation', 'additionalInfoFields'] as const) {
    const source = onlyPosterEvent[name];
    if (apple[name] == null || isPosterEvent) continue;
    note('warning', `apple.${name}`, `is left out: it affects only ${WORDS.posterEvent}`, source);
  }
  if (apple.appLaunchURL && !apple.associatedStoreIdentifiers)
    note('warning', 'apple.appLaunchURL', 'is left out without associatedStoreIdentifiers', SOURCES.pass);
  noteActions(definition, note);
}

/** Issue of a similar project whose maintainer tested actions on devices. */
const PEER = 'https://github.com/alexandercerutti/passkit-generator/issues/268';

interface Action {
  type: string;
  url?: string | null;
  placeIdentifier?: string | null;
}

function noteActions(definition: TemplateDefinition, note: Note): void {
  const actions = (definition.apple?.featuredActions ?? undefined) as Action[] | undefined;
  if (!actions) return;
  for (const [i, { type, url, placeIdentifier }] of actions.entries()) {
    const needed = type === 'place' ? 'placeIdentifier' : 'url';
    if ((type === 'place' ? placeIdentifier : url) == null)
      note('warning', `apple.featuredActions.${i}.${needed}`, `is required for an action of type ${type}`, PEER);
  }
  if (schemeOf(definition)) {
    const message = 'is not shown on poster event tickets and semantic boarding passes, which have their own actions';
    note('hint', 'apple.featuredActions', message, PEER);
  }
}
