import { formatIso, parseDate, parseDateTime } from '../../../platform/dates.ts';
import { logLine } from '../../../platform/log.ts';
import type { Account } from '../../accounts/table.ts';
import type { Location } from '../../fields.ts';
import { CARD_TEXT_CHARS_MAX } from '../../limits.ts';
import type { TextSigner } from '../../signing-keys/signer.ts';
import type { Filling as AppleFilling } from '../../templates/apple/kinds.ts';
import { schemeOf } from '../../templates/apple/schemes.ts';
import { fillSemantics } from '../../templates/apple/semantic-tags.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { FieldItem } from '../../templates/field-lists.ts';
import type { StoredGoogle } from '../../templates/google/members.ts';
import { FIELD_LISTS } from '../../templates/list-names.ts';
import { timeZoneOf } from '../../templates/time-zone.ts';
import { openTokens } from '../page/links.ts';
import { rotatingKey } from '../page/rotating-key.ts';
import type { Pass } from '../table.ts';
import type { Card, CardBarcode, CardField, ImpersonalTexts } from './card.ts';
import { cardApple, cardColors, cardImages, cardTranslations, type Filling } from './card-parts.ts';
import { expirationOf } from './expiration.ts';
import { withToken } from './kept-text.ts';
import { hasNoLocations } from './locations.ts';
import { fillPlaceholders, type LinkContext, type PlaceholderSource, TextRoom } from './placeholders.ts';

/** Pass with all data that affects its appearance. */
export interface CardSource {
  account: Pick<Account, 'id' | 'timezone' | 'language'>;
  pass: Pass;
  definition: StoredDefinition;
  templateVersion: number;
  /** When the published definition reached passes (UTC milliseconds); absent if `modifiedAt` isn't needed. */
  publishedAt?: number;
  links: LinkContext;
  /** The account's signer, as `signerFor` returns it for the definition. */
  signer?: TextSigner;
}

/**
 * Builds the card of a pass: fills placeholders, and prefers the pass's own values to the template's. Texts beyond
 * `CARD_TEXT_CHARS_MAX`, which only passes older than that limit have, are cut off and logged.
 */
export function resolveCard(shown: CardSource): Card {
  const room = new TextRoom(CARD_TEXT_CHARS_MAX);
  const card = cardIn(room, shown);
  if (room.isExceeded) logLine('error', { event: 'card-cut', pass: shown.pass.id, template: shown.pass.templateId });
  return card;
}

/** Builds the card with texts up to the limit of `room`. */
export function cardIn(room: TextRoom, shown: CardSource): Card {
  const { account, pass, definition, templateVersion, links, signer } = shown;
  const timezone = timeZoneOf(account, definition);
  const source = { pass, definition, timezone, links, signer, room };
  const { colors = {}, locations } = pass.appearance;
  const fill = (text: string) => fillPlaceholders(text, source);
  const take = (text: string) => room.take(text);
  return {
    id: pass.id,
    accountId: account.id,
    templateId: pass.templateId,
    passVersion: pass.version,
    passRevision: pass.revision,
    templateVersion,
    signingKeyId: signer?.keyId,
    templateName: definition.name,
    type: definition.type,
    transitType: definition.transitType ?? undefined,
    preferredStyleScheme: schemeOf(definition),
    ...requiredTexts(definition, fill),
    logoText: definition.logoText ? fill(definition.logoText) : undefined,
    colors: cardColors(definition, colors, pass.voided),
    fields: Object.fromEntries(
      FIELD_LISTS.map((list) => [list, definition.fields[list].map((item) => cardField(item, source))]),
    ) as Card['fields'],
    links: definition.links.map(({ label, url }) => ({ label: fill(label), url: cardUrl(url, source) })),
    barcode: cardBarcode(definition, source),
    nfc: definition.nfc.enabled ? { message: pass.barcodeValue, ...nfcTerms(definition) } : undefined,
    ...cardImages(definition, pass),
    locations: hasNoLocations(definition, pass)
      ? []
      : (locations ?? definition.locations).map((one) => cardLocation(one, locations ? take : fill)),
    relevantAt: pass.relevantAt ?? dateOf(definition.relevantDate, timezone),
    expirationAt: expirationOf(definition, pass, timezone),
    validAsOfAt: pass.validAsOfAt ?? undefined,
    timezone,
    language: account.language,
    voided: pass.voided,
    redeemed: pass.redeemed,
    groupingIdentifier: (definition.groupingIdentifierEnabled ? pass.groupingIdentifier : undefined) ?? undefined,
    sharingProhibited: definition.sharingProhibited,
    storedValue: pass.storedValue ?? undefined,
    translations: cardTranslations(definition, source),
    impersonal: impersonalTexts(definition, source),
    flight: pass.flight ?? undefined,
    apple: cardApple(definition, appleFilling(source), (item) => cardField(item, source)),
    walletApps: definition.walletApps,
    google: definition.google && cardGoogle(definition.google, source),
    googleKind: pass.googleKind ?? undefined,
    googlePublishedAt: pass.googlePublishedAt,
    pushText: pass.pushText ? take(withToken(links, pass, pass.pushText)) : undefined,
    authenticationToken: openTokens(links.env, pass).authentication,
    modifiedAt: modifiedAt(shown),
  };
}

/** Returns texts that both wallets require. If placeholders leave them empty, the template's name stands in. */
function requiredTexts({ organizationName, description, name }: StoredDefinition, fill: (text: string) => string) {
  const or = (text: string, other: string) => (text.trim() ? text : other);
  const organization = or(fill(organizationName), name);
  return { organizationName: organization, description: or(fill(description), organization) };
}

/** Returns undefined if the texts contain no personal data. */
function impersonalTexts(definition: StoredDefinition, source: PlaceholderSource): ImpersonalTexts | undefined {
  const { organizationName, description, logoText, google } = definition;
  const [title] = definition.fields.primaryFields;
  const titles = title ? inLanguages([title.value, title.voidedValue, title.label, title.voidedLabel], definition) : [];
  const googleTexts = [google?.venue, google?.dateTime].flatMap((one) => Object.values(one ?? {}));
  const others = inLanguages([organizationName, description, logoText, ...googleTexts], definition);
  if (![...others, ...titles].some((text) => text.includes('{'))) return undefined;
  // These texts don't count toward the limit of the card.
  const shown = { ...source, room: new TextRoom(CARD_TEXT_CHARS_MAX) };
  const anonymous = { ...source, isImpersonal: true, room: new TextRoom(CARD_TEXT_CHARS_MAX) };
  const fill = (text: string) => fillPlaceholders(text, anonymous);
  const differs = (text: string) => fill(text) !== fillPlaceholders(text, shown);
  const hasOtherTitle = titles.some(differs);
  if (!hasOtherTitle && !others.some(differs)) return undefined;
  return {
    ...requiredTexts(definition, fill),
    logoText: logoText ? fill(logoText) : undefined,
    google: google && cardGoogle(google, anonymous),
    title: title && cardField(title, anonymous),
    hasOtherTitle,
    translations: cardTranslations(definition, anonymous),
  };
}

/** Returns texts with their translations. */
function inLanguages(texts: (string | null | undefined)[], definition: StoredDefinition): string[] {
  const tables = definition.translationsEnabled ? Object.values(definition.translations) : [];
  return texts.flatMap((text) => {
    if (!text) return [];
    return [text, ...tables.flatMap((table) => (Object.hasOwn(table, text) ? table[text]! : []))];
  });
}

function cardGoogle(google: StoredGoogle, source: PlaceholderSource): StoredGoogle {
  const filled = filledMembers(google, source);
  return hasNoLocations(source.definition, source.pass) ? { ...filled, merchantLocations: undefined } : filled;
}

/** Fills the texts of one wallet's members. Values in URLs are encoded. */
function filledMembers<T>(value: T, source: PlaceholderSource, name = ''): T {
  if (typeof value === 'string') {
    return (name === 'uri' ? cardUrl(value, source) : fillPlaceholders(value, source)) as T;
  }
  if (Array.isArray(value)) return value.map((item) => filledMembers(item, source)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return mapValues(value as Record<string, unknown>, (part, member) => filledMembers(part, source, member)) as T;
}

function appleFilling(source: PlaceholderSource): AppleFilling {
  return {
    text: (text) => fillPlaceholders(text, source),
    url: (url) => cardUrl(url, source),
    timezone: source.timezone,
  };
}

/** A publication doesn't modify passes that were created with a later definition. */
function modifiedAt({ pass, templateVersion, publishedAt = 0 }: CardSource): number {
  return templateVersion > pass.templateVersion ? Math.max(pass.modifiedAt, publishedAt) : pass.modifiedAt;
}

function nfcTerms({ nfc }: StoredDefinition) {
  return { encryptionPublicKey: nfc.encryptionPublicKey, requiresAuthentication: nfc.requiresAuthentication };
}

function cardLocation(location: Location, fill: (text: string) => string): Location {
  const { relevantText, localizedRelevantText } = location;
  return {
    ...location,
    relevantText: relevantText && fill(relevantText),
    localizedRelevantText: localizedRelevantText && mapValues(localizedRelevantText, fill),
  };
}

/** Fills a URL. Values are encoded, but outside of web URLs `+` and `@` stay: phone numbers and mailboxes need them. */
function cardUrl(url: string, source: PlaceholderSource): string {
  const encode = (value: string) => encodeURIComponent(value.toWellFormed());
  const quote = /^https?:/i.test(url)
    ? encode
    : (value: string) => encode(value).replaceAll('%2B', '+').replaceAll('%40', '@');
  return fillPlaceholders(url, { ...source, quote });
}

function cardBarcode(definition: StoredDefinition, source: Filling): CardBarcode | undefined {
  const { format, alternativeText, rotating } = definition.barcode;
  if (format === 'none') return undefined;
  const own = source.pass.barcodeAlternativeText;
  return {
    format,
    value: source.pass.barcodeValue,
    alternativeText: own == null ? fillPlaceholders(alternativeText, source) : source.room.take(own),
    ...(rotating && { rotating: { ...rotating, key: rotatingKey(source.links.env, source.pass) } }),
  };
}

function cardField(item: FieldItem, source: PlaceholderSource): CardField {
  const { voided } = source.pass;
  const label = fillPlaceholders((voided ? item.voidedLabel : undefined) ?? item.label, source);
  const text = fillPlaceholders((voided ? item.voidedValue : undefined) ?? item.value, source);
  return {
    key: item.key ?? '',
    type: item.type,
    label,
    value: typedValue(item, text, source),
    changeMessage: item.changeMessage ? fillPlaceholders(item.changeMessage, source) : undefined,
    dateStyle: item.dateStyle ?? undefined,
    timeStyle: item.timeStyle ?? undefined,
    ignoresTimezone: item.ignoresTimezone ?? undefined,
    isRelative: item.isRelative ?? undefined,
    numberStyle: item.numberStyle ?? undefined,
    currencyCode: item.currencyCode ?? undefined,
    alignment: item.alignment ?? undefined,
    row: item.row ?? undefined,
    semantics: fillSemantics(item.semantics, source.definition, appleFilling(source)),
  };
}

/**
 * Returns a number or a date in ISO 8601 if the text is one; otherwise the text. Numbers beyond 2⁵³ stay texts, because
 * their last digits would change.
 */
function typedValue(item: FieldItem, text: string, { definition, timezone }: PlaceholderSource): string | number {
  if (item.type === 'number' || item.type === 'currency') {
    return text.trim() && Math.abs(Number(text)) < 2 ** 53 ? Number(text) : text;
  }
  if (item.type === 'date') {
    const inZone = dateIn(text, timezone);
    if (!item.ignoresTimezone) return inZone ?? text;
    // Shown as local time: in the template's zone, or in UTC if that zone skips the hour, as it may for an arrival
    // elsewhere.
    const isKept = definition.timezone && inZone?.startsWith(text.slice(0, 16).replace(' ', 'T'));
    return (isKept ? inZone : dateIn(text, 'UTC')) ?? text;
  }
  return text;
}

/** Returns ISO 8601 with the offset of the zone; undefined for a text that isn't a date. */
function dateIn(text: string, zone: string): string | undefined {
  const millis = parseDateTime(text, zone) ?? parseDate(text, zone);
  return millis === undefined ? undefined : formatIso(millis, zone);
}

function dateOf(text: string | null | undefined, timezone: string): number | undefined {
  return text ? parseDateTime(text, timezone) : undefined;
}

/** Applies `change` to the value of each member. */
function mapValues<T, R>(members: Record<string, T>, change: (part: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, change(part, name)]));
}
