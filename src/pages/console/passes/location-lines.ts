import type { Location } from '../../../domain/fields.ts';

/** A location as a line; one that says more than a line can is shown as JSON. */
export function lineOf(location: Location): string {
  const { latitude, longitude, relevantText, ...more } = location;
  if (Object.values(more).some((value) => value != null)) return JSON.stringify(location);
  return [latitude, longitude, relevantText].filter((part) => part != null).join(', ');
}

/** What a line says of a location, as it is sent to the domain. */
export function locationOf(line: string): unknown {
  if (line.startsWith('{')) {
    try {
      return JSON.parse(line);
    } catch {
      // Not JSON: what is wrong with it as a line is what people understand.
    }
  }
  const [latitude = '', longitude = '', ...words] = line.split(',').map((part) => part.trim());
  return { latitude, longitude, ...(words.length > 0 ? { relevantText: words.join(', ') } : {}) };
}
