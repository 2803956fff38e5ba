import type { Card } from '../../domain/passes/card/card.ts';
import type { FlightFields } from '../../domain/passes/values/flight-fields.ts';
import {
  POSTER_EVENT_TICKET_TAGS,
  posterTags,
  SEMANTIC_BOARDING_PASS_TAGS,
} from '../../domain/templates/apple/required-tags.ts';
import { FIELD_LISTS } from '../../domain/templates/list-names.ts';
import { formatIso, parseDateTime } from '../../platform/dates.ts';
import { type Airport, findAirports } from './airports.ts';

/** Apple's `SemanticTags`: what a pass is about, for suggestions and for the layouts of newer systems. */
export interface SemanticTags {
  /** Tags that only templates give. */
  [tag: string]: unknown;
  airlineCode?: string;
  flightNumber?: number;
  flightCode?: string;
  transitProvider?: string;
  departureAirportCode?: string;
  departureCityName?: string;
  departureLocationTimeZone?: string;
  departureAirportTimeZone?: string;
  departureGate?: string;
  departureTerminal?: string;
  destinationAirportCode?: string;
  destinationCityName?: string;
  destinationLocationTimeZone?: string;
  destinationAirportTimeZone?: string;
  destinationGate?: string;
  destinationTerminal?: string;
  originalBoardingDate?: string;
  originalDepartureDate?: string;
  currentDepartureDate?: string;
  originalArrivalDate?: string;
  currentArrivalDate?: string;
  passengerName?: PersonName;
  confirmationNumber?: string;
  ticketFareClass?: string;
  seats?: { seatNumber: string }[];
  boardingGroup?: string;
  boardingSequenceNumber?: string;
  eventName?: string;
  venueName?: string;
  venueRegionName?: string;
  venueRoom?: string;
}

/** Apple's `PersonNameComponents`. */
export interface PersonName {
  givenName?: string;
  familyName?: string;
}

/**
 * What is known of a flight or an event, and the tags that the template gives, which win; undefined when nothing is
 * known. At once, but for a flight: most passes need not wait.
 */
export function semanticTags(
  card: Card,
  readAirports: () => Promise<string>,
): SemanticTags | undefined | Promise<SemanticTags> {
  if (card.type === 'boardingPass' && card.flight) {
    const known = flightTags(card.flight, card.organizationName, readAirports);
    return known.then((tags) => withGiven(card, tags));
  }
  const isEvent = card.type === 'eventTicket' || card.type === 'eventTicketBackground';
  return withGiven(card, isEvent ? eventTags(card) : undefined);
}

function withGiven<T extends SemanticTags | undefined>({ apple }: Card, known: T): SemanticTags | T {
  return apple?.semantics ? withBothZones({ ...known, ...apple.semantics }) : known;
}

/** Apple's documentation says LocationTimeZone, its own pass builder AirportTimeZone. */
function withBothZones(tags: SemanticTags): SemanticTags {
  const both = { ...tags };
  for (const end of ['departure', 'destination'] as const) {
    const zone = tags[`${end}LocationTimeZone`] ?? tags[`${end}AirportTimeZone`];
    if (zone !== undefined) Object.assign(both, { [`${end}LocationTimeZone`]: zone, [`${end}AirportTimeZone`]: zone });
  }
  return both;
}

/**
 * `preferredStyleSchemes` of a card: the scheme that its template asks for and the old style behind it. Undefined
 * unless everything is there that the scheme requires (Apple, Wallet Passes), because devices then show nothing better
 * than the old style.
 */
export function styleSchemes(card: Card, tags: SemanticTags | undefined): string[] | undefined {
  if (missingTags(card, tags).length > 0) return undefined;
  switch (card.preferredStyleScheme) {
    case 'semanticBoardingPass':
      return card.transitType === 'PKTransitTypeAir' ? ['semanticBoardingPass', 'boardingPass'] : undefined;
    case 'posterEventTicket':
      // "Poster event tickets aren't compatible with tickets that require a QR code or barcode for entry": Apple,
      // "Creating a poster event pass using semantic tags" (iOS 26 and later). So NFC has to be there, with or without
      // a barcode; PassBuilder's EventTicketValidator (2026) also asks for its requiresAuthentication.
      return card.nfc?.requiresAuthentication && hasPoster(card) ? ['posterEventTicket', 'eventTicket'] : undefined;
    default:
      return undefined;
  }
}

/** The tags that the scheme of a card requires and the card does not have. */
export function missingTags(card: Card, tags: SemanticTags | undefined): string[] {
  const required = {
    semanticBoardingPass: SEMANTIC_BOARDING_PASS_TAGS as readonly string[],
    posterEventTicket: posterTags(tags?.eventType),
  };
  const { preferredStyleScheme: scheme } = card;
  return scheme ? required[scheme].filter((name) => tags?.[name] === undefined) : [];
}

/** The classic ticket behind the poster shows a strip or a background, and one of both alone; artwork is its own. */
function hasPoster({ images, type }: Card): boolean {
  if (images.artwork) return true;
  return images.background !== undefined && (type === 'eventTicketBackground' || !images.strip);
}

function eventTags(card: Card): SemanticTags | undefined {
  const tags: SemanticTags = {};
  for (const { key, value } of FIELD_LISTS.flatMap((list) => card.fields[list])) {
    const tag = POSTER_EVENT_TICKET_TAGS.find((name) => name === key);
    if (tag && value !== '') tags[tag] = String(value);
  }
  return Object.keys(tags).length > 0 ? tags : undefined;
}

async function flightTags(
  flight: FlightFields,
  transitProvider: string,
  readAirports: () => Promise<string>,
): Promise<SemanticTags> {
  const codes = [flight.originAirportCode, flight.destinationAirportCode];
  const [origin, destination] = await findAirports(codes, readAirports);
  return {
    airlineCode: flight.carrierCode,
    flightNumber: flight.flightNumber,
    flightCode: `${flight.carrierCode}${flight.flightNumber}`,
    transitProvider,
    departureAirportCode: flight.originAirportCode,
    departureCityName: origin?.city,
    departureLocationTimeZone: origin?.zone,
    departureAirportTimeZone: origin?.zone,
    departureGate: flight.originAirportGate || undefined,
    departureTerminal: flight.originAirportTerminal || undefined,
    destinationAirportCode: flight.destinationAirportCode,
    destinationCityName: destination?.city,
    destinationLocationTimeZone: destination?.zone,
    destinationAirportTimeZone: destination?.zone,
    destinationGate: flight.destinationAirportGate || undefined,
    destinationTerminal: flight.destinationAirportTerminal || undefined,
    originalBoardingDate: zoned(flight.localBoardingDateTime, origin),
    originalDepartureDate: zoned(flight.localScheduledDepartureTime, origin),
    currentDepartureDate: zoned(flight.localEstimatedOrActualDepartureDateTime, origin),
    originalArrivalDate: zoned(flight.localScheduledArrivalDateTime, destination),
    currentArrivalDate: zoned(flight.localEstimatedOrActualArrivalDateTime, destination),
    passengerName: personName(flight.passengerName),
    confirmationNumber: flight.confirmationCode,
    ticketFareClass: flight.seatClass || undefined,
    seats: flight.seatNumber ? [{ seatNumber: flight.seatNumber }] : undefined,
    boardingGroup: flight.boardingGroup || undefined,
    boardingSequenceNumber: flight.sequenceNumber || undefined,
  };
}

/** ISO 8601 of an airport's local time; undefined when the airport, and with it the zone, is unknown. */
function zoned(local: string | null | undefined, airport: Airport | undefined): string | undefined {
  if (!local || !airport) return undefined;
  const millis = parseDateTime(local, airport.zone);
  return millis === undefined ? undefined : formatIso(millis, airport.zone);
}

/** Splits a name as airlines write it: `FAMILY/GIVEN`, otherwise the last word is the family name. */
function personName(name: string): PersonName {
  const [family, given] = name.split('/', 2).map((part) => part.trim());
  if (family && given) return { givenName: given, familyName: family };
  const words = name.trim().split(/\s+/);
  const last = words.pop();
  return words.length > 0 ? { givenName: words.join(' '), familyName: last } : { givenName: last };
}
