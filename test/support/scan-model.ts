/** A simple model of the contract for scans, which the service must agree with. */

export interface ModelScanner {
  scanMode: 0 | 1;
  place: string;
  /** Templates it accepts; null: all. */
  templates: string[] | null;
  incrementStoredValue: boolean;
  preventNegativeNumericValues: boolean;
  preventNegativeStoredValueBalance: boolean;
  scans: number;
}

export type ModelFunctionality = 'loyalty' | 'stampCollect' | 'stampSpend' | 'oncePerDay' | 'prepaid';

export interface ModelPass {
  templateId: string;
  functionality?: ModelFunctionality;
  /** When all scans happen, relative to its dates. */
  time: 'early' | 'valid' | 'late';
  eligibleValidationPlaces: string[];
  voided: boolean;
  redeemed: boolean;
  storedValue: number | null;
  usedAt: Set<string>;
  wasUsed: boolean;
  /** Whether a scan was accepted before; all scans are on the same day. */
  wasAccepted: boolean;
  events: string[];
}

export interface ModelScan {
  scanStatus?: number;
  setVoided?: boolean;
  storedValue?: number;
}

/** The service's reply to a scan: status and reason, or `refused` if it has no effect. */
export type ModelReply = [status: number, reason: string | null] | 'refused';

const isBound = (scanner: ModelScanner, pass: ModelPass) =>
  scanner.place !== '' && pass.eligibleValidationPlaces.length > 0;

const isFor = (scanner: ModelScanner, pass: ModelPass | undefined): pass is ModelPass =>
  pass !== undefined && (scanner.templates === null || scanner.templates.includes(pass.templateId));

/** Returns the first reason to reject a pass that the scanner is for, or null. */
function reasonAgainst(scanner: ModelScanner, pass: ModelPass): string | null {
  const isElsewhere = isBound(scanner, pass) && !pass.eligibleValidationPlaces.includes(scanner.place);
  const isLimited =
    (pass.functionality === 'oncePerDay' && pass.wasAccepted) ||
    (pass.functionality === 'stampSpend' && (pass.storedValue ?? 0) < 1);
  if (pass.voided) return 'voided';
  if (pass.time === 'early') return 'not_yet_valid';
  if (pass.time === 'late') return 'expired';
  if (isElsewhere) return 'wrong_place';
  if (isBound(scanner, pass) && pass.usedAt.has(scanner.place)) return 'already_used';
  return isLimited ? 'limit_reached' : null;
}

/** Returns the value after an accepted scan, or that the scan is refused. */
function valueAfter(
  scanner: ModelScanner,
  pass: ModelPass,
  sent: number | undefined,
  functionality?: ModelFunctionality,
) {
  const before = pass.storedValue ?? 0;
  if (functionality === 'stampCollect') return before + 1;
  if (functionality === 'stampSpend') return before - 1;
  if (sent === undefined) return pass.storedValue;
  if (functionality === 'prepaid' && before - sent < 0) return 'refused';
  const after =
    functionality === 'prepaid'
      ? before - sent
      : functionality === 'loyalty' || scanner.incrementStoredValue
        ? before + sent
        : sent;
  return scanner.preventNegativeStoredValueBalance && after < 0 ? 'refused' : after;
}

/** Whether no scan of such a pass can have this amount. */
function isWrongAmount(functionality: ModelFunctionality | undefined, sent: number | undefined): boolean {
  if (sent === undefined) return false;
  if (functionality === 'stampCollect' || functionality === 'stampSpend') return true;
  return (functionality === 'loyalty' || functionality === 'prepaid') && sent < 0;
}

/** Applies a scan. */
export function scanModel(scanner: ModelScanner, named: ModelPass | undefined, scan: ModelScan): ModelReply {
  const { scanStatus, setVoided = false, storedValue } = scan;
  const isDecided = scanStatus !== undefined;
  if (scanner.preventNegativeNumericValues && storedValue !== undefined && storedValue < 0) return 'refused';
  if (!isFor(scanner, named)) {
    scanner.scans++;
    return isDecided ? [scanStatus, null] : [3, 'not_found'];
  }
  const functionality = isDecided ? undefined : named.functionality;
  if (isWrongAmount(functionality, storedValue)) return 'refused';
  const reason = isDecided ? null : reasonAgainst(scanner, named);
  if (reason !== null) {
    scanner.scans++;
    named.events.push('app_scan_created');
    return [1, reason];
  }
  const value = valueAfter(scanner, named, storedValue, functionality);
  if (value === 'refused') return 'refused';
  scanner.scans++;
  named.events.push('app_scan_created');
  const isAsked = setVoided || (!isDecided && scanner.scanMode === 0);
  if (isAsked && functionality !== 'oncePerDay' && !named.voided) {
    named.voided = true;
    named.redeemed = true;
    named.events.push('pass_voided');
  }
  if (value !== named.storedValue) {
    named.storedValue = value;
    named.events.push('pass_updated');
  }
  const status = scanStatus ?? (scanner.scanMode === 0 && functionality !== 'oncePerDay' ? 0 : 2);
  named.wasAccepted ||= !isDecided;
  if (status === 0 || status === 2) {
    named.wasUsed = true;
    if (scanner.place !== '') named.usedAt.add(scanner.place);
  }
  return [status, null];
}

/** Returns `voided` and `redeemed` of a pass read with the scanner's identifier. */
export function flagsAt(scanner: ModelScanner, pass: ModelPass): [boolean, boolean] {
  const isEligible = !isBound(scanner, pass) || pass.eligibleValidationPlaces.includes(scanner.place);
  const isGood = isFor(scanner, pass) && isEligible && !pass.usedAt.has(scanner.place);
  return isGood ? [pass.voided, pass.redeemed] : [true, true];
}
