import type { PassType } from '../../templates/definition.ts';
import { type GoogleKind, kindOfType } from '../../templates/google/kind.ts';
import type { FlightFields } from '../values/flight-fields.ts';

/** What decides the kind of a pass at Google. */
export interface GoogleKindSource {
  type: PassType;
  flight?: FlightFields | null;
  /** Kind of the object that Google has, that save links carry, or that the pass was made for. */
  googleKind?: GoogleKind | null;
}

/** A flight that moved to a template of another type cannot go on at Google as a flight, nor as anything else. */
export function fitsGoogle({ flight, googleKind }: Pick<GoogleKindSource, 'flight' | 'googleKind'>): boolean {
  return googleKind !== 'flight' || Boolean(flight);
}

/**
 * Google's kind for a pass. An object can never become one of another type, so a pass that has moved to a template of
 * another type stays what it was at Google.
 */
export function googleKindOf({ type, flight, googleKind }: GoogleKindSource): GoogleKind {
  return googleKind ?? kindOfType(type, Boolean(flight));
}
