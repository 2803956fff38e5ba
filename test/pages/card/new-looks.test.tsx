import { expect, test } from 'vitest';
import type { Card, CardApple } from '../../../src/domain/passes/card/card.ts';
import { cardColorsCss } from '../../../src/pages/card/card-colors.ts';
import type { WalletLook } from '../../../src/pages/card/drawing.ts';
import { drawLook } from '../../../src/pages/card/new-looks/draw-look.tsx';
import { contrastRatio } from '../../../src/pages/colors.ts';
import { appleExtras } from '../../../src/wallets/apple/layouts.ts';
import { readAirports } from '../../support/airports.ts';
import { type SampleStyle, sampleCard, sampleField } from '../../support/card.ts';

const NOW = Date.UTC(2026, 11, 1);
const image = { sha256: 'abc', width: 10, height: 10, variants: {} };
const nfc = { message: 'm', encryptionPublicKey: 'k', requiresAuthentication: true };

async function draw(card: Card, look: WalletLook, language = 'en', face: 'front' | 'back' = 'front'): Promise<string> {
  const extras = await appleExtras(card, readAirports);
  const imageUrl = ({ sha256 }: { sha256: string }, role: string) => `/images/${role}-${sha256}`;
  return String(drawLook(card, { look, language, face, imageUrl, barcodeUrl: '/code.svg', extras, now: NOW }));
}

/** Returns the texts of a drawing from top to bottom. */
function texts(html: string): string[] {
  return html
    .split(/<[^>]*>/)
    .map((text) => text.replaceAll(/[\s\u202f]+/g, ' ').trim())
    .filter(Boolean);
}

function apple(more: Partial<CardApple>): CardApple {
  return { members: {}, additionalInfoFields: [], upcoming: [], ...more };
}

const EVENT = {
  eventName: 'Night <Ferries>',
  venueName: 'Alte Werft',
  venueRegionName: 'Hamburg',
  venueRoom: 'Hall 2',
  eventStartDate: '2027-06-18T20:00:00+02:00',
  admissionLevel: 'Standing',
  performerNames: ['Night <Ferries>', 'Nova "Lind"'],
  seats: [
    { seatSection: 'B', seatRow: '12', seatNumber: '7' },
    { seatSection: 'B', seatRow: '12', seatNumber: '8' },
  ],
};

function ticket(more: Partial<CardApple> = {}, overrides: Partial<Card> = {}): Card {
  return sampleCard('eventTicket', {
    preferredStyleScheme: 'posterEventTicket',
    nfc,
    barcode: undefined,
    images: { artwork: image, primaryLogo: image, secondaryLogo: image },
    apple: apple({ semantics: EVENT, ...more }),
    translations: { de: { 'Hall 2': 'Halle 2', Standing: 'Stehplatz' } },
    ...overrides,
  });
}

test('a poster event ticket shows its event, time, admission and place, from top to bottom', async () => {
  const html = await draw(ticket({ members: { eventLogoText: 'parallel nights' } }), 'posterEventTicket');
  expect(texts(html)).toEqual([
    'parallel nights',
    'Fri, Jun 18',
    '8:00 PM',
    'Night &lt;Ferries&gt;',
    'Nova &quot;Lind&quot;',
    'Standing',
    'Section',
    'B',
    'Row',
    '12',
    'Seat',
    '7, 8',
    'Alte Werft',
    'Hall 2 · Hamburg',
    'Hold Near Reader',
  ]);
  const images = [...html.matchAll(/src="\/images\/(\w+)-abc"/g)].map(([, role]) => role);
  expect(images).toEqual(['artwork', 'primaryLogo', 'secondaryLogo']);
  expect(html).not.toMatch(/\sstyle=|<script|<Ferries>/);
});

test('a poster uses the phone’s language, and the template’s translations', async () => {
  const shown = texts(await draw(ticket(), 'posterEventTicket', 'de'));
  for (const text of ['Fr., 18. Juni', '20:00', 'Stehplatz', 'Reihe', 'Halle 2 · Hamburg', 'Ans Lesegerät halten']) {
    expect(shown).toContain(text);
  }
});

test('a poster names the days of a long event, and no unknown date', async () => {
  const { eventStartDate: _, ...undated } = EVENT;
  const relevantDates = [
    { startDate: '2027-06-18T12:00:00Z', endDate: '2027-06-18T21:00:00Z' },
    { startDate: '2027-06-20T12:00:00Z', endDate: '2027-06-20T21:00:00Z' },
  ];
  const long = ticket({ semantics: undated, members: { relevantDates } }, { relevantAt: undefined });
  expect(texts(await draw(long, 'posterEventTicket')).join('|')).toMatch(/Jun 18 ?– ?20\|Night/);
  const eventStartDateInfo = { date: '2027-06-18T12:00:00Z', undetermined: true };
  const unknown = ticket({ semantics: { ...undated, eventStartDateInfo } });
  expect(texts(await draw(unknown, 'posterEventTicket'))[0]).toBe('To be announced');
  const wrong = ticket({ semantics: { ...EVENT, eventStartDate: 'soon' } });
  expect(await draw(wrong, 'posterEventTicket')).not.toMatch(/NaN|Invalid|undefined/);
});

test('a match shows its teams instead of the second logo', async () => {
  const semantics = {
    ...EVENT,
    eventType: 'PKEventTypeSports',
    homeTeamAbbreviation: 'LIN',
    awayTeamAbbreviation: 'SEE',
  };
  const html = await draw(ticket({ semantics }), 'posterEventTicket');
  expect(texts(html).join(' ')).toContain('SEE @ LIN');
  expect(html).not.toContain('secondaryLogo');
});

test('below a poster are the guide, directions, further information and upcoming events, if there are any', async () => {
  const upcoming = (name: string, dateInformation: object) => ({
    members: { name, dateInformation },
    additionalInfoFields: [],
    backFields: [],
  });
  const html = await draw(
    ticket({
      members: { bagPolicyURL: 'https://a.example' },
      semantics: { ...EVENT, venueLocation: { latitude: 1, longitude: 2 } },
      additionalInfoFields: [sampleField('line-up', 'Line-up', 'Nova & Lind')],
      upcoming: [
        upcoming('Second night', { date: '2027-06-19T18:00:00Z', isAllDay: true }),
        upcoming('Third night', { date: '2027-06-20T18:00:00Z', isUnannounced: true }),
      ],
    }),
    'posterEventTicket',
  );
  const below = texts(html.slice(html.indexOf('class="around"')));
  expect(below.slice(1)).toEqual([
    'Hold Near Reader',
    'Event Guide',
    'Directions',
    'Additional Info',
    'Line-up',
    'Nova &amp; Lind',
    'Upcoming Events',
    'Second night',
    'Sat, Jun 19',
    'Third night',
    'To be announced',
  ]);
  expect(texts(await draw(ticket(), 'posterEventTicket')).at(-1)).toBe('Hold Near Reader');
});

test.each<SampleStyle>(['generic', 'storeCard', 'coupon', 'eventTicket'])(
  'the poster of a %s shows one header, four fields, two categories and the code',
  async (style) => {
    const many = (list: string) => Array.from({ length: 6 }, (_, i) => sampleField(`${list}${i}`, '', `${list}${i}`));
    const posterGeneric = { headerFields: many('h'), primaryFields: many('p'), footerFields: many('f') };
    const members = { featuredActions: [{ identifier: 'a', type: 'shop' }] };
    const card = sampleCard(style, { images: { artwork: image }, apple: apple({ posterGeneric, members }) });
    const html = await draw(card, 'posterGeneric');
    expect(texts(html)).toEqual(['h0', card.barcode!.alternativeText, 'p0', 'p1', 'p2', 'p3', 'f0', 'f1', 'Shop']);
    expect(html).toContain('src="/code.svg"');
    expect(texts(await draw(card, 'posterGeneric', 'de')).at(-1)).toBe('Einkaufen');
  },
);

test('a poster without its own fields shows the card’s, on its back, too', async () => {
  const card = sampleCard('generic', { images: { artwork: image }, apple: apple({ posterGeneric: {} }) });
  expect(texts(await draw(card, 'posterGeneric'))).toContain('Zoë Sample');
  expect(texts(await draw(card, 'posterGeneric', 'en', 'back'))).toContain(card.fields.backFields[0]!.label);
});

function flight(overrides: Partial<Card['flight'] & object> = {}, semantics: Record<string, unknown> = {}): Card {
  const card = sampleCard('boardingPass', {
    preferredStyleScheme: 'semanticBoardingPass',
    apple: apple({ semantics }),
  });
  return { ...card, flight: { ...card.flight!, ...overrides } };
}

test('a new boarding pass shows both cities with their times, and what a passenger needs', async () => {
  const card = flight({ localEstimatedOrActualDepartureDateTime: null }, { priorityStatus: 'Gold' });
  expect(texts(await draw(card, 'semanticBoardingPass'))).toEqual([
    'Example Air',
    'LH 401',
    'Thu, Dec 24',
    'Berlin',
    'BER',
    '10:00 AM',
    '9h 5m',
    'New York',
    'JFK',
    '1:05 PM',
    'On time',
    'Terminal',
    '1',
    'Gate',
    'B12',
    'Boards',
    '9:20 AM',
    'Group',
    '2',
    'Seat',
    '23A',
    'Sequence',
    '0042',
    'Passenger',
    'Erika Mustermann',
    'Economy',
    'Gold',
    'Share Flight Tracker',
  ]);
});

test('a late flight shows both times, and boards later', async () => {
  const late = texts(await draw(flight(), 'semanticBoardingPass'));
  for (const text of ['10:00 AM', '10:15 AM', 'Delayed · 15m', '9:35 AM']) expect(late).toContain(text);
  expect(texts(await draw(flight(), 'semanticBoardingPass', 'de'))).toContain('10:15');
  const early = flight({ localEstimatedOrActualDepartureDateTime: '2026-12-24T09:50' });
  expect(texts(await draw(early, 'semanticBoardingPass'))).toContain('Early · 10m');
});

test('a badge names a security program that the passenger may use, if the airport has it', async () => {
  const programs = ['PKTransitSecurityProgramCLEAR', 'PKTransitSecurityProgramTSAPreCheck'];
  const eligible = { passengerEligibleSecurityPrograms: programs };
  expect(texts(await draw(flight({}, eligible), 'semanticBoardingPass'))).not.toContain('CLEAR');
  const there = { ...eligible, departureLocationSecurityPrograms: [programs[0]] };
  const shown = texts(await draw(flight({}, there), 'semanticBoardingPass'));
  expect([shown.includes('CLEAR'), shown.includes('TSA PreCheck')]).toEqual([true, false]);
});

test.each<[SampleStyle, WalletLook]>([
  ['boardingPass', 'apple'],
  ['boardingPass', 'google'],
  ['eventTicket', 'apple'],
  ['eventTicket', 'google'],
  ['storeCard', 'apple'],
  ['storeCard', 'google'],
  ['coupon', 'apple'],
  ['coupon', 'google'],
  ['generic', 'apple'],
  ['generic', 'google'],
])('a %s for %s shows escaped texts, and no missing value', async (style, look) => {
  const card = sampleCard(style, { organizationName: '<b>"Org"', logoText: '<i>Logo' });
  for (const language of ['en', 'de', 'ar']) {
    const html = await draw(card, look, language);
    expect(html).not.toMatch(/NaN|Invalid Date|>undefined|\[object|<b>|<i>|\sstyle=/);
  }
});

test('Google shows a flight’s boarding pass in its own layout, in the phone’s language', async () => {
  const card = sampleCard('boardingPass');
  const rows = (html: string) =>
    [...html.matchAll(/class="google-row">(.*?)<\/dl>/gs)].map(([, row]) => texts(row!).join(' '));
  const html = await draw(card, 'google');
  expect(rows(html)).toEqual(['Terminal 1 Gate B12 Boards 9:20 AM', 'Passenger Erika Mustermann Group 2 Seat 23A']);
  expect(texts(html)).toEqual(expect.arrayContaining(['LH 401 · Thu, Dec 24', 'Berlin', 'BER', 'New York', 'JFK']));
  expect(rows(await draw(card, 'google', 'de'))[1]).toBe('Passagier Erika Mustermann Gruppe 2 Platz 23A');
});

test('Google shows the template’s layout, with the fields around the code', async () => {
  const at = (...paths: string[]) => ({ fields: paths.map((fieldPath) => ({ fieldPath })) });
  const item = (path: string) => ({ firstValue: at(path) });
  const google: Card['google'] = {
    seatInfo: { section: 'A' },
    venue: { name: 'Great Hall', address: 'Main Street 1' },
    dateTime: { start: '2027-01-01 19:30' },
    classTemplateInfo: {
      cardBarcodeSectionDetails: {
        firstTopDetail: { fieldSelector: at('object.seatInfo.seat', 'object.seatInfo.section') },
        firstBottomDetail: { fieldSelector: at('class.venue.address') },
      },
      cardTemplateOverride: {
        cardRowTemplateInfos: [{ oneItem: { item: item('class.dateTime.start') } }],
      },
    },
  };
  const shown = texts(await draw(sampleCard('eventTicket', { google, translations: {} }), 'google'));
  const [title, ...rest] = shown.slice(shown.indexOf('New Year&#39;s Concert'));
  expect(title).toBe('New Year&#39;s Concert');
  expect(rest).toEqual([
    'Great Hall',
    'Start',
    'Jan 1, 2027, 7:30 PM',
    'Section',
    'A',
    '0815-4711',
    'Venue',
    'Main Street 1',
  ]);
});

test('only a pass with NFC mentions a reader, and never at Google', async () => {
  for (const [look, has] of [
    ['apple', true],
    ['google', false],
  ] as const) {
    expect((await draw(sampleCard('generic', { nfc }), look)).includes('Hold Near Reader')).toBe(has);
    expect(await draw(sampleCard('generic'), look)).not.toContain('Hold Near Reader');
  }
});

test('the strip of a poster has its own color, and readable texts on it', () => {
  const colors = { backgroundColor: '#ffffff', foregroundColor: '#777777', footerBackgroundColor: '#888888' };
  for (const look of ['posterEventTicket', 'posterGeneric'] as const) {
    const css = cardColorsCss({ id: 'x', colors }, look);
    const [, strip, ...onStrip] = /--strip-background:(.+?);--strip-foreground:(.+?);--strip-label:(.+?)}/.exec(css)!;
    expect(strip === '#888888').toBe(look === 'posterEventTicket');
    for (const color of onStrip) expect(contrastRatio(color, strip!)).toBeGreaterThanOrEqual(4.5);
  }
  expect(cardColorsCss({ id: 'x', colors })).not.toContain('strip');
  const automatic = cardColorsCss(
    { id: 'x', colors, apple: apple({ members: { useAutomaticColors: true } }) },
    'posterEventTicket',
  );
  expect(automatic).toContain('--card-foreground:#000000');
});
