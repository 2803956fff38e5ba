import { createHash } from 'node:crypto';
import type { Card } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-kind.ts';
import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import { dateTimeOf, googleMembers, localizedIfAny, wideAirlineLogo } from './google-members.ts';
import { classTemplateInfo } from './layout.ts';
import { type BuildOptions, isPublic, logoOf, type Resource, type WalletResource } from './resource.ts';
import { dateTime, type LocalizedString, localized, localizedValue, translationsOf } from './text.ts';

/** Path to which Google reports saves and deletions (`callbackOptions`). */
export const CALLBACK_PATH = '/wallet/google/callback';

/**
 * Builds the Google class of a card with all members that Google requires for its kind. Its name is a digest of its
 * content, so passes with equal content share it, and no pass changes another; a flight's class is updated in place.
 * Loyalty and transit classes lack their required logo without an image or an https origin.
 */
export function buildClass(card: Card, options: BuildOptions): WalletResource {
  const kind = googleKindOf(card);
  const texts = withoutPersonalTexts(card);
  const content = {
    ...sharedMembers(texts, kind, options, card),
    ...MEMBERS[kind](texts, options),
    ...googleMembers(texts, kind, 'class', options),
  };
  const suffix = kind === 'flight' ? flightSuffix(card) : digest([card.accountId, card.templateId, kind, content], 16);
  return { kind, resource: { id: `${options.issuerId}.${suffix}`, ...content } };
}

/** Removes personal texts, because a class stays at Google after its passes are erased. */
function withoutPersonalTexts(card: Card): Card {
  if (!card.impersonal) return card;
  const { title, hasOtherTitle: _, ...texts } = card.impersonal;
  const [, ...others] = card.fields.primaryFields;
  return { ...card, ...texts, fields: { ...card.fields, primaryFields: title ? [title, ...others] : others } };
}

/** Returns whether a class can change under the same ID, so that an existing one must be updated. */
export function isUpdatedInPlace(kind: GoogleKind): boolean {
  return kind === 'flight';
}

/** Returns the name of a flight's class: carrier, number, date and origin. The template separates tenants. */
function flightSuffix({ accountId, templateId, flight }: Card): string {
  if (!flight) throw new Error('a flight class needs flight fields');
  const { carrierCode, flightNumber, localScheduledDepartureTime, originAirportCode } = flight;
  const date = localScheduledDepartureTime.slice(0, 10).replaceAll('-', '');
  return `${carrierCode}${flightNumber}-${date}-${originAirportCode}-${digest([accountId, templateId], 10)}`;
}

/** Returns `length` characters of base64url (6 bits each) of the SHA-256 of a value's JSON. */
function digest(value: unknown, length: number): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);
}

/**
 * Returns the members that kinds share. `laidOut` is the card whose fields the object has. The order of members affects
 * the class's name.
 */
function sharedMembers(
  card: Card,
  kind: GoogleKind,
  { baseUrl }: BuildOptions,
  laidOut: Card,
): Record<string, unknown> {
  return {
    // A generic class has no name or review status, and Google refuses unknown members.
    ...(kind !== 'generic' && {
      ...withTranslations('issuerName', localized(card, card.organizationName)),
      reviewStatus: 'UNDER_REVIEW',
    }),
    multipleDevicesAndHoldersAllowedStatus: card.sharingProhibited ? 'ONE_USER_ALL_DEVICES' : 'MULTIPLE_HOLDERS',
    classTemplateInfo: classTemplateInfo(laidOut),
    callbackOptions: isPublic(baseUrl) ? { url: `${baseUrl}${CALLBACK_PATH}` } : undefined,
  };
}

const MEMBERS: Record<GoogleKind, (card: Card, options: BuildOptions) => Omit<Resource, 'id'>> = {
  flight: flightMembers,
  transit: transitMembers,
  offer: offerMembers,
  eventTicket: eventTicketMembers,
  loyalty: loyaltyMembers,
  giftCard: giftCardMembers,
  generic: () => ({}),
};

function flightMembers(card: Card, options: BuildOptions) {
  const flight = card.flight!;
  return {
    flightHeader: {
      carrier: {
        carrierIataCode: flight.carrierCode,
        airlineLogo: logoOf(card, options.baseUrl),
        wideAirlineLogo: wideAirlineLogo(card, options),
      },
      flightNumber: String(flight.flightNumber),
    },
    origin: {
      airportIataCode: flight.originAirportCode,
      terminal: flight.originAirportTerminal || undefined,
      gate: flight.originAirportGate || undefined,
    },
    destination: {
      airportIataCode: flight.destinationAirportCode,
      terminal: flight.destinationAirportTerminal || undefined,
      gate: flight.destinationAirportGate || undefined,
    },
    localScheduledDepartureDateTime: localDateTime(flight.localScheduledDepartureTime),
    localBoardingDateTime: localDateTime(flight.localBoardingDateTime),
    localEstimatedOrActualDepartureDateTime: localDateTime(flight.localEstimatedOrActualDepartureDateTime),
    localScheduledArrivalDateTime: localDateTime(flight.localScheduledArrivalDateTime),
    localEstimatedOrActualArrivalDateTime: localDateTime(flight.localEstimatedOrActualArrivalDateTime),
  };
}

/**
 * Formats an airport's local time without an offset: Google refuses an offset here and derives the zone from the
 * airport.
 */
function localDateTime(text: string | null | undefined): string | undefined {
  return text ? `${text}:00` : undefined;
}

const TRANSIT_TYPES: Record<NonNullable<Card['transitType']>, string> = {
  PKTransitTypeAir: 'OTHER',
  PKTransitTypeBoat: 'FERRY',
  PKTransitTypeBus: 'BUS',
  PKTransitTypeGeneric: 'OTHER',
  PKTransitTypeTrain: 'RAIL',
};

function transitMembers(card: Card, { baseUrl }: BuildOptions) {
  return {
    transitType: card.transitType ? TRANSIT_TYPES[card.transitType] : 'OTHER',
    logo: logoOf(card, baseUrl),
    transitOperatorName: localized(card, card.organizationName),
    enableSingleLegItinerary: true,
  };
}

/** Returns a member with a plain text, and the one with its translations: `title` and `localizedTitle`. */
function withTranslations(name: string, text: LocalizedString) {
  const localizedName = `localized${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return { [name]: text.defaultValue.value, [localizedName]: translationsOf(text) };
}

function offerMembers(card: Card, { baseUrl }: BuildOptions) {
  const [offer] = card.fields.primaryFields;
  const shortTitle = offer && offer.value !== '' ? localizedValue(card, offer) : undefined;
  return {
    ...withTranslations('title', localized(card, card.description)),
    ...(shortTitle && withTranslations('shortTitle', shortTitle)),
    ...withTranslations('provider', localized(card, card.organizationName)),
    redemptionChannel: 'BOTH',
    titleImage: logoOf(card, baseUrl),
    hexBackgroundColor: card.colors.backgroundColor,
  };
}

function eventTicketMembers(card: Card, { baseUrl }: BuildOptions) {
  const [event] = card.fields.primaryFields;
  return {
    eventName:
      event && event.value !== '' ? localizedValue(card, event) : localized(card, card.logoText || card.description),
    dateTime: eventDateTime(card),
    logo: logoOf(card, baseUrl),
  };
}

/** Returns the template's times of the event. The default start is the relevant date. */
function eventDateTime(card: Card) {
  const relevant = card.relevantAt === undefined ? undefined : dateTime(card, card.relevantAt);
  const own = card.google?.dateTime;
  if (!own) return relevant && { start: relevant };
  const times = {
    doorsOpen: dateTimeOf(card, own.doorsOpen),
    start: dateTimeOf(card, own.start) ?? relevant,
    end: dateTimeOf(card, own.end),
  };
  if (!times.doorsOpen && !times.start && !times.end) return undefined;
  const label = {
    doorsOpenLabel: own.doorsOpenLabel,
    customDoorsOpenLabel: localizedIfAny(card, own.customDoorsOpenLabel),
  };
  return { ...times, ...(times.doorsOpen && label) };
}

/** Without `allowBarcodeRedemption`, the app shows no barcode. */
function giftCardMembers(card: Card, { baseUrl }: BuildOptions) {
  return {
    ...withTranslations('merchantName', localized(card, card.logoText || card.organizationName)),
    programLogo: logoOf(card, baseUrl),
    allowBarcodeRedemption: card.barcode !== undefined,
    hexBackgroundColor: card.colors.backgroundColor,
  };
}

function loyaltyMembers(card: Card, { baseUrl }: BuildOptions) {
  return {
    ...withTranslations('programName', localized(card, card.logoText || card.organizationName)),
    programLogo: logoOf(card, baseUrl),
    hexBackgroundColor: card.colors.backgroundColor,
  };
}
