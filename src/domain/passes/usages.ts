import { invalidField } from '../errors.ts';
import type { Pass } from './table.ts';

/**
 * Returns the recorded usages that the `placesUsedAt` of an update clears: all for an empty value, the named places for
 * an array, none if absent or in the form of a read. Throws `invalid` for anything else.
 */
export function clearedPlaces(sent: Record<string, unknown>): 'all' | string[] {
  const value = sent.placesUsedAt;
  if (value === undefined) return [];
  if (value === '' || value === null) return 'all';
  if (Array.isArray(value) && value.every((place) => typeof place === 'string'))
    return value.length > 0 ? value : 'all';
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  throw invalidField('placesUsedAt', 'must be empty, an array of place names, or the object from a reply');
}

/** Applies `placesUsedAt` of an update; see `clearedPlaces`. */
export function clearUsages(pass: Pass, sent: Record<string, unknown>): Pass {
  const cleared = clearedPlaces(sent);
  if (cleared === 'all') return { ...pass, placesUsedAt: null };
  if (cleared.length === 0) return pass;
  const left = Object.entries(pass.placesUsedAt ?? {}).filter(([place]) => !cleared.includes(place));
  return { ...pass, placesUsedAt: left.length > 0 ? Object.fromEntries(left) : null };
}
