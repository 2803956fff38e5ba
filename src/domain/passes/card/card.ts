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
import type { FlightFields } from '../values/flight-fields.ts';
import type { PassColors } from '../values/pass-fields.ts';

/** A field as the card shows it: placeholders filled, voided variants chosen. */
export interface CardField {
  /** Unique in the whole card. */
  key: string;
  type: FieldItem['type'];
  /** Text in the template's own language; the key of `CardTexts`. */
  label: string;
  /** Text, or ISO 8601 with zone for `date`, or a number for `number` and `currency` when the text is one. */
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
  /** Apple's `SemanticTags` of this field, as pass.json has them. */
  semantics?: Record<string, unknown>;
}

export interface CardBarcode {
  format: BarcodeFormat;
  value: string;
  /** Shown below the code; may be empty. */
  alternativeText: string;
  /** Present when the code follows the clock: it is the value, a dot, and the one-time code of the moment. */
  rotating?: CardRotation;
}

/** How a code rotates. */
export interface CardRotation extends CodeTerms {
  /** 20 bytes in hexadecimal; absent where the card may not know it, so that it has no code. */
  key?: string;
  /** What Apple Wallet shows, which has no codes that rotate: none, or the value alone. */
  apple: 'none' | 'static';
}

/** An upcoming event of a card: members as pass.json has them, and its fields. */
export interface CardUpcomingEvent {
  members: Record<string, unknown>;
  additionalInfoFields: CardField[];
  backFields: CardField[];
}

/** Members for Apple Wallet alone, with filled placeholders, in the values of pass.json. */
export interface CardApple {
  /** Keys of `APPLE_MEMBERS`; which of them have effect is not decided yet. */
  members: Record<string, unknown>;
  semantics?: Record<string, unknown>;
  /** Absent lists are those of the card. */
  posterGeneric?: Partial<Record<PosterList, CardField[]>>;
  additionalInfoFields: CardField[];
  upcoming: CardUpcomingEvent[];
}

/** Translations of one language: a text as it stands on the card to its translation, placeholders filled in both. */
export type CardTexts = Record<string, string>;

/** Texts of a card as they are without recipients, `userProvidedId` and properties marked `personal`. */
export interface ImpersonalTexts extends Pick<Card, 'organizationName' | 'description' | 'logoText' | 'translations'> {
  /** The first primary field, if there is one. */
  title?: CardField;
  /** Whether that says less than it does on the card. */
  hasOtherTitle: boolean;
}

/**
 * What a pass shows, resolved once from pass, template and account, in neutral terms. Both wallets and the download
 * page draw this and nothing else, so they cannot disagree.
 */
export interface Card {
  /** Pass identifier; Apple's serial number and the suffix of Google's object. */
  id: string;
  accountId: string;
  templateId: string;
  /** Version and revision of the pass, and version of the definition that it shows. */
  passVersion: number;
  passRevision: number;
  templateVersion: number;
  /** The account's signing key, when texts of the card are signatures. */
  signingKeyId?: string;
  templateName: string;
  type: PassType;
  transitType?: TransitType;
  preferredStyleScheme?: 'posterEventTicket' | 'semanticBoardingPass';
  organizationName: string;
  description: string;
  logoText?: string;
  /** Absent ones: the platform's default. */
  colors: PassColors;
  fields: Record<FieldList, CardField[]>;
  links: { label: string; url: string }[];
  /** Absent when the template shows no code. */
  barcode?: CardBarcode;
  /** Present when the template has NFC enabled; `message` is the barcode value. */
  nfc?: {
    message: string;
    encryptionPublicKey: string;
    requiresAuthentication: boolean;
  };
  images: StoredImages;
  /** Language to background; present only with translations and per-pass backgrounds. */
  localizedBackgrounds: Record<string, StoredImage>;
  locations: Location[];
  /** UTC milliseconds. */
  relevantAt?: number;
  expirationAt?: number;
  validAsOfAt?: number;
  /** IANA zone in which local times are shown: the template's, or the account's. */
  timezone: string;
  /** The account's language: the one that untranslated texts are in. */
  language: string;
  voided: boolean;
  redeemed: boolean;
  groupingIdentifier?: string;
  sharingProhibited: boolean;
  storedValue?: number;
  /** Language to texts; empty when translations are off. */
  translations: Record<string, CardTexts>;
  /** Texts that Google shows for many passes, without what is personal; absent: there is nothing personal in them. */
  impersonal?: ImpersonalTexts;
  flight?: FlightFields;
  /** Present when the template has features of Apple Wallet. */
  apple?: CardApple;
  walletApps: { apple: boolean; google: boolean };
  /** Members for Google Wallet alone, with filled placeholders. */
  google?: StoredGoogle;
  /** What the pass is at Google already, or in save links that were given out. */
  googleKind?: GoogleKind;
  googlePublishedAt?: number | null;
  pushText?: string;
  authenticationToken: string;
  /** UTC milliseconds of the last change of what is shown: of the pass itself, or by a publication of its template. */
  modifiedAt: number;
}
