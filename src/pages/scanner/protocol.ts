/*
 * The protocol between the scanner app and its endpoints below `/scan/{token}`. Both sides import these types, so this
 * file imports nothing.
 */

/** Status of replies that say that the account is suspended. */
export const SUSPENDED_STATUS = 423;

/** A configuration as the app needs it. */
export interface ScannerConfiguration {
  id: string;
  name: string;
  /** Empty: nowhere in particular. */
  place: string;
  /** 0: a scan voids the pass; 1: it notes attendance. */
  scanMode: 0 | 1;
  colors: ScannerColors;
  /** What a scan is asked for beside the code. */
  properties: ScannerProperty[];
  /** Whether a scan is asked for a value, and what happens to it. */
  storedValue: 'none' | 'replace' | 'add';
  /** Whether negative numbers are refused. */
  preventNegative: boolean;
  /** How long a result stands; 0: until it is dismissed. */
  confirmationSeconds: number;
}

/** `#rrggbb`; the text can be read on the background, whatever was set. */
export interface ScannerColors {
  background: string;
  text: string;
}

export interface ScannerProperty {
  id: string;
  name: string;
  type: 'unicode' | 'double' | 'boolean';
}

/** What a link opens. */
export type Scanner =
  /** The link has expired, and asks for its PIN. */
  | { state: 'locked'; name: string; place: string; colors: ScannerColors }
  | {
      state: 'open';
      /** The link's own, or the one that was asked for. */
      configuration: ScannerConfiguration;
      /**
       * What the app may change to: all configurations of the account if the link allows it; otherwise only its own.
       */
      choices: ScannerChoice[];
      /** Keys with which the account has signed codes (P-256): SubjectPublicKeyInfo in base64. */
      publicKeys: string[];
    };

export interface ScannerChoice {
  id: string;
  name: string;
  place: string;
}

/** A scan to be made, as it waits in the device and is sent. */
export interface ScannerScan {
  /** UUID made by the device: sent twice, it counts once. */
  id: string;
  configurationId: string;
  value: string;
  /** When the code was scanned, in UTC milliseconds of the device. */
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

/** What became of a scan. */
export interface ScannerOutcome {
  /** Identifier of the scan at the service, for its undoing. */
  scanId: string;
  /** 0: valid, and voided by this scan; 1: not valid, see `validityReason`; 2: attendance noted; 3: unknown. */
  status: number;
  /** Null when the scan was accepted. */
  validityReason: ValidityReason | null;
  /** Whether there is such a pass, of a template for which the configuration is not. */
  isUncovered: boolean;
  /** What may be used up: the one scan of a day, or the stamps; null: nothing. */
  limit: 'day' | 'stamps' | null;
  /** What the pass is called; null when there is none. */
  passName: string | null;
  /** Who or what the pass is for, when it says so. */
  holder: string | null;
  /** The pass's value after the scan, if the configuration asks for values; null when there is none. */
  storedValue: number | null;
  /** The value that this scan gave the pass; null when it changed none. */
  newValue: number | null;
  /** Until when the scan can be undone, in UTC milliseconds; null: it cannot. */
  undoableUntil: number | null;
  /** When the pass was used before, in UTC milliseconds; null when it was not, or is not known. */
  usedAt: number | null;
  /** Start of the pass's validity, `Y-m-dTH:i` in the template's time zone; null unless the scan was too early. */
  validFrom: string | null;
  /** When it expired, in the same form; null when the scan was not too late. */
  expiredOn: string | null;
}

/** A scan of any device with the link, newest first, for the list of last scans. */
export interface ScannerRecentScan {
  scanId: string;
  clientId: string | null;
  status: number;
  validityReason: ValidityReason | null;
  passName: string | null;
  value: string | null;
  deviceName: string | null;
  scannedAt: number;
  /** Whether it can be taken back. */
  canUndo: boolean;
}

/** Body of every reply that is not a success. */
export interface ScannerFailure {
  error: string;
}

/** What the page hands to its script. */
export interface ScannerBoot {
  /** `/scan/{token}`: where the endpoints are. */
  base: string;
  scanner: Scanner;
  files: {
    decoder: string;
    serviceWorker: string;
    /** Everything that the app needs without a line, besides the page itself. */
    all: string[];
  };
  /** Language of the words, for dates and numbers. */
  language: string;
  words: Record<string, string>;
}
