import type { PassType } from '../../../../domain/templates/definition.ts';

/** Titles of the pass types. */
export const TYPE_TITLES: Record<PassType, string> = {
  coupon: 'Coupon',
  storeCard: 'Store card',
  eventTicket: 'Event ticket',
  eventTicketBackground: 'Event ticket with background',
  generic: 'Generic',
  boardingPass: 'Boarding pass',
};
