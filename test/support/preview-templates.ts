import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { TemplateInput } from './samples.ts';

type Upcoming = NonNullable<NonNullable<TemplateInput['apple']>['upcomingPassInformation']>;

const demoImage = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../scripts/demo/images', `${name}.png`)).toString('base64');

const nfc = {
  enabled: true,
  requiresAuthentication: true,
  encryptionPublicKey: `MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA${'A'.repeat(44)}=`,
};

/** Returns definitions for newer layouts or Google's own, by name; each also has German texts. */
export async function previewTemplates(): Promise<Record<string, TemplateInput>> {
  return {
    concert: concert(),
    match: await match(),
    museum: await museum(),
    flight: flight(),
    'google ticket': googleTicket(),
    loyalty: loyalty(),
  };
}

function concert(): TemplateInput {
  return {
    name: 'Concert',
    description: 'Ticket for Tidal Hours',
    organizationName: 'parallel nights',
    type: 'eventTicketBackground',
    timezone: 'Europe/Berlin',
    nfc,
    images: {
      logo: demoImage('parallel-icon'),
      primaryLogo: demoImage('parallel-icon'),
      background: demoImage('parallel-background'),
    },
    colors: {
      backgroundColor: '#1a1038',
      foregroundColor: '#ffffff',
      labelColor: '#ffb08f',
      footerBackgroundColor: '#481a5e',
    },
    fields: {
      headerFields: [{ key: 'doors', label: 'Doors', value: '18:30' }],
      primaryFields: [{ key: 'event', label: 'Live', value: 'Tidal Hours' }],
      secondaryFields: [
        { key: 'venue', label: 'Venue', value: 'Alte Werft' },
        { key: 'start', type: 'date', label: 'Begins', value: '2027-06-18 20:00', dateStyle: 'PKDateStyleMedium' },
      ],
      auxiliaryFields: [
        { key: 'row', label: 'Row', value: '12' },
        { key: 'seat', label: 'Seat', value: '7' },
      ],
    },
    logoText: 'parallel nights',
    relevantDate: '2027-06-18 19:30',
    barcode: { format: 'none' },
    apple: {
      preferredStyleSchemes: ['posterEventTicket', 'eventTicket'],
      eventLogoText: 'parallel nights',
      bagPolicyURL: 'https://parallel.example/bags',
      additionalInfoFields: [{ key: 'line-up', label: 'Line-up', value: 'Tidal Hours, Nova Lind' }],
      semantics: {
        eventType: 'PKEventTypeLivePerformance',
        eventName: 'Tidal Hours',
        venueName: 'Alte Werft',
        venueRegionName: 'Hamburg',
        venueRoom: 'Hall 2',
        performerNames: ['Tidal Hours', 'Nova Lind'],
        eventStartDate: '2027-06-18 20:00',
        venueEntranceGate: 'North',
        venueLocation: { latitude: 53.54, longitude: 9.96 },
        seats: [{ seatSection: 'B', seatRow: '12', seatNumber: '7' }],
      },
    },
    translationsEnabled: true,
    translations: {
      de: {
        'Hall 2': 'Halle 2',
        North: 'Nord',
        Live: 'Konzert',
        'Line-up': 'Besetzung',
        Doors: 'Einlass',
        Venue: 'Ort',
        Begins: 'Beginn',
        Row: 'Reihe',
        Seat: 'Platz',
      },
    },
  };
}

/** Returns a drawing that stands in for a photo: a pitch below an evening sky. */
async function drawnArtwork(top: string, bottom: string, shape: string): Promise<string> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 358 448" width="1074" height="1344">
    <defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs>
    <rect width="358" height="448" fill="url(#g)"/>${shape}</svg>`;
  return (await sharp(Buffer.from(svg)).png().toBuffer()).toString('base64');
}

async function match(): Promise<TemplateInput> {
  const seat = { seatLevel: '1', seatSection: '117', seatRow: '2', seatNumber: '9' };
  return {
    name: 'Season ticket',
    description: 'Season ticket of Lindhof 04',
    organizationName: 'Lindhof 04',
    type: 'eventTicket',
    timezone: 'Europe/Vienna',
    nfc,
    images: {
      primaryLogo: demoImage('lindhof-icon'),
      artwork: await drawnArtwork(
        '#0b2f5c',
        '#1f8a4c',
        '<circle cx="179" cy="235" r="74" fill="none" stroke="#fff" stroke-width="5"/><path d="M0 235h358" stroke="#fff" stroke-width="5"/><circle cx="179" cy="235" r="9" fill="#fff"/>',
      ),
    },
    colors: { backgroundColor: '#0d3b26', foregroundColor: '#ffffff', labelColor: '#bfe8d0' },
    fields: { primaryFields: [{ key: 'match', label: 'Home match', value: 'Lindhof – Seewald' }] },
    apple: {
      preferredStyleSchemes: ['posterEventTicket', 'eventTicket'],
      directionsInformationURL: 'https://lindhof.example/directions',
      parkingInformationURL: 'https://lindhof.example/parking',
      semantics: {
        eventType: 'PKEventTypeSports',
        eventName: 'Lindhof – Seewald',
        venueName: 'Lindhof Arena',
        venueRegionName: 'Graz',
        venueRoom: 'West Stand',
        homeTeamAbbreviation: 'LIN',
        awayTeamAbbreviation: 'SEE',
        eventStartDate: '2027-03-06 15:30',
        admissionLevel: 'Season Ticket',
        seats: [seat],
      },
      upcomingPassInformation: [
        { identifier: 'm2', name: 'Lindhof – Altmark', dateInformation: { date: '2027-03-20 18:00' }, isActive: true },
        {
          identifier: 'm3',
          name: 'Lindhof – Nordhaven',
          dateInformation: { date: '2027-04-03', isUndetermined: true },
        },
      ] as Upcoming,
    },
    translationsEnabled: true,
    translations: { de: { 'West Stand': 'Westtribüne', 'Season Ticket': 'Dauerkarte', 'Home match': 'Heimspiel' } },
  };
}

async function museum(): Promise<TemplateInput> {
  return {
    name: 'Museum card',
    description: 'Annual card of the Museum of Tides',
    organizationName: 'Museum of Tides',
    type: 'generic',
    images: {
      primaryLogo: demoImage('ninfea-icon'),
      artwork: await drawnArtwork(
        '#f6d9a8',
        '#d9653b',
        '<path d="M0 260q90-70 179 0t179 0v188H0z" fill="#12403a"/><path d="M0 310q90-70 179 0t179 0v138H0z" fill="#1d6a5e"/><circle cx="255" cy="130" r="46" fill="#fff3d6"/>',
      ),
    },
    colors: { backgroundColor: '#12403a', foregroundColor: '#ffffff', labelColor: '#bfe3da' },
    fields: {
      headerFields: [{ key: 'number', label: 'Guest no.', value: '102035' }],
      primaryFields: [{ key: 'member', label: 'Member', value: '{Full name}' }],
      backFields: [{ key: 'terms', label: 'Terms', value: 'Not transferable.' }],
    },
    additionalProperties: [{ name: 'Full name', type: 'text', default: 'Mira Castellan' }],
    barcode: { format: 'qr', valueDifferentForEachPass: true },
    apple: {
      featuredActions: [
        { identifier: 'a', type: 'membershipBenefits', url: 'https://museum.example/benefits' },
        { identifier: 'b', type: 'place', placeIdentifier: 'I7C250D2CDCB364A' },
      ],
      posterGeneric: {
        primaryFields: [
          { key: 'name', label: 'Member', value: '{Full name}' },
          { key: 'until', type: 'date', label: 'Valid until', value: '2027-12-31', dateStyle: 'PKDateStyleMedium' },
        ],
        footerFields: [
          { key: 'category', label: 'Category', value: 'Family' },
          { key: 'term', label: 'Term', value: 'Annual' },
        ],
      },
    },
    translationsEnabled: true,
    translations: {
      de: {
        'Guest no.': 'Gastnr.',
        Member: 'Mitglied',
        'Valid until': 'Gültig bis',
        Category: 'Art',
        Family: 'Familie',
        Term: 'Dauer',
        Annual: 'Jahreskarte',
      },
    },
  };
}

function flight(): TemplateInput {
  return {
    name: 'Boarding pass',
    description: 'Boarding pass of Corvane Airways',
    organizationName: 'Corvane Airways',
    type: 'boardingPass',
    transitType: 'PKTransitTypeAir',
    timezone: 'Europe/Zurich',
    images: {
      primaryLogo: demoImage('corvane-icon'),
      logo: demoImage('corvane-logo'),
      footer: demoImage('corvane-footer'),
    },
    colors: { backgroundColor: '#0b2b40', foregroundColor: '#ffffff', labelColor: '#8fc1d4' },
    fields: {
      primaryFields: [
        { key: 'origin', label: 'From', value: '{originAirportCode}' },
        { key: 'destination', label: 'To', value: '{destinationAirportCode}' },
      ],
      secondaryFields: [{ key: 'passenger', label: 'Passenger', value: '{passengerName}' }],
    },
    barcode: { format: 'aztec', valueDifferentForEachPass: true },
    apple: {
      preferredStyleSchemes: ['semanticBoardingPass', 'boardingPass'],
      changeSeatURL: 'https://corvane.example/seat',
      semantics: { priorityStatus: 'Gold' },
    },
    translationsEnabled: true,
    translations: { de: { From: 'Von', To: 'Nach', Passenger: 'Passagier', Economy: 'Economy-Klasse' } },
  };
}

function googleTicket(): TemplateInput {
  return {
    name: 'Reading',
    description: 'Ticket for a reading',
    organizationName: 'parallel nights',
    type: 'eventTicket',
    timezone: 'Europe/Berlin',
    images: { logo: demoImage('parallel-icon'), strip: demoImage('ninfea-strip') },
    colors: { backgroundColor: '#481a5e', foregroundColor: '#ffffff', labelColor: '#ffb08f' },
    fields: {
      primaryFields: [{ key: 'event', label: 'Reading', value: 'Night Ferries' }],
      secondaryFields: [{ key: 'guest', label: 'Guest', value: 'Mira Castellan' }],
    },
    relevantDate: '2027-06-18 19:30',
    barcode: { format: 'qr', valueDifferentForEachPass: true, alternativeText: 'Ticket {barcodeValue}' },
    google: {
      venue: { name: 'Alte Werft', address: 'Kai 2, Hamburg' },
      seatInfo: { section: 'B', row: '12', seat: '7' },
      classTemplateInfo: {
        cardBarcodeSectionDetails: {
          firstTopDetail: { fieldSelector: { fields: [{ fieldPath: "object.textModulesData['guest']" }] } },
        },
        cardTemplateOverride: {
          cardRowTemplateInfos: [
            {
              oneItem: { item: { firstValue: { fields: [{ fieldPath: 'class.dateTime.start' }] } } },
            },
            {
              threeItems: {
                startItem: { firstValue: { fields: [{ fieldPath: 'object.seatInfo.section' }] } },
                middleItem: { firstValue: { fields: [{ fieldPath: 'object.seatInfo.row' }] } },
                endItem: { firstValue: { fields: [{ fieldPath: 'object.seatInfo.seat' }] } },
              },
            },
          ],
        },
      },
    },
    translationsEnabled: true,
    translations: { de: { 'Night Ferries': 'Nachtfähren', Guest: 'Gast', Reading: 'Lesung' } },
  };
}

function loyalty(): TemplateInput {
  return {
    name: 'Loyalty card',
    description: 'Loyalty card of Ember & Oat',
    organizationName: 'Ember & Oat',
    type: 'storeCard',
    images: { logo: demoImage('ember-icon'), strip: demoImage('ember-strip') },
    colors: { backgroundColor: '#fff3e0', foregroundColor: '#3b1d0e', labelColor: '#8a4b1f' },
    fields: {
      primaryFields: [{ key: 'points', type: 'number', label: 'Points', value: '1250' }],
      secondaryFields: [
        { key: 'since', type: 'date', label: 'Since', value: '2024-03-01', dateStyle: 'PKDateStyleMedium' },
        { key: 'level', label: 'Level', value: 'Gold' },
      ],
    },
    barcode: { format: 'code128', valueDifferentForEachPass: true },
    translationsEnabled: true,
    translations: { de: { Points: 'Punkte', Since: 'Seit', Level: 'Stufe' } },
  };
}
