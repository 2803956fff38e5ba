import type { Card, CardBarcode, CardField, CardRotation } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-kind.ts';
import { MERCHANT_LOCATIONS_MAX } from '../../domain/templates/google/input.ts';
import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import { LINEAR_ENCODERS } from '../../platform/symbologies/linear.ts';
import { isLatin1 } from '../../platform/text.ts';
import { googleMembers } from './google-members.ts';
import { balanceField, textModules } from './layout.ts';
import { buildClass } from './pass-class.ts';
import {
  type BuildOptions,
  googleImageAt,
  imageAt,
  logoOf,
  nonEmpty,
  objectIdOf,
  type Resource,
  type WalletResource,
} from './resource.ts';
import { dateTime, type LocalizedString, localized, localizedValue, translationsOf } from './text.ts';

/**
 * Builds the Google object of a card with the data of this pass. It names its class, so both must be built from the
 * same card and options; an existing class can be given. `now` (UTC milliseconds) decides whether the pass has expired.
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
    ...googleMembers(card, kind, 'object', options),
  };
  return { kind, resource };
}

/** Returns Google's state of a pass (Google Wallet API). All except ACTIVE move it to the expired passes. */
export function stateOf(card: Pick<Card, 'voided' | 'redeemed' | 'expirationAt'>, now: number): string {
  if (card.voided) return 'INACTIVE';
  if (card.redeemed) return 'COMPLETED';
  return card.expirationAt !== undefined && card.expirationAt <= now ? 'EXPIRED' : 'ACTIVE';
}

function sharedMembers(card: Card, kind: GoogleKind, { baseUrl }: BuildOptions): Record<string, unknown> {
  const { strip, background } = card.images;
  return {
    ...(card.barcode?.rotating
      ? { rotatingBarcode: rotatingBarcode(card.barcode, card.barcode.rotating) }
      : { barcode: card.barcode && barcode(card.barcode) }),
    validTimeInterval: validTimeInterval(card, kind),
    groupingInfo: card.groupingIdentifier ? { groupingId: card.groupingIdentifier } : undefined,
    merchantLocations: nonEmpty(
      (card.google?.merchantLocations ?? card.locations)
        .slice(0, MERCHANT_LOCATIONS_MAX)
        .map(({ latitude, longitude }) => ({ latitude, longitude })),
    ),
    hexBackgroundColor: COLORED_CLASSES.includes(kind) ? undefined : card.colors.backgroundColor,
    heroImage: imageAt(strip ?? background, baseUrl),
    imageModulesData: imageModulesData(card, baseUrl),
    textModulesData: nonEmpty([...textModulesData(card), ...ownTextModules(card)]),
    linksModuleData: linksModuleData(card),
  };
}

/** Kinds with their color in the class. */
const COLORED_CLASSES: GoogleKind[] = ['loyalty', 'offer', 'giftCard'];

/**
 * Returns the image module, because Google shows only one per object. The template's image takes precedence over the
 * thumbnail.
 */
function imageModulesData(card: Card, baseUrl: string) {
  const own = card.google?.imageModulesData;
  if (own) {
    return nonEmpty(
      own.flatMap(({ id, mainImage }, i) => {
        const image = googleImageAt(mainImage, baseUrl);
        return image ? [{ id: id ?? `image-${i + 1}`, mainImage: image }] : [];
      }),
    );
  }
  const mainImage = imageAt(card.images.thumbnail, baseUrl);
  return mainImage && [{ id: 'thumbnail', mainImage }];
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

/** Returns the barcode, as a QR code if its format can't hold the value. */
function barcode({ format, value, alternativeText }: CardBarcode) {
  const type = canEncode(format, value) ? BARCODE_TYPES[format] : BARCODE_TYPES.qr;
  return { type, value, alternateText: alternativeText || undefined };
}

function canEncode(format: CardBarcode['format'], value: string): boolean {
  if (format === 'qr' || format === 'pdf417' || format === 'aztec') return true;
  if (format === 'code128') return isLatin1(value);
  // Google supports Interleaved 2 of 5 only with 14 digits.
  if (format === 'itf' && value.length !== 14) return false;
  return LINEAR_ENCODERS[format](value) !== undefined;
}

/**
 * Returns the rotating barcode, which Android computes itself (Wallet API, RotatingBarcode). Without the key, the
 * object has no barcode.
 */
function rotatingBarcode(
  { format, value, alternativeText }: CardBarcode,
  { key, periodSeconds, digits }: CardRotation,
) {
  if (!key) return undefined;
  return {
    type: BARCODE_TYPES[format],
    valuePattern: `${value}.{totp_value_0}`,
    alternateText: alternativeText || undefined,
    totpDetails: {
      algorithm: 'TOTP_SHA1',
      periodMillis: String(periodSeconds * 1_000),
      parameters: [{ key, valueLength: digits }],
    },
  };
}

/**
 * Returns the validity. A transit object without a departure must have one, so it starts with the last change, which is
 * in the past.
 */
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
    .map(({ id, field }) => textModule(id, localized(card, field.label), localizedValue(card, field)));
}

/** Returns the template's own modules, without those that placeholders leave empty. */
function ownTextModules(card: Card) {
  return (card.google?.textModulesData ?? []).flatMap(({ id, header, body }, i) =>
    body ? [textModule(id ?? `text-module-${i + 1}`, localized(card, header ?? ''), localized(card, body))] : [],
  );
}

function textModule(id: string, header: LocalizedString, body: LocalizedString) {
  return {
    id,
    header: header.defaultValue.value || undefined,
    localizedHeader: translationsOf(header),
    body: body.defaultValue.value,
    localizedBody: translationsOf(body),
  };
}

function linksModuleData(card: Card) {
  const own = card.google?.linksModuleData?.uris ?? [];
  const uris = nonEmpty([
    ...card.links.map(({ label, url }, i) => uri(card, `link-${i + 1}`, url, label)),
    ...own.map((link, i) => uri(card, link.id ?? `template-link-${i + 1}`, link.uri, link.description ?? '')),
  ]);
  return uris && { uris };
}

function uri(card: Card, id: string, url: string, label: string) {
  const description = localized(card, label);
  return {
    id,
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
  giftCard: giftCardMembers,
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

/**
 * Returns the leg of a trip. The two primary fields of a boarding pass are origin and destination. Google refuses a leg
 * without an origin.
 */
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

/** Google requires a card number. It is the barcode value, which the till reads. */
function giftCardMembers(card: Card) {
  const [amount] = balanceField(card);
  return { cardNumber: card.barcode?.value || card.id, balance: amount && money(amount) };
}

/**
 * Returns Google's `Money` in millionths of the currency's unit; undefined if the field has no amount, or one that 64
 * bits can't hold: Google would refuse the whole object.
 */
function money({ value, currencyCode }: CardField) {
  if (typeof value !== 'number' || !currencyCode || Math.abs(value) > 9e12) return undefined;
  return { micros: String(Math.round(value * 1_000_000)), currencyCode };
}

/** Returns a balance. Google formats amounts, numbers and texts itself. */
function balance(card: Card, field: CardField) {
  const amount = money(field);
  if (amount) return { money: amount };
  if (typeof field.value !== 'number' || field.currencyCode)
    return { string: localizedValue(card, field).defaultValue.value };
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
