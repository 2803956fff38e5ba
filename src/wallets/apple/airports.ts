import { clientFile } from '../../platform/client-files.ts';
import type { Env } from '../../platform/env.ts';

/** City and time zone of an airport, for a boarding pass. */
export interface Airport {
  city: string;
  /** IANA zone, in which the local times of a flight count. */
  zone: string;
}

let airports: Map<string, Airport> | undefined;

/**
 * The airports with these IATA codes; undefined for one that the table does not have: it covers airports with scheduled
 * service whose zone is certain. `read` gives the table's text, for the first flight of an isolate. It comes from
 * OurAirports (public domain), OpenTravelData (CC BY 4.0) and tz-lookup (CC0) by scripts/airport-table.ts.
 */
export async function findAirports(codes: string[], read: () => Promise<string>): Promise<(Airport | undefined)[]> {
  // Two requests may read it at once: neither may wait for what another one has begun.
  const byCode = airports ?? parse(await read());
  airports = byCode;
  return codes.map((code) => byCode.get(code));
}

/** A line for each zone: its name, a tabulator, then codes and cities. */
function parse(text: string): Map<string, Airport> {
  const byCode = new Map<string, Airport>();
  for (const line of text.trimEnd().split('\n')) {
    const [zone = '', list = ''] = line.split('\t');
    for (const entry of list.split('|')) byCode.set(entry.slice(0, 3), { city: entry.slice(3), zone });
  }
  return byCode;
}

/** The table, from the static assets: it would be a fifteenth of the script, which every isolate loads. */
export async function readAirports({ ASSETS }: Pick<Env, 'ASSETS'>): Promise<string> {
  const { path } = clientFile('wallets/apple/airports.txt');
  const reply = await ASSETS.fetch(new URL(path, 'https://assets.invalid'));
  if (!reply.ok) throw new Error(`the table of airports: status ${reply.status}`);
  return reply.text();
}
