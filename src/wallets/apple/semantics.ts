import type { Card } from '../../domain/passes/card/card.ts';
import type { FlightFields } from '../../domain/passes/values/flight-fields.ts';
import { FIELD_LISTS } from '../../domain/templates/field-lists.ts';
import { formatIso, parseDateTime } from '../../platform/dates.ts';
import { type Airport, findAirports } from './airports.ts';

/** Apple's `SemanticTags`: what a pass is about, for suggestions and for the layouts of newer systems. */
export interface SemanticTags {
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

/** Without these a device falls back to the old boarding pass (Apple, Wallet Passes). */
const SEMANTIC_BOARDING_PASS_TAGS = [
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
] as const satisfies readonly (keyof SemanticTags)[];

/** The same for the poster event ticket. A template gives them with fields whose keys are these names. */
const POSTER_EVENT_TICKET_TAGS = [
  'eventName',
  'venueName',
  'venueRegionName',
  'venueRoom',
] as const satisfies readonly (keyof SemanticTags)[];

/** For an air boarding pass or an event ticket; undefined for other cards and when nothing is known. */
export async function semanticTags(card: Card, readAirports: () => Promise<string>): Promise<SemanticTags | undefined> {
  if (card.type === 'boardingPass' && card.flight) return flightTags(card.flight, card.organizationName, readAirports);
  if (card.type === 'eventTicket' || card.type === 'eventTicketBackground') return eventTags(card);
  return undefined;
}

/**
 * `preferredStyleSchemes` of a card: the scheme that its template asks for and the old style behind it. Undefined
 * unless everything is there that the scheme requires (Apple, Wallet Passes), because devices then show nothing better
 * than the old style.
 */
export function styleSchemes(card: Card, tags: SemanticTags | undefined): string[] | undefined {
  const has = (names: readonly (keyof SemanticTags)[]) => names.every((name) => tags?.[name] !== undefined);
  switch (card.preferredStyleScheme) {
    case 'semanticBoardingPass':
      return card.transitType === 'PKTransitTypeAir' && has(SEMANTIC_BOARDING_PASS_TAGS)
        ? ['semanticBoardingPass', 'boardingPass']
        : undefined;
    case 'posterEventTicket':
      return has(POSTER_EVENT_TICKET_TAGS) &&
        card.nfc?.requiresAuthentication &&
        card.images.background &&
        // The classic ticket behind it shows a strip or a background, and one of both alone.
        (card.type === 'eventTicketBackground' || !card.images.strip)
        ? ['posterEventTicket', 'eventTicket']
        : undefined;
    default:
      return undefined;
  }
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
    // Apple's documentation says LocationTimeZone, its own pass builder AirportTimeZone.
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
