import type { Location } from '../../../domain/fields.ts';

/** Formats a location as a line of text. A location with more members than that is formatted as JSON. */
export function lineOf(location: Location): string {
  const { latitude, longitude, relevantText, ...more } = location;
  if (Object.values(more).some((value) => value != null)) return JSON.stringify(location);
  return [latitude, longitude, relevantText].filter((part) => part != null).join(', ');
}

/** Parses the line of a location. */
export function locationOf(line: string): unknown {
  if (line.startsWith('{')) {
    try {
      return JSON.parse(line);
    } catch {
      // Not JSON: the issue of the line as text is easier to understand.
    }
  }
  const [latitude = '', longitude = '', ...words] = line.split(',').map((part) => part.trim());
  return { latitude, longitude, ...(words.length > 0 ? { relevantText: words.join(', ') } : {}) };
}
