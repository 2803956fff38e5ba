import type { ImageRole, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { clientFile } from '../../platform/client-files.ts';
import type { DrawOptions } from '../card/drawing.ts';

const DAY_MS = 86_400_000;
const SATURDAY = 6;
/** Kickoff, as an offset from midnight UTC. */
const KICK_OFF_MS = 18.5 * 3_600_000;

/** Content of the back. */
const BACK: [label: string, value: string][] = [
  ['Code', 'The QR code is real. Scan it to open this page on your phone.'],
  ['Signature', 'Apple Wallet accepts signed files only. The service signs each pass with your certificate.'],
  ['Updates', 'When a value changes, the devices that have the pass get a push and show the new value.'],
  ['At the gate', 'The scanner app opens from a link in a browser, and keeps working offline.'],
];

const SEAT = { seatSection: 'N2', seatRow: '12', seatNumber: '21' };

const IMAGES: Partial<Record<ImageRole, { file: string; width: number; height: number }>> = {
  artwork: { file: 'home/pass-artwork.svg', width: 358, height: 448 },
  primaryLogo: { file: 'home/pass-logo.svg', width: 126, height: 30 },
};

/** Returns a season ticket whose code contains `address`. It belongs to no account; `now` is UTC milliseconds. */
export function samplePass(address: string, now: number): Card {
  return {
    id: 'sample',
    accountId: '',
    templateId: '',
    passVersion: 1,
    passRevision: 1,
    templateVersion: 1,
    templateName: 'Season ticket',
    type: 'eventTicket',
    organizationName: 'FC Nordkai',
    description: 'Season ticket of FC Nordkai',
    colors: {
      backgroundColor: '#0c3b2e',
      foregroundColor: '#ffffff',
      labelColor: '#b7e36a',
      footerBackgroundColor: '#06231d',
    },
    fields: {
      headerFields: [],
      primaryFields: [],
      secondaryFields: [],
      auxiliaryFields: [],
      backFields: BACK.map(backField),
    },
    links: [],
    barcode: { format: 'qr', value: address, alternativeText: 'N2 · 12 · 21' },
    images: Object.fromEntries(Object.entries(IMAGES).map(([role, size]) => [role, pictureOf(size)])),
    localizedBackgrounds: {},
    locations: [],
    timezone: 'UTC',
    language: 'en',
    voided: false,
    redeemed: false,
    sharingProhibited: false,
    translations: {},
    walletApps: { apple: true, google: true },
    authenticationToken: '',
    modifiedAt: now,
  };
}

/** Returns the additional content of the poster, as a template's semantic tags. */
export function sampleExtras(now: number): NonNullable<DrawOptions['extras']> {
  return {
    tags: {
      eventName: 'FC Nordkai – SV Eichental',
      eventStartDate: new Date(nextMatch(now)).toISOString(),
      admissionLevel: 'Season ticket',
      venueName: 'Kaistadion',
      venueRegionName: 'Kiel',
      venueEntranceGate: '1',
      homeTeamAbbreviation: 'NKA',
      awayTeamAbbreviation: 'EIC',
      seats: [SEAT],
    },
    keys: {},
  };
}

/** Returns the address of an image of that pass. */
export const sampleImageUrl = (_image: StoredImage, role: ImageRole): string => clientFile(IMAGES[role]!.file).path;

function backField([label, value]: [string, string], i: number): CardField {
  return { key: `back-${i}`, type: 'text', label, value };
}

function pictureOf({ width, height }: { width: number; height: number }): StoredImage {
  return { sha256: '', width, height, variants: {} };
}

/** Returns the next Saturday that hasn't begun, so that the match is never in the past. */
function nextMatch(now: number): number {
  const today = Math.floor(now / DAY_MS);
  const days = (SATURDAY - new Date(now).getUTCDay() + 7) % 7 || 7;
  return (today + days) * DAY_MS + KICK_OFF_MS;
}
