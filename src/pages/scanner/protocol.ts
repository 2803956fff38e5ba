/*
 * The protocol between the scanner app and its endpoints below `/scan/{token}`. Both sides import these types, so this
 * file has no imports.
 */

/** Status of replies while the account is suspended. */
export const SUSPENDED_STATUS = 423;

/** A configuration for the app. */
export interface ScannerConfiguration {
  id: string;
  name: string;
  /** Empty: no place. */
  place: string;
  /** 0: a scan voids the pass; 1: it records attendance. */
  scanMode: 0 | 1;
  colors: ScannerColors;
  /** Additional questions for each scan. */
  properties: ScannerProperty[];
  /** Whether a scan asks for a value, and how it changes the stored value. */
  storedValue: 'none' | 'replace' | 'add';
  /** Whether negative numbers are rejected. */
  preventNegative: boolean;
  /** How long a result is shown; 0: until it is dismissed. */
  confirmationSeconds: number;
}

/** `#rrggbb`. The text is always readable on the background. */
interface ScannerColors {
  background: string;
  text: string;
}

export interface ScannerProperty {
  id: string;
  name: string;
  type: 'unicode' | 'double' | 'boolean';
}

/** Content of a link. */
export type Scanner =
  /** The link has expired, and needs its PIN. */
  | { state: 'locked'; name: string; place: string; colors: ScannerColors }
  | {
      state: 'open';
      /** The link's own configuration, or the requested one. */
      configuration: ScannerConfiguration;
      /** Configurations to choose from: all of the account if the link allows it, otherwise only its own. */
      choices: ScannerChoice[];
      /** Public keys of the account's signed codes (P-256): SubjectPublicKeyInfo in base64. */
      publicKeys: string[];
    };

interface ScannerChoice {
  id: string;
  name: string;
  place: string;
}

/** A scan as it waits on the device and is sent. */
export interface ScannerScan {
  /** UUID from the device. A scan that is sent twice counts once. */
  id: string;
  configurationId: string;
  value: string;
  /** Time of the scan in UTC milliseconds of the device. */
  scannedAt: number;
  deviceName: string | null;
  /** Values by property identifier. */
  properties: Record<string, string | number | boolean>;
  storedValue: number | null;
}

/** Why a scan was not accepted. */
export type ValidityReason =
  | 'not_found'
  | 'stale_code'
  | 'voided'
  | 'not_yet_valid'
  | 'expired'
  | 'wrong_place'
  | 'already_used'
  | 'limit_reached';

/** Result of a scan. */
export interface ScannerOutcome {
  /** Identifier of the scan at the service, for undoing it. */
  scanId: string;
  /** 0: valid, and voided by this scan; 1: invalid, see `validityReason`; 2: attendance recorded; 3: not found. */
  status: number;
  /** Null when the scan was accepted. */
  validityReason: ValidityReason | null;
  /** Whether the pass exists, but its template isn't part of the configuration. */
  isUncovered: boolean;
  /** What can be used up: the single scan per day, or the stamps; null: nothing. */
  limit: 'day' | 'stamps' | null;
  /** Name of the pass; null if there is none. */
  passName: string | null;
  /** Who or what the pass is for, if known. */
  holder: string | null;
  /** The stored value after the scan, if the configuration asks for values; otherwise null. */
  storedValue: number | null;
  /** The value that this scan has set; null if it didn't change. */
  newValue: number | null;
  /** Until when the scan can be undone, in UTC milliseconds; null: it can't. */
  undoableUntil: number | null;
  /** Time of the previous use in UTC milliseconds; null if unused or unknown. */
  usedAt: number | null;
  /** Start of the pass's validity, `Y-m-dTH:i` in the template's time zone; null unless the scan was too early. */
  validFrom: string | null;
  /** Expiration in the same format; null unless the scan was too late. */
  expiredOn: string | null;
}

/** A recent scan of any device with the link. */
export interface ScannerRecentScan {
  scanId: string;
  clientId: string | null;
  status: number;
  validityReason: ValidityReason | null;
  passName: string | null;
  value: string | null;
  deviceName: string | null;
  scannedAt: number;
  /** Whether it can be undone. */
  canUndo: boolean;
}

/** Body of every reply that is not a success. */
export interface ScannerFailure {
  error: string;
}

/** Data of the page for its script. */
export interface ScannerBoot {
  /** `/scan/{token}`: prefix of the endpoints. */
  base: string;
  scanner: Scanner;
  files: {
    decoder: string;
    serviceWorker: string;
    /** All files that the app needs offline, besides the page itself. */
    all: string[];
  };
  /** Language of the texts, for dates and numbers. */
  language: string;
  words: Record<string, string>;
}
