import {
  amount,
  color,
  currency,
  type Filling,
  fillMembers,
  flag,
  type Kind,
  listOf,
  moment,
  numberFrom,
  objectOf,
  oneOf,
  text,
  timeZone,
  wholeUpTo,
} from './kinds.ts';

/** Passes on which a tag takes effect, according to Apple. */
type TagStyle = 'any' | 'boarding' | 'air' | 'rail' | 'event' | 'journey' | 'store';

interface SemanticTag {
  kind: Kind;
  style: TagStyle;
  /** First version of iOS that supports it. */
  since: number;
}

const LIST_MAX = 50;
const texts = listOf(text, LIST_MAX);
const place = objectOf({ latitude: numberFrom(-90, 90), longitude: numberFrom(-180, 180) }, ['latitude', 'longitude']);
const money = objectOf({ amount, currencyCode: currency }, ['amount', 'currencyCode']);
const textsNamed = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, text]));
const name = objectOf(
  textsNamed('givenName middleName familyName namePrefix nameSuffix nickname phoneticRepresentation'),
);
const seats = listOf(
  objectOf({
    ...textsNamed('seatDescription seatIdentifier seatNumber seatRow seatSection seatAisle seatLevel seatType'),
    seatSectionColor: color,
  }),
  LIST_MAX,
);
const wifi = listOf(objectOf({ ssid: text, password: text }, ['ssid', 'password']), LIST_MAX);
const startInfo = objectOf(
  { date: moment, ignoreTimeComponents: flag, timeZone, unannounced: flag, undetermined: flag },
  ['date'],
);
const duration = wholeUpTo(366 * 24 * 60 * 60);

const eventType = oneOf([
  'PKEventTypeGeneric',
  'PKEventTypeLivePerformance',
  'PKEventTypeMovie',
  'PKEventTypeSports',
  'PKEventTypeConference',
  'PKEventTypeConvention',
  'PKEventTypeWorkshop',
  'PKEventTypeSocialGathering',
]);
const security = listOf(
  oneOf([
    'PKTransitSecurityProgramTSAPreCheck',
    'PKTransitSecurityProgramTSAPreCheckTouchlessID',
    'PKTransitSecurityProgramOSS',
    'PKTransitSecurityProgramITI',
    'PKTransitSecurityProgramITD',
    'PKTransitSecurityProgramGlobalEntry',
    'PKTransitSecurityProgramCLEAR',
  ]),
  LIST_MAX,
);
const capabilities = listOf(
  oneOf([
    'PKPassengerCapabilityPreboarding',
    'PKPassengerCapabilityPriorityBoarding',
    'PKPassengerCapabilityCarryon',
    'PKPassengerCapabilityPersonalItem',
    'PKPassengerCapabilityLapInfant',
  ]),
  LIST_MAX,
);

/** Kind, style and first iOS version, then the tags: Apple, Wallet Passes, SemanticTags, and PassBuilder's model. */
const TABLE: [Kind, TagStyle, number, string][] = [
  [text, 'event', 12, 'eventName venueName venueEntrance venuePhoneNumber venueRoom genre'],
  [text, 'event', 12, 'awayTeamAbbreviation awayTeamLocation awayTeamName homeTeamAbbreviation homeTeamLocation'],
  [text, 'event', 12, 'homeTeamName leagueAbbreviation leagueName sportName'],
  [text, 'event', 18, 'additionalTicketAttributes admissionLevel admissionLevelAbbreviation attendeeName'],
  [text, 'event', 18, 'entranceDescription venueEntranceDoor venueEntranceGate venueEntrancePortal venueRegionName'],
  [text, 'event', 26, 'venuePlaceID'],
  [texts, 'event', 12, 'artistIDs performerNames'],
  [texts, 'event', 18, 'albumIDs playlistIDs'],
  [moment, 'event', 12, 'eventStartDate eventEndDate'],
  [moment, 'event', 18, 'venueBoxOfficeOpenDate venueCloseDate venueDoorsOpenDate venueFanZoneOpenDate'],
  [moment, 'event', 18, 'venueGatesOpenDate venueOpenDate venueParkingLotsOpenDate'],
  [startInfo, 'event', 18, 'eventStartDateInfo'],
  [eventType, 'event', 12, 'eventType'],
  [place, 'event', 12, 'venueLocation'],
  [flag, 'event', 18, 'tailgatingAllowed'],
  [text, 'air', 12, 'airlineCode flightCode departureAirportCode departureAirportName departureTerminal'],
  [text, 'air', 12, 'destinationAirportCode destinationAirportName destinationGate destinationTerminal'],
  [wholeUpTo(9_999), 'air', 12, 'flightNumber'],
  [texts, 'air', 26, 'passengerAirlineSSRs passengerInformationSSRs passengerServiceSSRs'],
  [capabilities, 'air', 26, 'passengerCapabilities'],
  [text, 'air', 26, 'airlineLoungePlaceID'],
  [timeZone, 'air', 26, 'departureAirportTimeZone destinationAirportTimeZone'],
  [security, 'air', 26, 'departureAirportSecurityPrograms destinationAirportSecurityPrograms'],
  [text, 'rail', 12, 'carNumber departurePlatform departureStationName destinationPlatform destinationStationName'],
  [text, 'boarding', 12, 'boardingGroup boardingSequenceNumber confirmationNumber departureGate'],
  [text, 'boarding', 12, 'departureLocationDescription destinationLocationDescription membershipProgramName'],
  [text, 'boarding', 12, 'membershipProgramNumber priorityStatus securityScreening transitProvider transitStatus'],
  [text, 'boarding', 12, 'transitStatusReason vehicleName vehicleNumber vehicleType'],
  [text, 'boarding', 26, 'boardingZone departureCityName destinationCityName membershipProgramStatus ticketFareClass'],
  [text, 'boarding', 26, 'internationalDocumentsVerifiedDeclarationName'],
  [texts, 'boarding', 26, 'loungePlaceIDs'],
  [flag, 'boarding', 26, 'internationalDocumentsAreVerified'],
  [timeZone, 'boarding', 26, 'departureLocationTimeZone destinationLocationTimeZone'],
  [security, 'boarding', 26, 'departureLocationSecurityPrograms destinationLocationSecurityPrograms'],
  [security, 'boarding', 26, 'passengerEligibleSecurityPrograms'],
  [place, 'boarding', 12, 'departureLocation destinationLocation'],
  [name, 'boarding', 12, 'passengerName'],
  [moment, 'boarding', 12, 'currentArrivalDate currentBoardingDate currentDepartureDate originalArrivalDate'],
  [moment, 'boarding', 12, 'originalBoardingDate originalDepartureDate'],
  [seats, 'journey', 12, 'seats'],
  [duration, 'journey', 12, 'duration'],
  [flag, 'journey', 12, 'silenceRequested'],
  [money, 'store', 12, 'balance'],
  [money, 'any', 12, 'totalPrice'],
  [wifi, 'any', 12, 'wifiAccess'],
];

/** All documented tags, by name. */
export const SEMANTIC_TAGS: Readonly<Record<string, SemanticTag>> = Object.fromEntries(
  TABLE.flatMap(([kind, style, since, names]) => names.split(' ').map((tag) => [tag, { kind, style, since }])),
);

/** Kinds of the tags. */
export const TAG_KINDS: Record<string, Kind> = Object.fromEntries(
  Object.entries(SEMANTIC_TAGS).map(([tag, { kind }]) => [tag, kind]),
);

/** Decides which tags take effect: `PassType` and `TransitType`. */
interface TaggedType {
  type: string;
  transitType?: string | null;
}

/** Whether a tag takes effect on passes of this type. Other tags are left out of pass.json. */
export function hasEffect(style: TagStyle, { type, transitType }: TaggedType): boolean {
  const isEvent = type.startsWith('eventTicket');
  const isBoarding = type === 'boardingPass';
  switch (style) {
    case 'event':
      return isEvent;
    case 'boarding':
      return isBoarding;
    case 'air':
      return isBoarding && transitType === 'PKTransitTypeAir';
    case 'rail':
      return isBoarding && transitType === 'PKTransitTypeTrain';
    case 'journey':
      return isEvent || isBoarding;
    case 'store':
      return type === 'storeCard';
    default:
      return true;
  }
}

/** Returns the tags of a pass; undefined if none of them takes effect. */
export function fillSemantics(
  tags: Record<string, unknown> | null | undefined,
  type: TaggedType,
  filling: Filling,
): Record<string, unknown> | undefined {
  if (!tags) return undefined;
  const shown = Object.fromEntries(
    Object.entries(tags).filter(([tag]) => {
      const known = Object.hasOwn(SEMANTIC_TAGS, tag) ? SEMANTIC_TAGS[tag] : undefined;
      return known !== undefined && hasEffect(known.style, type);
    }),
  );
  const filled = fillMembers(TAG_KINDS, shown, filling);
  return Object.keys(filled).length > 0 ? filled : undefined;
}

/** Tags without which a device falls back to the old boarding pass (Apple, Wallet Passes). */
export const SEMANTIC_BOARDING_PASS_TAGS = [
  'airlineCode',
  'flightNumber',
  'departureAirportCode',
  'departureCityName',
  'departureLocationTimeZone',
  'destinationAirportCode',
  'destinationCityName',
  'destinationLocationTimeZone',
  'originalDepartureDate',
  'originalBoardingDate',
  'originalArrivalDate',
  'passengerName',
] as const;

/** Same for every poster event ticket. Templates may also provide them as fields with these keys. */
export const POSTER_EVENT_TICKET_TAGS = ['eventName', 'venueName', 'venueRegionName', 'venueRoom'] as const;

const TAGS_OF_EVENT_TYPE: Record<string, readonly string[]> = {
  PKEventTypeSports: ['awayTeamAbbreviation', 'homeTeamAbbreviation'],
  PKEventTypeLivePerformance: ['performerNames'],
};

/** Returns the tags that the poster of an event of this type (`eventType`) requires. */
export function posterTags(eventType: unknown): readonly string[] {
  return [...POSTER_EVENT_TICKET_TAGS, ...(TAGS_OF_EVENT_TYPE[String(eventType)] ?? [])];
}
