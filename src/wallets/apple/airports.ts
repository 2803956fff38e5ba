/** What a boarding pass says of an airport beyond its code. */
export interface Airport {
  city: string;
  /** IANA zone, in which the local times of a flight count. */
  zone: string;
}

let airports: Promise<Map<string, Airport>> | undefined;

/**
 * The airport with an IATA code, or undefined for one that the table does not have: it covers airports with scheduled
 * service whose zone is certain. The table (45 kB) is loaded with the first flight. It comes from OurAirports (public
 * domain), OpenTravelData (CC BY 4.0) and tz-lookup (CC0) by scripts/airport-table.ts.
 */
export async function findAirport(code: string): Promise<Airport | undefined> {
  airports ??= loadAirports();
  return (await airports).get(code);
}

async function loadAirports(): Promise<Map<string, Airport>> {
  const table = await import('./airport-table.json', {
    with: { type: 'json' },
  });
  const byCode = new Map<string, Airport>();
  for (const [zone, list] of Object.entries(table.default)) {
    for (const entry of list.split('|')) byCode.set(entry.slice(0, 3), { city: entry.slice(3), zone });
  }
  return byCode;
}
