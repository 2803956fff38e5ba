import type { PassType, StoredDefinition } from '../definition.ts';

/** The kinds of pass that Google knows and we use; `${kind}Class` and `${kind}Object` are its resource types. */
export type GoogleKind = 'flight' | 'transit' | 'offer' | 'eventTicket' | 'loyalty' | 'giftCard' | 'generic';

/** Google's kind for a type of pass (Google Wallet API). A boarding pass is a flight when it has flight fields. */
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
