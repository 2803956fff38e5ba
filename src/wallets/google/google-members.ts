import { createHash } from 'node:crypto';
import type { Card } from '../../domain/passes/card/card.ts';
import {
  APP_LINK_CHARS_MAX,
  ASCII_PATTERN,
  OBJECT_ID_PATTERN,
  SHA256_PATTERN,
} from '../../domain/templates/google/input.ts';
import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import type { StoredGoogle } from '../../domain/templates/google/members.ts';
import { momentOf } from '../../domain/templates/google/moment.ts';
import { type BuildOptions, googleImageAt, nonEmpty, objectIdOf } from './resource.ts';
import { dateTime, type LocalizedString, localized, translationsOf } from './text.ts';

type Member = keyof StoredGoogle;
type Value<M extends Member> = NonNullable<StoredGoogle[M]>;

/** Place and name of a definition's member at Google. */
interface Placed<M extends Member> {
  to: 'class' | 'object';
  /** Kinds that have it, with its name there. Absent: all kinds, under its own name. */
  kinds?: Partial<Record<GoogleKind, string>>;
  /** Converts the value for Google; an undefined result is left out. Absent: the value is unchanged. */
  build?: (value: Value<M>, card: Card, options: BuildOptions) => unknown;
}

const WIDE_LOGOS = {
  eventTicket: 'wideLogo',
  transit: 'wideLogo',
  loyalty: 'wideProgramLogo',
  giftCard: 'wideProgramLogo',
  offer: 'wideTitleImage',
};

const wideLogo = (image: Value<'wideLogo'>, _: Card, { baseUrl }: BuildOptions) => googleImageAt(image, baseUrl);

/** Returns the wide logo of a flight's airline, which Google has inside the flight's header (`FlightCarrier`). */
export function wideAirlineLogo({ google }: Card, { baseUrl }: BuildOptions) {
  return google?.wideLogo ? googleImageAt(google.wideLogo, baseUrl) : undefined;
}

/**
 * Members that Google takes without other values of the card. Google refuses a member that a kind doesn't have, so it
 * is left out there.
 */
const PLACES: { [M in Member]?: Placed<M>[] } = {
  enableSmartTap: [{ to: 'class' }],
  redemptionIssuers: [{ to: 'class', build: nonEmpty }],
  securityAnimation: [{ to: 'class' }],
  viewUnlockRequirement: [{ to: 'class' }],
  wideLogo: [
    { to: 'class', kinds: WIDE_LOGOS, build: wideLogo },
    { to: 'object', kinds: { generic: 'wideLogo' }, build: wideLogo },
  ],
  venue: [{ to: 'class', kinds: { eventTicket: 'venue' }, build: venue }],
  appLinkData: [{ to: 'object', build: appLinkData }],
  valueAddedModuleData: [{ to: 'object', build: valueAddedModules }],
  linkedObjectIds: [{ to: 'object', build: linkedObjectIds }],
  passConstraints: [{ to: 'object', build: passConstraints }],
  saveRestrictions: [{ to: 'object', build: saveRestrictions }],
  smartTapRedemptionValue: [{ to: 'object', build: (text) => (ASCII_PATTERN.test(text) ? text : undefined) }],
  seatInfo: [{ to: 'object', kinds: { eventTicket: 'seatInfo' }, build: seatInfo }],
  genericType: [{ to: 'object', kinds: { generic: 'genericType' } }],
  notifications: [{ to: 'object', kinds: { generic: 'notifications' } }],
};

/** Returns the template's Google members for the class or the object of a kind; empty if there are none. */
export function googleMembers(
  card: Card,
  kind: GoogleKind,
  to: 'class' | 'object',
  options: BuildOptions,
): Record<string, unknown> {
  if (!card.google) return {};
  const members: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(card.google)) {
    for (const place of (PLACES[member as Member] ?? []) as Placed<Member>[]) {
      const name = place.kinds ? place.kinds[kind] : member;
      if (place.to !== to || !name) continue;
      members[name] = place.build ? place.build(value as never, card, options) : value;
    }
  }
  return members;
}

/** Returns a text in the languages of the card; undefined if it is empty. */
export function localizedIfAny(card: Card, text: string | null | undefined): LocalizedString | undefined {
  return text ? localized(card, text) : undefined;
}

/** Truncates a text in each language, because Google refuses longer ones. */
function cut({ defaultValue, translatedValues }: LocalizedString, charsMax: number): LocalizedString {
  const short = ({ language, value }: LocalizedString['defaultValue']) => ({
    language,
    value: value.slice(0, charsMax).toWellFormed(),
  });
  return {
    defaultValue: short(defaultValue),
    ...(translatedValues && { translatedValues: translatedValues.map(short) }),
  };
}

/** Converts a text that may come from a placeholder to Google's `DateTime`; undefined if it isn't a date. */
export function dateTimeOf(card: Card, text: string | null | undefined): string | undefined {
  const millis = text ? momentOf(text, card.timezone) : undefined;
  return millis === undefined ? undefined : dateTime(card, millis);
}

/** Returns the venue. Google requires name and address together, and placeholders may leave one of them empty. */
function venue({ name, address }: Value<'venue'>, card: Card) {
  return name && address ? { name: localized(card, name), address: localized(card, address) } : undefined;
}

function seatInfo(seat: Value<'seatInfo'>, card: Card) {
  const parts = Object.entries(seat).filter(([, text]) => text);
  if (parts.length === 0) return undefined;
  return Object.fromEntries(parts.map(([name, text]) => [name, localized(card, text!)]));
}

function appLinkData(link: Value<'appLinkData'>, card: Card) {
  const target = (info: typeof link.webAppLinkInfo) => {
    if (!info) return undefined;
    const { packageName, targetUri } = info.appTarget;
    const description = targetUri && localizedIfAny(card, targetUri.description);
    return {
      appTarget: {
        packageName: packageName ?? undefined,
        targetUri: targetUri && {
          uri: targetUri.uri,
          description: description?.defaultValue.value,
          localizedDescription: description && translationsOf(description),
        },
      },
    };
  };
  const text = localizedIfAny(card, link.displayText);
  return {
    androidAppLinkInfo: target(link.androidAppLinkInfo),
    webAppLinkInfo: target(link.webAppLinkInfo),
    displayText: text && cut(text, APP_LINK_CHARS_MAX),
  };
}

/** Returns the modules. Google refuses a module without a header, and an interval without any end point. */
function valueAddedModules(modules: Value<'valueAddedModuleData'>, card: Card, { baseUrl }: BuildOptions) {
  return nonEmpty(
    modules
      .filter(({ header }) => header)
      .map(({ header, body, image, uri, sortIndex, viewConstraints }) => {
        const start = dateTimeOf(card, viewConstraints?.displayInterval.start?.date);
        const end = dateTimeOf(card, viewConstraints?.displayInterval.end?.date);
        return {
          header: localized(card, header),
          body: localizedIfAny(card, body),
          image: image && googleImageAt(image, baseUrl),
          uri,
          sortIndex,
          viewConstraints:
            start || end
              ? { displayInterval: { start: start && { date: start }, end: end && { date: end } } }
              : undefined,
        };
      }),
  );
}

/** Returns the linked objects. Google refuses a link to the object itself, or to another issuer's object. */
function linkedObjectIds(ids: string[], card: Card, { issuerId }: BuildOptions) {
  const own = objectIdOf(issuerId, card.id);
  const linked = ids.filter((id) => OBJECT_ID_PATTERN.test(id) && id.startsWith(`${issuerId}.`) && id !== own);
  return nonEmpty([...new Set(linked)]);
}

function passConstraints({ screenshotEligibility, nfcConstraint }: Value<'passConstraints'>) {
  return { screenshotEligibility, nfcConstraint: nonEmpty(nfcConstraint ?? []) };
}

/** Returns the save restriction. An e-mail address is sent as its digest, which Google compares. */
function saveRestrictions({ restrictToEmailSha256: text }: Value<'saveRestrictions'>) {
  const digest = text.includes('@') ? createHash('sha256').update(text.trim()).digest('hex') : text;
  return SHA256_PATTERN.test(digest) ? { restrictToEmailSha256: digest } : undefined;
}
