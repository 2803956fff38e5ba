import type { PassType, StoredDefinition } from '../../templates/definition.ts';
import type { FlightFields } from '../values/flight-fields.ts';

/** The kinds of pass that Google knows and we use; `${kind}Class` and `${kind}Object` are its resource types. */
export type GoogleKind = 'flight' | 'transit' | 'offer' | 'eventTicket' | 'loyalty' | 'giftCard' | 'generic';

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
 * Google's kind for a pass (Google Wallet API). A boarding pass is a flight when it has flight fields, otherwise
 * another transit. An object can never become one of another type, so a pass that has moved to a template of another
 * type stays what it was at Google.
 */
export function googleKindOf({ type, flight, googleKind }: GoogleKindSource): GoogleKind {
  if (googleKind) return googleKind;
  switch (type) {
    case 'boardingPass':
      return flight ? 'flight' : 'transit';
    case 'coupon':
      return 'offer';
    case 'eventTicket':
    case 'eventTicketBackground':
      return 'eventTicket';
    case 'storeCard':
      return 'loyalty';
    case 'generic':
      return 'generic';
  }
}

/** Types of prepaid passes that are gift cards at Google; tickets and boarding passes stay what they are. */
const GIFT_CARD_TYPES: PassType[] = ['storeCard', 'coupon', 'generic'];

/**
 * Google's kind that a new pass has from the start; null: the one of its type. Kept with the pass, so that passes from
 * before gift cards, whose links and objects are of another kind, never become one.
 */
export function kindOfNewPass({
  type,
  passFunctionality,
}: Pick<StoredDefinition, 'type' | 'passFunctionality'>): GoogleKind | null {
  return passFunctionality?.type === 'prepaid' && GIFT_CARD_TYPES.includes(type) ? 'giftCard' : null;
}
