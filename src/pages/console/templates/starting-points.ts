import type * as z from 'zod';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';

/** An initial design. */
export interface StartingPoint {
  id: string;
  title: string;
  /** Short description of its use. */
  text: string;
  definition: TemplateDefinition;
}

/** Returns the initial designs for a new template, one per pass style. */
export function startingPoints(organizationName: string): StartingPoint[] {
  return Object.entries(DESIGNS).map(([id, { title, text, definition }]) => ({
    id,
    title,
    text,
    definition: TemplateDefinition.parse({ name: title, organizationName, ...definition }),
  }));
}

type Design = Omit<z.input<typeof TemplateDefinition>, 'name' | 'organizationName'>;

const GENERATED = { format: 'qr', useAutoIdForValue: true, alternativeText: '{barcodeValue}' } as const;
const CLOCK = {
  type: 'date',
  dateStyle: 'PKDateStyleNone',
  timeStyle: 'PKDateStyleShort',
  ignoresTimezone: true,
} as const;

const DESIGNS: Record<string, { title: string; text: string; definition: Design }> = {
  eventTicket: {
    title: 'Event ticket',
    text: 'Concerts, cinema, museums, fairs',
    definition: {
      type: 'eventTicket',
      description: 'Event ticket',
      colors: { backgroundColor: '#3b1d60', foregroundColor: '#ffffff', labelColor: '#d9b8ff' },
      fields: {
        headerFields: [{ key: 'doors', label: 'Doors', value: '{doorsAt}', ...CLOCK }],
        primaryFields: [{ key: 'event', label: 'Event', value: '{event}', changeMessage: 'Now: %@' }],
        secondaryFields: [
          { key: 'venue', label: 'Venue', value: '{venue}', changeMessage: 'The venue is now %@' },
          { key: 'guest', label: 'Guest', value: '{guestName}' },
        ],
        auxiliaryFields: [
          { key: 'area', label: 'Area', value: '{area}' },
          { key: 'seat', label: 'Seat', value: '{seat}' },
        ],
        backFields: [{ key: 'terms', label: 'Good to know', value: 'Admits one person.' }],
      },
      additionalProperties: [
        { name: 'event', default: 'Opening night' },
        { name: 'venue', default: 'Main hall' },
        { name: 'doorsAt', type: 'datetime' },
        { name: 'guestName' },
        { name: 'area', type: 'select', options: ['Floor', 'Balcony'], default: 'Floor' },
        { name: 'seat', default: 'C 17' },
      ],
      barcode: GENERATED,
      relevantDateDifferentForEachPass: true,
      groupingIdentifierEnabled: true,
    },
  },
  storeCard: {
    title: 'Store card',
    text: 'Loyalty, stamps, prepaid value',
    definition: {
      type: 'storeCard',
      description: 'Loyalty card',
      colors: { backgroundColor: '#12403a', foregroundColor: '#ffffff', labelColor: '#9ed8c4' },
      fields: {
        headerFields: [{ key: 'level', label: 'Level', value: '{level}', changeMessage: 'Your level is now %@' }],
        primaryFields: [
          {
            key: 'points',
            type: 'number',
            label: 'Points',
            value: '{storedValue}',
            changeMessage: 'You now have %@ points',
          },
        ],
        secondaryFields: [{ key: 'member', label: 'Member', value: '{memberName}' }],
        auxiliaryFields: [{ key: 'number', label: 'Number', value: '{barcodeValue}' }],
        backFields: [{ key: 'how', label: 'How it works', value: 'Earn one point for each euro.' }],
      },
      additionalProperties: [
        { name: 'memberName' },
        { name: 'level', type: 'radiobutton', options: ['Basic', 'Silver', 'Gold'], default: 'Basic' },
      ],
      barcode: GENERATED,
      passFunctionality: { type: 'loyalty' },
    },
  },
  coupon: {
    title: 'Coupon',
    text: 'Offers, vouchers, discounts',
    definition: {
      type: 'coupon',
      description: 'Voucher',
      colors: { backgroundColor: '#b3321f', foregroundColor: '#ffffff', labelColor: '#ffd9c9' },
      fields: {
        primaryFields: [{ key: 'offer', label: 'on everything', value: '{discount}%' }],
        secondaryFields: [
          { key: 'code', label: 'Code', value: '{barcodeValue}' },
          { key: 'until', type: 'date', label: 'Until', value: '{expirationDate}', dateStyle: 'PKDateStyleMedium' },
        ],
        backFields: [{ key: 'terms', label: 'Terms', value: 'Once per person. Can’t be combined with other offers.' }],
      },
      additionalProperties: [{ name: 'discount', type: 'number', default: '20' }],
      barcode: GENERATED,
      expiration: { validityInDays: 90 },
    },
  },
  boardingPass: {
    title: 'Boarding pass',
    text: 'Flights',
    definition: {
      type: 'boardingPass',
      transitType: 'PKTransitTypeAir',
      description: 'Boarding pass',
      colors: { backgroundColor: '#0b3a5e', foregroundColor: '#ffffff', labelColor: '#9fd0f5' },
      fields: {
        headerFields: [
          { key: 'flight', label: 'Flight', value: '{carrierCode} {flightNumber}' },
          { key: 'gate', label: 'Gate', value: '{originAirportGate}', changeMessage: 'Your gate is now %@' },
        ],
        primaryFields: [
          { key: 'from', label: 'From', value: '{originAirportCode}' },
          { key: 'to', label: 'To', value: '{destinationAirportCode}' },
        ],
        secondaryFields: [{ key: 'passenger', label: 'Passenger', value: '{passengerName}' }],
        auxiliaryFields: [
          {
            key: 'boarding',
            label: 'Boarding',
            value: '{localBoardingDateTime}',
            changeMessage: 'Boarding is now at %@',
            ...CLOCK,
          },
          { key: 'departure', label: 'Departure', value: '{localScheduledDepartureTime}', ...CLOCK },
          { key: 'seat', label: 'Seat', value: '{seatNumber}', changeMessage: 'Your seat is now %@' },
          { key: 'group', label: 'Group', value: '{boardingGroup}' },
        ],
        backFields: [{ key: 'booking', label: 'Booking reference', value: '{confirmationCode}' }],
      },
      barcode: { format: 'aztec', value: '{bcbp}', alternativeText: '{confirmationCode}' },
      groupingIdentifierEnabled: true,
      relevantDateDifferentForEachPass: true,
    },
  },
  generic: {
    title: 'Membership card',
    text: 'Members, students, access, anything else',
    definition: {
      type: 'generic',
      description: 'Membership card',
      colors: { backgroundColor: '#1d3557', foregroundColor: '#ffffff', labelColor: '#a8dadc' },
      fields: {
        headerFields: [{ key: 'level', label: 'Level', value: '{level}' }],
        primaryFields: [{ key: 'member', label: 'Member', value: '{memberName}' }],
        secondaryFields: [
          { key: 'number', label: 'Number', value: '{userProvidedId}' },
          { key: 'since', type: 'date', label: 'Since', value: '{memberSince}', dateStyle: 'PKDateStyleMedium' },
        ],
        backFields: [{ key: 'terms', label: 'Terms', value: 'Not transferable.' }],
      },
      additionalProperties: [
        { name: 'memberName', required: true },
        { name: 'level', default: 'Basic' },
        { name: 'memberSince', type: 'date' },
      ],
      barcode: GENERATED,
    },
  },
};
