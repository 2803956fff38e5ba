/** Examples of the contract document; `test/contract.test.ts` sends them and expects success. */

export const TEMPLATE_ID_EXAMPLE = '01980b5e-4a30-7a52-9c11-0242ac120000';

export const PASS_ID_EXAMPLE = '01980b5e-5b12-7a04-9d31-0242ac120000';

export const TEMPLATE_EXAMPLE = {
  name: 'Night train',
  description: 'Ticket for the night train',
  organizationName: 'Aurora Rail',
  type: 'eventTicket',
  fields: {
    headerFields: [{ key: 'coach', label: 'Coach', value: '{Coach}' }],
    primaryFields: [{ key: 'route', label: 'Route', value: 'Vienna – Hamburg' }],
    secondaryFields: [{ key: 'passenger', label: 'Passenger', value: '{Passenger}', changeMessage: 'Now for %@' }],
  },
  additionalProperties: [
    { name: 'Passenger', type: 'text', required: true },
    { name: 'Coach', type: 'number' },
  ],
  barcode: { format: 'qr' },
  colors: { backgroundColor: '#14213d', foregroundColor: '#ffffff', labelColor: '#fca311' },
};

export const PASS_FIELDS_EXAMPLE = {
  userProvidedId: 'booking-4711',
  Passenger: 'Ada Lovelace',
  Coach: 21,
  expirationDate: '2027-01-31 23:59',
  locations: [{ latitude: 48.185, longitude: 16.376, relevantText: 'Your train leaves from here' }],
};
