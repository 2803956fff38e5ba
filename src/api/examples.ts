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

export const ORIGIN = 'https://passes.example.com';

export const PASS_FIELDS_EXAMPLE = {
  userProvidedId: 'booking-4711',
  Passenger: 'Ada Lovelace',
  Coach: 21,
  expirationDate: '2027-01-31 23:59',
  locations: [{ latitude: 48.185, longitude: 16.376, relevantText: 'Your train leaves from here' }],
};

const PROPERTY_IDS = { Passenger: '65f1c2a9b3d4e.10293847', Coach: '65f1c2a9b3d4e.56473829' };

/** The pass of a night train, as replies show it. */
export const PASS_EXAMPLE = {
  propertyIds: PROPERTY_IDS,
  properties: { Passenger: 'Ada Lovelace', Coach: '21' },
  propertiesById: { [PROPERTY_IDS.Passenger]: 'Ada Lovelace', [PROPERTY_IDS.Coach]: '21' },
  barcodeValue: '7041982365',
  generatedId: 'K7Q2M9X4T1ZBW5RD',
  searchString: 'booking-4711|7041982365|K7Q2M9X4T1ZBW5RD|Ada Lovelace|21',
  page: `${ORIGIN}/p/kM3vQ8sT1xZb7LwYc5RjHd`,
  file: `${ORIGIN}/passes/${PASS_ID_EXAMPLE}/kM3vQ8sT1xZb7LwYc5RjHd.pkpass`,
  save: 'https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9…',
  image: `${ORIGIN}/images/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
};

export const PUBLIC_KEY_EXAMPLE =
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE…\n-----END PUBLIC KEY-----\n';
