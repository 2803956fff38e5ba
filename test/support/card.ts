import type { Card, CardField } from '../../src/domain/passes/card/card.ts';
import type { FieldList } from '../../src/domain/templates/list-names.ts';

export type SampleStyle = 'boardingPass' | 'eventTicket' | 'storeCard' | 'coupon' | 'generic';

const CREATED_AT = Date.UTC(2026, 10, 2, 9, 30);

/**
 * Returns a realistic card of one style, the same on every call: an air boarding pass, a concert ticket, a loyalty
 * card, a coupon or a membership card. It has German texts, a location, a barcode and no images; `overrides` replaces
 * top-level members.
 */
export function sampleCard(style: SampleStyle, overrides: Partial<Card> = {}): Card {
  return { ...common(style), ...SAMPLES[style](), ...overrides };
}

/** Returns a text field; `more` overrides its members. */
export function sampleField(
  key: string,
  label: string,
  value: string | number,
  more: Partial<CardField> = {},
): CardField {
  return { key, type: 'text', label, value, ...more };
}

/** Returns the five lists of fields; unnamed ones are empty. */
export function sampleFields(lists: Partial<Record<FieldList, CardField[]>>): Record<FieldList, CardField[]> {
  return {
    headerFields: [],
    primaryFields: [],
    secondaryFields: [],
    auxiliaryFields: [],
    backFields: [],
    ...lists,
  };
}

const field = sampleField;

function common(style: SampleStyle): Card {
  return {
    id: '0199f1c2-7c00-7a3b-9c4d-5e6f7a8b9c00',
    accountId: '0199f1c2-0001-7000-8000-000000000000',
    templateId: '0199f1c2-0002-7000-8000-000000000000',
    passVersion: 1,
    passRevision: 0,
    templateVersion: 1,
    templateName: 'Sample',
    type: style,
    organizationName: 'Example Organization',
    description: 'Sample pass',
    colors: {
      backgroundColor: '#1d3557',
      foregroundColor: '#ffffff',
      labelColor: '#a8dadc',
    },
    fields: sampleFields({}),
    links: [],
    barcode: {
      format: 'qr',
      value: '0815-4711',
      alternativeText: '0815-4711',
    },
    images: {},
    localizedBackgrounds: {},
    locations: [
      {
        latitude: 52.520008,
        longitude: 13.404954,
        altitude: 34,
        maxDistance: 250,
        relevantText: 'Welcome to Berlin',
        localizedRelevantText: { de: 'Willkommen in Berlin' },
      },
    ],
    timezone: 'Europe/Berlin',
    language: 'en',
    voided: false,
    redeemed: false,
    sharingProhibited: false,
    translations: {},
    walletApps: { apple: true, google: true },
    authenticationToken: 'vxwxd7J8AlNNFPS8k0a0FfUFtq0ewzFdc',
    modifiedAt: CREATED_AT,
  };
}

const SAMPLES: Record<SampleStyle, () => Partial<Card>> = {
  boardingPass,
  eventTicket,
  storeCard,
  coupon,
  generic,
};

function boardingPass(): Partial<Card> {
  return {
    templateName: 'Flight',
    transitType: 'PKTransitTypeAir',
    organizationName: 'Example Air',
    description: 'Boarding pass Berlin to New York',
    logoText: 'Example Air',
    fields: sampleFields({
      headerFields: [field('gate', 'Gate', 'B12', { changeMessage: 'Gate %@' })],
      primaryFields: [field('origin', 'Berlin', 'BER'), field('destination', 'New York', 'JFK')],
      secondaryFields: [field('passenger', 'Passenger', 'Erika Mustermann'), field('class', 'Class', 'Economy')],
      auxiliaryFields: [
        field('flight', 'Flight', 'LH401'),
        field('seat', 'Seat', '23A'),
        field('boarding', 'Boarding', '2026-12-24T09:20:00+01:00', {
          type: 'date',
          dateStyle: 'PKDateStyleNone',
          timeStyle: 'PKDateStyleShort',
          ignoresTimezone: true,
        }),
      ],
      backFields: [field('confirmation', 'Booking code', 'QX3Y7Z')],
    }),
    barcode: {
      format: 'aztec',
      value: 'M1MUSTERMANN/ERIKA    EQX3Y7Z BERJFKLH 0401 358Y023A0042 100',
      alternativeText: '',
    },
    relevantAt: Date.UTC(2026, 11, 24, 8, 20),
    expirationAt: Date.UTC(2026, 11, 25, 8, 0),
    groupingIdentifier: 'QX3Y7Z',
    translations: {
      de: {
        Passenger: 'Passagier',
        Class: 'Klasse',
        Flight: 'Flug',
        Seat: 'Sitz',
        'Booking code': 'Buchungscode',
        Boarding: 'Einstieg',
        'Gate %@': 'Neues Gate: %@',
      },
    },
    flight: {
      originAirportCode: 'BER',
      destinationAirportCode: 'JFK',
      localScheduledDepartureTime: '2026-12-24T10:00',
      localBoardingDateTime: '2026-12-24T09:20',
      localScheduledArrivalDateTime: '2026-12-24T13:05',
      localEstimatedOrActualDepartureDateTime: '2026-12-24T10:15',
      passengerName: 'Erika Mustermann',
      carrierCode: 'LH',
      confirmationCode: 'QX3Y7Z',
      flightNumber: 401,
      originAirportGate: 'B12',
      originAirportTerminal: '1',
      destinationAirportTerminal: '4',
      seatClass: 'Economy',
      seatNumber: '23A',
      sequenceNumber: '0042',
      boardingGroup: '2',
      boardingPosition: '17',
    },
  };
}

function eventTicket(): Partial<Card> {
  return {
    templateName: 'Concert',
    organizationName: 'Example Concerts',
    description: "Ticket for the New Year's concert",
    logoText: 'Example Concerts',
    fields: sampleFields({
      headerFields: [field('doors', 'Doors', '18:30')],
      primaryFields: [field('event', 'Event', "New Year's Concert")],
      secondaryFields: [
        field('venue', 'Venue', 'Großer Saal'),
        field('date', 'Date', '2027-01-01T19:30:00+01:00', {
          type: 'date',
          dateStyle: 'PKDateStyleMedium',
          timeStyle: 'PKDateStyleShort',
        }),
      ],
      auxiliaryFields: [
        field('row', 'Row', '7', { row: 0 }),
        field('seat', 'Seat', '12', { row: 0 }),
        field('price', 'Price', 49.5, {
          type: 'currency',
          currencyCode: 'EUR',
          row: 1,
        }),
      ],
      backFields: [
        field('terms', 'Terms', 'Doors close at "19:25".\nNo refund.'),
        field('news', 'News', '', { changeMessage: '%@' }),
      ],
    }),
    links: [
      {
        label: 'Programme & map',
        url: 'https://concerts.example/programme?a=1&b=2',
      },
      { label: 'Call us', url: 'tel:+493012345678' },
    ],
    relevantAt: Date.UTC(2027, 0, 1, 18, 30),
    expirationAt: Date.UTC(2027, 0, 2, 5, 0),
    groupingIdentifier: 'order-1001',
    translations: {
      de: {
        Event: 'Veranstaltung',
        "New Year's Concert": 'Neujahrskonzert – Österreich',
        Venue: 'Ort',
        Date: 'Datum',
        Row: 'Reihe',
        Seat: 'Platz',
        Price: 'Preis',
        Doors: 'Einlass',
        Terms: 'Bedingungen',
        'Doors close at "19:25".\nNo refund.': 'Einlass bis „19:25“.\nKeine Rückgabe (\\).',
      },
    },
  };
}

function storeCard(): Partial<Card> {
  return {
    templateName: 'Loyalty card',
    organizationName: 'Example Coffee',
    description: 'Loyalty card of Example Coffee',
    logoText: 'Example Coffee',
    fields: sampleFields({
      headerFields: [
        field('points', 'Points', 120, {
          type: 'number',
          numberStyle: 'PKNumberStyleDecimal',
          changeMessage: 'You now have %@ points',
        }),
      ],
      primaryFields: [
        field('balance', 'Balance', 25.4, {
          type: 'currency',
          currencyCode: 'EUR',
        }),
      ],
      secondaryFields: [field('holder', 'Card holder', 'Jörg Beispiel')],
      auxiliaryFields: [field('level', 'Level', 'Gold', { alignment: 'PKTextAlignmentRight' })],
      backFields: [field('terms', 'Terms', 'One point per euro.')],
    }),
    links: [{ label: 'Shop', url: 'https://coffee.example/' }],
    storedValue: 120,
    translations: {
      de: {
        Points: 'Punkte',
        Balance: 'Guthaben',
        'Card holder': 'Inhaber',
        Level: 'Stufe',
        Terms: 'Bedingungen',
        'One point per euro.': 'Ein Punkt je Euro.',
        'You now have %@ points': 'Du hast jetzt %@ Punkte',
      },
    },
  };
}

function coupon(): Partial<Card> {
  return {
    templateName: 'Coupon',
    organizationName: 'Example Books',
    description: '20 % off one book',
    logoText: 'Example Books',
    fields: sampleFields({
      primaryFields: [field('offer', 'Any one book', '20 % off')],
      auxiliaryFields: [
        field('expires', 'Valid until', '2027-03-31T23:59:00+02:00', {
          type: 'date',
          dateStyle: 'PKDateStyleMedium',
          timeStyle: 'PKDateStyleNone',
        }),
      ],
      backFields: [field('terms', 'Terms', 'Not for e-books.')],
    }),
    barcode: {
      format: 'code128',
      value: 'BOOK20-7F3K',
      alternativeText: 'BOOK20-7F3K',
    },
    expirationAt: Date.UTC(2027, 2, 31, 21, 59),
    translations: {
      de: {
        'Any one book': 'Auf ein Buch',
        '20 % off': '20 % Rabatt',
        'Valid until': 'Gültig bis',
        Terms: 'Bedingungen',
        'Not for e-books.': 'Nicht für E-Books.',
      },
    },
  };
}

function generic(): Partial<Card> {
  return {
    templateName: 'Membership',
    organizationName: 'Example Sports Club',
    description: 'Membership card',
    fields: sampleFields({
      headerFields: [field('number', 'No.', '004711')],
      primaryFields: [field('member', 'Member', 'Zoë Sample')],
      secondaryFields: [
        field('since', 'Member since', '2019-05-01T00:00:00+02:00', {
          type: 'date',
          dateStyle: 'PKDateStyleLong',
          timeStyle: 'PKDateStyleNone',
        }),
        field('section', 'Section', 'Rowing'),
      ],
      backFields: [field('contact', 'Contact', 'club@example.org')],
    }),
    barcode: {
      format: 'pdf417',
      value: 'MEMBER-004711',
      alternativeText: '004711',
    },
    validAsOfAt: Date.UTC(2026, 0, 1, 0, 0),
    translations: {
      de: {
        'No.': 'Nr.',
        Member: 'Mitglied',
        'Member since': 'Mitglied seit',
        Section: 'Abteilung',
        Rowing: 'Rudern',
        Contact: 'Kontakt',
      },
    },
  };
}
