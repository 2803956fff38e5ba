import type { AppConfiguration } from '../app-configurations/table.ts';
import { expirationOf } from '../passes/card/expiration.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import type { Pass } from '../passes/table.ts';
import type { ValidityReason } from '../validity-reasons.ts';
import { hasStampsLeft } from './functionality.ts';
import type { ScannedCode } from './scanned-code.ts';
import { type AppScan, type ScanReason, UNKNOWN_STATUS } from './table.ts';

type ScanConfiguration = Pick<AppConfiguration, 'place' | 'passTemplateId' | 'passTemplateIds'>;
type BoundPass = Pick<Pass, 'appearance' | 'placesUsedAt'>;

/** Time and code of a scan. */
export interface ScanTime {
  /** UTC milliseconds. */
  at: number;
  timezone: string;
  /** Absent: any code is accepted. */
  code?: ScannedCode;
}

/** Whether a configuration is for passes of this template. */
export function covers({ passTemplateId, passTemplateIds }: ScanConfiguration, templateId: string): boolean {
  return passTemplateIds
    ? passTemplateIds.includes(templateId)
    : passTemplateId === null || passTemplateId === templateId;
}

/**
 * Returns whether a configuration accepts a pass at the time of the scan, or the first reason against it. The place
 * counts only if both have one. The scan's statement decides again by the current state (`insert-scan.ts`), and only it
 * knows other scans of the day or the code.
 */
export function validityOf(
  configuration: ScanConfiguration,
  { pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>,
  { at, timezone, code }: ScanTime,
): Exclude<ScanReason, 'not_found' | 'told'> {
  if (!covers(configuration, pass.templateId)) return 'uncovered';
  if (code === 'stale') return 'stale_code';
  if (pass.voided) return 'voided';
  if (pass.validAsOfAt !== null && at < pass.validAsOfAt) return 'not_yet_valid';
  const expirationAt = expirationOf(definition, pass, timezone);
  if (expirationAt !== undefined && at > expirationAt) return 'expired';
  const refusal = placeRefusal(configuration, pass);
  if (refusal) return refusal;
  return hasStampsLeft(definition, pass.storedValue) ? 'accepted' : 'limit_reached';
}

function placeRefusal(configuration: ScanConfiguration, pass: BoundPass): 'wrong_place' | 'already_used' | undefined {
  const places = boundPlaces(configuration, pass);
  if (!places) return undefined;
  if (!places.includes(configuration.place)) return 'wrong_place';
  return isUsedAt(configuration, pass) ? 'already_used' : undefined;
}

function isUsedAt({ place }: ScanConfiguration, { placesUsedAt }: BoundPass): boolean {
  return Object.hasOwn(placesUsedAt ?? {}, place);
}

function boundPlaces({ place }: Pick<ScanConfiguration, 'place'>, { appearance }: Pick<BoundPass, 'appearance'>) {
  const places = appearance.eligibleValidationPlaces;
  return place !== '' && places?.length ? places : undefined;
}

/**
 * Returns the pass as reads with a configuration's identifier show it: voided and redeemed if it isn't eligible or was
 * used.
 */
export function seenAt(configuration: ScanConfiguration, pass: Pass): Pass {
  const isGood =
    covers(configuration, pass.templateId) && !placeRefusal(configuration, pass) && !isUsedAt(configuration, pass);
  return isGood ? pass : { ...pass, voided: true, redeemed: true };
}

/** Returns why a scan was rejected, for callers; null if it was accepted, or its caller decided. */
export function validityReasonOf({
  reason,
  scanStatus,
}: Pick<AppScan, 'reason' | 'scanStatus'>): ValidityReason | null {
  if (reason === 'accepted' || reason === 'told') return null;
  if (reason !== 'uncovered' && reason !== 'not_found') return reason;
  // Earlier versions also stored this reason for a caller's decision about an unknown pass.
  return scanStatus === UNKNOWN_STATUS ? 'not_found' : null;
}
