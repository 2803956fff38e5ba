import type { GoogleKind } from './kind.ts';
import type { StoredGoogle } from './members.ts';

/** Kinds that support a member. All kinds support the others. */
export const MEMBER_KINDS: { [M in keyof StoredGoogle]?: GoogleKind[] } = {
  venue: ['eventTicket'],
  seatInfo: ['eventTicket'],
  dateTime: ['eventTicket'],
  genericType: ['generic'],
  notifications: ['generic'],
  notifyPreference: ['flight', 'transit', 'offer', 'eventTicket', 'loyalty', 'giftCard'],
};
