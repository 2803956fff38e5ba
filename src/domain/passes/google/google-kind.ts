import type { PassType } from '../../templates/definition.ts';
import { type GoogleKind, kindOfType } from '../../templates/google/kind.ts';
import type { FlightFields } from '../values/flight-fields.ts';

/** Data that decides the kind of a pass at Google. */
export interface GoogleKindSource {
  type: PassType;
  flight?: FlightFields | null;
  /** Kind of the object at Google or in save links, or the kind that the pass was created for. */
  googleKind?: GoogleKind | null;
}

/** Whether Google can still show the pass. A flight that loses its flight fields can't become another kind. */
export function canShowAtGoogle({ flight, googleKind }: Pick<GoogleKindSource, 'flight' | 'googleKind'>): boolean {
  return googleKind !== 'flight' || Boolean(flight);
}

/**
 * Returns Google's kind of a pass. An object never changes its kind, so a pass that moved to a template of another type
 * keeps its kind at Google.
 */
export function googleKindOf({ type, flight, googleKind }: GoogleKindSource): GoogleKind {
  return googleKind ?? kindOfType(type, Boolean(flight));
}
