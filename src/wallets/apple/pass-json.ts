import type { Card, CardBarcode } from '../../domain/passes/card/card.ts';
import { PLACES_MAX } from '../../domain/templates/apple/members.ts';
import type { PassType } from '../../domain/templates/definition.ts';
import { formatIso } from '../../platform/dates.ts';
import { isLatin1 } from '../../platform/text.ts';
import { featureKeys } from './features.ts';
import { fieldLists } from './fields.ts';
import { type SemanticTags, semanticTags, styleSchemes } from './semantics.ts';
import { locationTexts } from './strings.ts';

/** The signer of a pass, and the URL at which devices get updates. */
export interface PassSigning {
  /** The certificate's UID. */
  passTypeId: string;
  /** The certificate's OU. */
  teamId: string;
  /** URL of Apple's web service (https), without `/v1`. Absent: no updates. */
  webServiceUrl?: string;
  /** Returns the text of the airport table, for an isolate's first flight. */
  readAirports: () => Promise<string>;
}

/** The content of pass.json. Undefined members are omitted. */
export interface PassJson {
  preferredStyleSchemes?: string[];
  semantics?: SemanticTags;
  [key: string]: unknown;
}

/** Devices truncate longer messages (Apple, Wallet Passes). */
const NFC_MESSAGE_BYTES_MAX = 64;

/** Key of the fields of each type in pass.json. */
export const STYLE_KEYS: Record<PassType, string> = {
  boardingPass: 'boardingPass',
  coupon: 'coupon',
  eventTicket: 'eventTicket',
  eventTicketBackground: 'eventTicket',
  generic: 'generic',
  storeCard: 'storeCard',
};

/**
 * Builds pass.json (Apple, Wallet Passes) with texts in the card's own language, which is the key of its translations.
 */
export async function buildPassJson(card: Card, signing: PassSigning): Promise<PassJson> {
  const tags = semanticTags(card, signing.readAirports);
  const semantics = tags instanceof Promise ? await tags : tags;
  const codes = barcodes(card.barcode);
  const schemes = styleSchemes(card, semantics);
  const style = STYLE_KEYS[card.type];
  const grouped = style === 'eventTicket' || style === 'boardingPass';
  return {
    formatVersion: 1,
    passTypeIdentifier: signing.passTypeId,
    teamIdentifier: signing.teamId,
    serialNumber: card.id,
    organizationName: card.organizationName,
    description: card.description,
    logoText: card.logoText || undefined,
    ...updateService(card, signing.webServiceUrl),
    ...colors(card, style),
    ...(codes instanceof Promise ? await codes : codes),
    nfc: nfc(card),
    ...relevance(card),
    expirationDate: iso(card.expirationAt, card.timezone),
    voided: card.voided || undefined,
    groupingIdentifier: (grouped && card.groupingIdentifier) || undefined,
    sharingProhibited: card.sharingProhibited || undefined,
    preferredStyleSchemes: schemes,
    semantics,
    ...featureKeys(card, schemes),
    [style]: {
      transitType: card.transitType,
      ...fieldLists(card, schemes?.[0] === 'posterEventTicket'),
    },
  };
}

/** The URL and the token must be present together. */
function updateService(card: Card, webServiceUrl: string | undefined): object {
  if (!webServiceUrl) return {};
  return {
    webServiceURL: webServiceUrl,
    authenticationToken: card.authenticationToken,
  };
}

function colors(card: Card, style: string): object {
  const { backgroundColor, foregroundColor, labelColor, footerBackgroundColor } = card.colors;
  return {
    backgroundColor: rgb(backgroundColor),
    foregroundColor: rgb(foregroundColor),
    labelColor: rgb(labelColor),
    footerBackgroundColor: style === 'eventTicket' ? rgb(footerBackgroundColor) : undefined,
  };
}

/** Converts `#rrggbb` to `rgb(r, g, b)`. */
export function rgb(color: string | null | undefined): string | undefined {
  if (!color) return undefined;
  const value = Number.parseInt(color.slice(1), 16);
  return `rgb(${value >> 16}, ${(value >> 8) & 0xff}, ${value & 0xff})`;
}

/** Apple's names of barcode formats. */
export const APPLE_FORMATS: Record<CardBarcode['format'], string> = {
  qr: 'PKBarcodeFormatQR',
  pdf417: 'PKBarcodeFormatPDF417',
  aztec: 'PKBarcodeFormatAztec',
  code128: 'PKBarcodeFormatCode128',
  ean13: 'PKBarcodeFormatEAN13',
  code39: 'PKBarcodeFormatCode39',
  codabar: 'PKBarcodeFormatCodabar',
  itf: 'PKBarcodeFormatI2of5',
};

/** Formats that all systems support, including those that read only the old key `barcode` (Apple, Wallet Passes). */
const OLD_FORMATS = new Set<CardBarcode['format']>(['qr', 'pdf417', 'aztec']);

/**
 * Returns the barcode of the pass. Watches don't show Code 128, and systems before iOS 27 no other linear codes, so a
 * QR code with the same message follows those (Apple, Wallet Passes). A value that the code can't hold becomes a QR
 * code. Codes can't rotate.
 */
function barcodes(barcode: CardBarcode | undefined): object | Promise<object> {
  if (!barcode?.value || barcode.rotating?.apple === 'none') return {};
  const code = (format: CardBarcode['format']) => ({
    format: APPLE_FORMATS[format],
    message: barcode.value,
    messageEncoding: isLatin1(barcode.value) ? 'iso-8859-1' : 'utf-8',
    altText: barcode.alternativeText || undefined,
  });
  if (OLD_FORMATS.has(barcode.format)) return { barcodes: [code(barcode.format)], barcode: code(barcode.format) };
  if (barcode.format === 'code128') return { barcodes: [code('code128'), code('qr')] };
  return linearCode(barcode, code);
}

async function linearCode(
  { format, value }: CardBarcode,
  code: (format: CardBarcode['format']) => object,
): Promise<object> {
  // Loaded on demand, because few passes have such a code.
  const { canHold } = await import('../../platform/barcodes.ts');
  if (await canHold(format, value)) return { barcodes: [code(format), code('qr')] };
  return { barcodes: [code('qr')], barcode: code('qr') };
}

function nfc(card: Card): object | undefined {
  if (!card.nfc?.message) return undefined;
  return {
    message: cutUtf8(card.nfc.message, NFC_MESSAGE_BYTES_MAX),
    encryptionPublicKey: card.nfc.encryptionPublicKey,
    requiresAuthentication: card.nfc.requiresAuthentication || undefined,
  };
}

/** Truncates a text to at most `bytesMax` bytes of UTF-8 without splitting a character. */
function cutUtf8(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Returns when and where the lock screen shows the pass. */
function relevance(card: Card): object {
  const date = iso(card.relevantAt, card.timezone);
  const { relevantDates, beacons, maxDistance } = (card.apple?.members ?? {}) as RelevanceMembers;
  const dates = [...(date ? [{ date }] : []), ...(relevantDates ?? [])].map(relevantDate);
  const locations = card.locations.slice(0, PLACES_MAX);
  const texts = locationTexts(card);
  const distances = locations.flatMap((location) => location.maxDistance ?? []);
  return {
    relevantDates: dates.length > 0 ? dates : undefined,
    // For systems before iOS 18.
    relevantDate: dates[0]?.date ?? dates[0]?.startDate,
    beacons: beacons?.slice(0, PLACES_MAX),
    locations:
      locations.length > 0
        ? locations.map((location, i) => ({
            latitude: location.latitude,
            longitude: location.longitude,
            altitude: location.altitude ?? undefined,
            relevantText: texts[i]!.text,
          }))
        : undefined,
    // Apple has one distance per pass; the API has one per location.
    maxDistance: maxDistance ?? (distances.length > 0 ? Math.max(...distances) : undefined),
  };
}

interface RelevantDate {
  date?: string;
  relevantDate?: string;
  startDate?: string;
  endDate?: string;
}

interface RelevanceMembers {
  relevantDates?: RelevantDate[];
  beacons?: object[];
  maxDistance?: number;
}

/**
 * Returns a relevant date. A point in time has one member for iOS 18 and one for iOS 26 with the same value; an
 * interval is the same in both.
 */
function relevantDate({ date, relevantDate: before, startDate, endDate }: RelevantDate): RelevantDate {
  const at = date ?? before;
  return at ? { date: at, relevantDate: at } : { startDate, endDate };
}

function iso(millis: number | undefined, timeZone: string): string | undefined {
  return millis === undefined ? undefined : formatIso(millis, timeZone);
}
