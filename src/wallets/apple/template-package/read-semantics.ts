import { isRecord } from '../../../platform/json.ts';
import { isOfOnePass } from './example-pass.ts';
import { hexColor } from './read-color.ts';
import { withPlainMoments } from './read-moment.ts';
import type { PassReading } from './reading.ts';

/** Reads semantic tags for a definition; undefined if none are left. */
export function readSemantics(
  tags: unknown,
  path: string,
  { isExample, warnings }: PassReading,
): Record<string, unknown> | undefined {
  if (tags === undefined || tags === null) return undefined;
  if (!isRecord(tags)) {
    warnings.add(path, 'must be an object; left out');
    return undefined;
  }
  const names = Object.keys(tags);
  const personal = isExample ? names.filter(isOfOnePass) : [];
  if (personal.length > 0) warnings.add(path, `${personal.join(', ')} belong to the example pass; left out`);
  const kept = names.filter((name) => !personal.includes(name));
  if (kept.length === 0) return undefined;
  const contentOf = (name: string) => (name === 'seats' ? seatsOf(tags.seats) : withPlainMoments(tags[name]));
  return Object.fromEntries(kept.map((name) => [name, contentOf(name)]));
}

/** Converts the colors of seats, which are hexadecimal in a definition. */
function seatsOf(seats: unknown): unknown {
  if (!Array.isArray(seats)) return seats;
  return seats.map((seat) => {
    const color = isRecord(seat) ? hexColor(seat.seatSectionColor) : undefined;
    return color ? { ...seat, seatSectionColor: color } : seat;
  });
}
