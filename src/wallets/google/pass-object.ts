import type { Card, CardBarcode, CardField } from '../../domain/passes/card/card.ts';
import { type GoogleKind, googleKindOf } from '../../domain/passes/google/google-kind.ts';
import { textModules } from './layout.ts';
import { buildClass } from './pass-class.ts';
import { type BuildOptions, imageAt, logoOf, objectIdOf, type Resource, type WalletResource } from './resource.ts';
import { dateTime, localized, localizedValue, translationsOf } from './text.ts';

/** "There is a maximum of ten on the object", more are rejected (Wallet API, `merchantLocations`). */
const MERCHANT_LOCATIONS_MAX = 10;

/**
 * The Google object of a card: what belongs to this one pass. It names its class, so both have to be built from the
 * same card and options; a class that is built already can be given. `now` (UTC milliseconds) decides whether the pass
 * has expired.
 */
export function buildObject(
  card: Card,
  options: BuildOptions & { now?: number },
  { resource: walletClass } = buildClass(card, options),
): WalletResource {
  const kind = googleKindOf(card);
  const resource: Resource = {
    id: objectIdOf(options.issuerId, card.id),
    classId: walletClass.id,
    state: stateOf(card, options.now ?? Date.now()),
    ...MEMBERS[kind](card, options),
    ...sharedMembers(card, kind, options),
  };
  return { kind, resource };
}

/** Google's state of a pass (Google Wallet API); all but ACTIVE move it to the expired passes. */
export function stateOf(card: Pick<Card, 'voided' | 'redeemed' | 'expirationAt'>, now: number): string {
  if (card.voided) return 'INACTIVE';
  if (card.redeemed) return 'COMPLETED';
  return card.expirationAt !== undefined && card.expirationAt <= now ? 'EXPIRED' : 'ACTIVE';
}

function sharedMembers(card: Card, kind: GoogleKind, { baseUrl }: BuildOptions): Record<string, unknown> {
  const { thumbnail, strip, background } = card.images;
  const mainImage = imageAt(thumbnail, baseUrl);
  return {
    barcode: card.barcode && barcode(card.barcode),
    validTimeInterval: validTimeInterval(card, kind),
    groupingInfo: card.groupingIdentifier ? { groupingId: card.groupingIdentifier } : undefined,
    merchantLocations: nonEmpty(
      card.locations.slice(0, MERCHANT_LOCATIONS_MAX).map(({ latitude, longitude }) => ({ latitude, longitude })),
    ),
    // Loyalty and offer objects have no colour of their own; their class has it.
    hexBackgroundColor: kind === 'loyalty' || kind === 'offer' ? undefined : card.colors.backgroundColor,
    heroImage: imageAt(strip ?? background, baseUrl),
    imageModulesData: mainImage && [{ id: 'thumbnail', mainImage }],
    textModulesData: nonEmpty(textModulesData(card)),
    linksModuleData: card.links.length > 0 ? { uris: card.links.map((link, i) => uri(card, link, i)) } : undefined,
  };
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

const BARCODE_TYPES: Record<CardBarcode['format'], string> = {
  qr: 'QR_CODE',
  pdf417: 'PDF_417',
  aztec: 'AZTEC',
  code128: 'CODE_128',
  ean13: 'EAN_13',
  code39: 'CODE_39',
  codabar: 'CODABAR',
  itf: 'ITF_14',
};

function barcode({ format, value, alternativeText }: CardBarcode) {
  // Google has no other Interleaved 2 of 5 than that of 14 digits.
  const type = format === 'itf' && value.length !== 14 ? BARCODE_TYPES.qr : BARCODE_TYPES[format];
  return { type, value, alternateText: alternativeText || undefined };
}

/** A transit object without a departure must have an interval; the last change is a start that is always past. */
function validTimeInterval(card: Card, kind: GoogleKind) {
  const { validAsOfAt, expirationAt, modifiedAt } = card;
  const start = validAsOfAt ?? (kind === 'transit' && !ticketLeg(card)?.departureDateTime ? modifiedAt : undefined);
  if (start === undefined && expirationAt === undefined) return undefined;
  return {
    start: start === undefined ? undefined : { date: dateTime(card, start) },
    end: expirationAt === undefined ? undefined : { date: dateTime(card, expirationAt) },
  };
}

function textModulesData(card: Card) {
  return textModules(card)
    .filter(({ field }) => field.value !== '')
    .map(({ id, field }) => {
      const header = localized(card, field.label);
      const body = localizedValue(card, field);
      return {
        id,
        header: header.defaultValue.value || undefined,
        localizedHeader: translationsOf(header),
        body: body.defaultValue.value,
        localizedBody: translationsOf(body),
      };
    });
}

function uri(card: Card, { label, url }: Card['links'][number], index: number) {
  const description = localized(card, label);
  return {
    id: `link-${index + 1}`,
    uri: url,
    description: label ? description.defaultValue.value : undefined,
    localizedDescription: label ? translationsOf(description) : undefined,
  };
}

const MEMBERS: Record<GoogleKind, (card: Card, options: BuildOptions) => Record<string, unknown>> = {
  flight: flightMembers,
  transit: transitMembers,
  offer: () => ({}),
  eventTicket: () => ({}),
  loyalty: loyaltyMembers,
  generic: genericMembers,
};

function flightMembers(card: Card) {
  const flight = card.flight!;
  return {
    passengerName: flight.passengerName,
    reservationInfo: { confirmationCode: flight.confirmationCode },
    boardingAndSeatingInfo: {
      boardingGroup: flight.boardingGroup || undefined,
      boardingPosition: flight.boardingPosition || undefined,
      seatNumber: flight.seatNumber || undefined,
      seatClass: flight.seatClass || undefined,
      sequenceNumber: flight.sequenceNumber || undefined,
    },
  };
}

function transitMembers(card: Card) {
  return { tripType: 'ONE_WAY', ticketLeg: ticketLeg(card) };
}

/** The two primary fields of a boarding pass are the way, from and to; a leg without an origin is refused. */
function ticketLeg(card: Card) {
  const [origin, destination] = card.fields.primaryFields;
  if (!origin || origin.value === '') return undefined;
  return {
    originName: localizedValue(card, origin),
    destinationName: destination && destination.value !== '' ? localizedValue(card, destination) : undefined,
    departureDateTime: card.relevantAt === undefined ? undefined : dateTime(card, card.relevantAt),
  };
}

function loyaltyMembers(card: Card) {
  const [points] = card.fields.primaryFields;
  if (!points || points.value === '') return {};
  const label = localized(card, points.label);
  return {
    loyaltyPoints: {
      label: label.defaultValue.value || undefined,
      localizedLabel: translationsOf(label),
      balance: balance(card, points),
    },
  };
}

/** Google formats amounts, numbers and texts itself; money counts in millionths of the currency's unit. */
function balance(card: Card, field: CardField) {
  if (typeof field.value !== 'number') return { string: localizedValue(card, field).defaultValue.value };
  if (field.currencyCode)
    return { money: { micros: String(Math.round(field.value * 1_000_000)), currencyCode: field.currencyCode } };
  return Number.isInteger(field.value) && Math.abs(field.value) < 2 ** 31
    ? { int: field.value }
    : { double: field.value };
}

function genericMembers(card: Card, { baseUrl }: BuildOptions) {
  const [title] = card.fields.primaryFields;
  const hasTitle = title !== undefined && title.value !== '';
  return {
    cardTitle: localized(card, card.logoText || card.organizationName),
    header: hasTitle ? localizedValue(card, title) : localized(card, card.description),
    subheader: hasTitle && title.label ? localized(card, title.label) : undefined,
    logo: logoOf(card, baseUrl),
  };
}
