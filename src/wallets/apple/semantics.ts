import type { Card } from '../../domain/passes/card/card.ts';
import type { FlightFields } from '../../domain/passes/values/pass-fields.ts';
import {
  POSTER_EVENT_TICKET_TAGS,
  posterTags,
  SEMANTIC_BOARDING_PASS_TAGS,
} from '../../domain/templates/apple/semantic-tags.ts';
import { FIELD_LISTS } from '../../domain/templates/list-names.ts';
import { formatIso, parseDateTime } from '../../platform/dates.ts';
import { type Airport, findAirports } from './airports.ts';

/** Apple's `SemanticTags` by name: data about the pass for suggestions and for the layouts of newer systems. */
export interface SemanticTags {
  [tag: string]: unknown;
  /** Apple's `PersonNameComponents`. */
  passengerName?: { givenName?: string; familyName?: string };
}

/**
 * Returns the tags of a flight or event, with those of the template taking precedence; undefined if there are none.
 * Synchronous except for flights, so that most passes needn't wait.
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

/** Sets both names of a zone: Apple's documentation uses LocationTimeZone, its pass builder AirportTimeZone. */
function withBothZones(tags: SemanticTags): SemanticTags {
  const both = { ...tags };
  for (const end of ['departure', 'destination'] as const) {
    const zone = tags[`${end}LocationTimeZone`] ?? tags[`${end}AirportTimeZone`];
    if (zone !== undefined) Object.assign(both, { [`${end}LocationTimeZone`]: zone, [`${end}AirportTimeZone`]: zone });
  }
  return both;
}

/**
 * Returns `preferredStyleSchemes` of a card: the scheme that its template requests, followed by the old style.
 * Undefined if anything that the scheme requires is missing (Apple, Wallet Passes): devices would then show the old
 * style anyway.
 */
export function styleSchemes(card: Card, tags: SemanticTags | undefined): string[] | undefined {
  if (missingTags(card, tags).length > 0) return undefined;
  switch (card.preferredStyleScheme) {
    case 'semanticBoardingPass':
      return card.transitType === 'PKTransitTypeAir' ? ['semanticBoardingPass', 'boardingPass'] : undefined;
    case 'posterEventTicket':
      // "Poster event tickets aren't compatible with tickets that require a QR code or barcode for entry": Apple,
      // "Creating a poster event pass using semantic tags" (iOS 26 and later). So NFC is required, with or without a
      // barcode; PassBuilder's EventTicketValidator (2026) also requires its requiresAuthentication.
      return card.nfc?.requiresAuthentication && hasPoster(card) ? ['posterEventTicket', 'eventTicket'] : undefined;
    default:
      return undefined;
  }
}

/** Returns the tags that the card's scheme requires and the card doesn't have. */
export function missingTags(card: Card, tags: SemanticTags | undefined): string[] {
  const required = {
    semanticBoardingPass: SEMANTIC_BOARDING_PASS_TAGS as readonly string[],
    posterEventTicket: posterTags(tags?.eventType),
  };
  const { preferredStyleScheme: scheme } = card;
  return scheme ? required[scheme].filter((name) => tags?.[name] === undefined) : [];
}

/**
 * Returns whether there is an image for the poster. The classic ticket behind it shows either a strip or a background;
 * artwork is independent of both.
 */
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

/** Formats an airport's local time as ISO 8601; undefined if the airport, and thus its zone, is unknown. */
function zoned(local: string | null | undefined, airport: Airport | undefined): string | undefined {
  if (!local || !airport) return undefined;
  const millis = parseDateTime(local, airport.zone);
  return millis === undefined ? undefined : formatIso(millis, airport.zone);
}

/** Splits a name, written as `FAMILY/GIVEN` or `FAMILY, GIVEN`; otherwise the last word is the family name. */
function personName(name: string): SemanticTags['passengerName'] {
  const [family, given] = name.split(/[/,]/, 2).map((part) => part.trim());
  if (family && given) return { givenName: given, familyName: family };
  const words = name.trim().split(/\s+/);
  const last = words.pop();
  return words.length > 0 ? { givenName: words.join(' '), familyName: last } : { givenName: last };
}
