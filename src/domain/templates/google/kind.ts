import type { PassType, StoredDefinition } from '../definition.ts';
import type { StoredGoogle } from './members.ts';

/** Kinds of passes at Google that we use. `${kind}Class` and `${kind}Object` are its resource types. */
export type GoogleKind = 'flight' | 'transit' | 'offer' | 'eventTicket' | 'loyalty' | 'giftCard' | 'generic';

/** Returns Google's kind of a pass type (Google Wallet API). A boarding pass with flight fields is a flight. */
export function kindOfType(type: PassType, hasFlight: boolean): GoogleKind {
  switch (type) {
    case 'boardingPass':
      return hasFlight ? 'flight' : 'transit';
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

/** Types of prepaid passes that are gift cards at Google. Tickets and boarding passes keep their kind. */
const GIFT_CARD_TYPES: PassType[] = ['storeCard', 'coupon', 'generic'];

/**
 * Returns the kind at Google that a new pass keeps; null: the one of its type. Stored with the pass, so that passes
 * older than gift cards, whose links and objects have another kind, never become one.
 */
export function kindOfNewPass({
  type,
  passFunctionality,
}: Pick<StoredDefinition, 'type' | 'passFunctionality'>): GoogleKind | null {
  return passFunctionality?.type === 'prepaid' && GIFT_CARD_TYPES.includes(type) ? 'giftCard' : null;
}

/** Kinds that support a member. All kinds support the others. */
export const MEMBER_KINDS: { [M in keyof StoredGoogle]?: GoogleKind[] } = {
  venue: ['eventTicket'],
  seatInfo: ['eventTicket'],
  dateTime: ['eventTicket'],
  genericType: ['generic'],
  notifications: ['generic'],
  notifyPreference: ['flight', 'transit', 'offer', 'eventTicket', 'loyalty', 'giftCard'],
};
