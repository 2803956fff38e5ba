import { clientFile } from '../../platform/client-files.ts';
import type { Env } from '../../platform/env.ts';

/** City and time zone of an airport, for a boarding pass. */
export interface Airport {
  city: string;
  /** IANA zone of a flight's local times at the airport. */
  zone: string;
}

let airports: Map<string, Airport> | undefined;

/**
 * Returns the airports with these IATA codes; undefined for unknown ones. The table covers airports with scheduled
 * service whose zone is certain. `read` loads its text for an isolate's first flight. scripts/airport-table.ts builds
 * it from OurAirports (public domain), OpenTravelData (CC BY 4.0) and tz-lookup (CC0).
 */
export async function findAirports(codes: string[], read: () => Promise<string>): Promise<(Airport | undefined)[]> {
  // Concurrent requests may each read the table: a request must not wait for I/O that another one started.
  const byCode = airports ?? parse(await read());
  airports = byCode;
  return codes.map((code) => byCode.get(code));
}

/** Parses the table: one line per zone with its name, a tab, then codes and cities. */
function parse(text: string): Map<string, Airport> {
  const byCode = new Map<string, Airport>();
  for (const line of text.trimEnd().split('\n')) {
    const [zone = '', list = ''] = line.split('\t');
    for (const entry of list.split('|')) byCode.set(entry.slice(0, 3), { city: entry.slice(3), zone });
  }
  return byCode;
}

/** Reads the table from the static assets. In the script, which every isolate loads, it would take a fifteenth. */
export async function readAirports({ ASSETS }: Pick<Env, 'ASSETS'>): Promise<string> {
  const { path } = clientFile('wallets/apple/airports.txt');
  const reply = await ASSETS.fetch(new URL(path, 'https://assets.invalid'));
  if (!reply.ok) throw new Error(`the table of airports: status ${reply.status}`);
  return reply.text();
}
