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
