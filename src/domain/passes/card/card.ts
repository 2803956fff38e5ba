import type { BarcodeFormat } from '../../../platform/barcode-formats.ts';
import type { CodeTerms } from '../../../platform/one-time-code.ts';
import type { Location } from '../../fields.ts';
import type { StoredImage, StoredImages } from '../../images/stored-image.ts';
import type { PosterList } from '../../templates/apple/schemes.ts';
import type { PassType, TransitType } from '../../templates/definition.ts';
import type { FieldItem } from '../../templates/field-lists.ts';
import type { GoogleKind } from '../../templates/google/kind.ts';
import type { StoredGoogle } from '../../templates/google/members.ts';
import type { FieldList } from '../../templates/list-names.ts';
import type { FlightFields, PassColors } from '../values/pass-fields.ts';

/** Field as the card shows it, with placeholders filled and voided variants chosen. */
export interface CardField {
  /** Unique in the whole card. */
  key: string;
  type: FieldItem['type'];
  /** Text in the template's own language; a key of `CardTexts`. */
  label: string;
  /** Text; ISO 8601 with an offset for `date`; a number for `number` and `currency` if the text is numeric. */
  value: string | number;
  changeMessage?: string;
  dateStyle?: string;
  timeStyle?: string;
  ignoresTimezone?: boolean;
  isRelative?: boolean;
  numberStyle?: string;
  currencyCode?: string;
  alignment?: string;
  row?: 0 | 1;
  /** Apple's `SemanticTags` of this field, as in pass.json. */
  semantics?: Record<string, unknown>;
}

export interface CardBarcode {
  format: BarcodeFormat;
  value: string;
  /** Shown below the code; may be empty. */
  alternativeText: string;
  /** Present if the code rotates. The code is then the value, a dot, and the current one-time code. */
  rotating?: CardRotation;
}

/** Rotation of a code. */
export interface CardRotation extends CodeTerms {
  /** 20 bytes in hexadecimal; absent if the card may not contain it, and then there is no code. */
  key?: string;
  /** Code in Apple Wallet, which doesn't support rotating codes: none, or the value alone. */
  apple: 'none' | 'static';
}

/** Upcoming event of a card: members as in pass.json, and its fields. */
interface CardUpcomingEvent {
  members: Record<string, unknown>;
  additionalInfoFields: CardField[];
  backFields: CardField[];
}

/** Members only for Apple Wallet, with placeholders filled, in the values of pass.json. */
export interface CardApple {
  /** Keys of `APPLE_MEMBERS`. Which of them take effect is decided later. */
  members: Record<string, unknown>;
  semantics?: Record<string, unknown>;
  /** Absent lists are the same as on the card. */
  posterGeneric?: Partial<Record<PosterList, CardField[]>>;
  additionalInfoFields: CardField[];
  upcoming: CardUpcomingEvent[];
}

/** Translations of one language, from a text on the card to its translation, with placeholders filled in both. */
export type CardTexts = Record<string, string>;

/** Texts of a card without `PERSONAL_PLACEHOLDERS` and properties marked `personal`. */
export interface ImpersonalTexts
  extends Pick<Card, 'organizationName' | 'description' | 'logoText' | 'translations' | 'google'> {
  /** First primary field, if there is one. */
  title?: CardField;
  /** Whether that field differs from the one on the card. */
  hasOtherTitle: boolean;
}

/**
 * Contents of a pass, resolved once from pass, template and account, independent of the wallet. Both wallets and the
 * download page use only this, so they always agree.
 */
export interface Card {
  /** Pass ID; Apple's serial number and the suffix of Google's object ID. */
  id: string;
  accountId: string;
  templateId: string;
  /** Version and revision of the pass, and version of the definition that it shows. */
  passVersion: number;
  passRevision: number;
  templateVersion: number;
  /** The account's signing key, if the card contains signatures. */
  signingKeyId?: string;
  templateName: string;
  type: PassType;
  transitType?: TransitType;
  preferredStyleScheme?: 'posterEventTicket' | 'semanticBoardingPass';
  organizationName: string;
  description: string;
  logoText?: string;
  /** Absent colors: the platform's default. */
  colors: PassColors;
  fields: Record<FieldList, CardField[]>;
  links: { label: string; url: string }[];
  /** Absent if the template shows no code. */
  barcode?: CardBarcode;
  /** Present if the template has NFC enabled; `message` is the barcode value. */
  nfc?: {
    message: string;
    encryptionPublicKey: string;
    requiresAuthentication: boolean;
  };
  images: StoredImages;
  /** Backgrounds by language; present only with translations and per-pass backgrounds. */
  localizedBackgrounds: Record<string, StoredImage>;
  locations: Location[];
  /** UTC milliseconds. */
  relevantAt?: number;
  expirationAt?: number;
  validAsOfAt?: number;
  /** IANA zone in which local times are shown: the template's, or the account's. */
  timezone: string;
  /** The account's language, in which untranslated texts are written. */
  language: string;
  voided: boolean;
  redeemed: boolean;
  groupingIdentifier?: string;
  sharingProhibited: boolean;
  storedValue?: number;
  /** Texts by language; empty if translations are off. */
  translations: Record<string, CardTexts>;
  /** Texts without personal data, which Google shows for many passes; absent: they contain no personal data. */
  impersonal?: ImpersonalTexts;
  flight?: FlightFields;
  /** Present if the template uses features of Apple Wallet. */
  apple?: CardApple;
  walletApps: { apple: boolean; google: boolean };
  /** Members only for Google Wallet, with placeholders filled. */
  google?: StoredGoogle;
  /** Kind of the pass at Google, or in save links that were issued. */
  googleKind?: GoogleKind;
  googlePublishedAt?: number | null;
  pushText?: string;
  authenticationToken: string;
  /** UTC milliseconds of the last visible change: of the pass, or by a publication of its template. */
  modifiedAt: number;
}

/* Formats of numbers and dates in texts for Google and in pictures. They match Apple Wallet's. */

/** Spelled-out numbers (`PKNumberStyleSpellOut`) have no counterpart in Intl; they show as digits. */
export function numberFormat({ currencyCode, numberStyle }: CardField): Intl.NumberFormatOptions {
  if (currencyCode) return { style: 'currency', currency: currencyCode };
  if (numberStyle === 'PKNumberStylePercent') return { style: 'percent', maximumFractionDigits: 2 };
  if (numberStyle === 'PKNumberStyleScientific') return { notation: 'scientific', maximumFractionDigits: 10 };
  return { maximumFractionDigits: 10 };
}

type Style = Intl.DateTimeFormatOptions['dateStyle'];
const STYLES: Record<string, Style> = {
  PKDateStyleShort: 'short',
  PKDateStyleMedium: 'medium',
  PKDateStyleLong: 'long',
  PKDateStyleFull: 'full',
};

/** Returns the format of a date field. If its styles show neither date nor time, both are shown. */
export function dateFormat(field: CardField): { dateStyle?: Style; timeStyle?: Style } {
  const styles = { dateStyle: STYLES[field.dateStyle ?? ''], timeStyle: STYLES[field.timeStyle ?? ''] };
  return styles.dateStyle || styles.timeStyle ? styles : { dateStyle: 'medium', timeStyle: 'short' };
}
