import { invalid } from '../errors.ts';
import type { Pass } from './table.ts';

/**
 * Applies `placesUsedAt` of an update (specification): an empty value clears all recorded usages, an array of names clears those places, the object that a read returns
 * is ignored, anything else is `invalid`.
 */
export function clearUsages(pass: Pass, sent: Record<string, unknown>): Pass {
  if (!Object.hasOwn(sent, 'placesUsedAt')) return pass;
  const value = sent.placesUsedAt;
  if (value === '' || value === null || (Array.isArray(value) && value.length === 0)) {
    return { ...pass, placesUsedAt: null };
  }
  if (Array.isArray(value)) {
    if (!value.every((place) => typeof place === 'string')) throw refused();
    const left = Object.entries(pass.placesUsedAt ?? {}).filter(([place]) => !value.includes(place));
    return { ...pass, placesUsedAt: left.length > 0 ? Object.fromEntries(left) : null };
  }
  if (typeof value === 'object') return pass;
  throw refused();
}

function refused() {
  return invalid('placesUsedAt: must be empty, an array of place names, or what a read returned');
}
