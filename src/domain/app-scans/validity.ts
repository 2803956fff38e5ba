import type { AppConfiguration } from '../app-configurations/table.ts';
import { expirationOf } from '../passes/card/expiration.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import type { Pass } from '../passes/table.ts';
import type { ValidityReason } from '../validity-reasons.ts';
import { hasStampsLeft } from './functionality.ts';
import type { ScannedCode } from './scanned-code.ts';
import { type AppScan, type ScanReason, UNKNOWN_STATUS } from './table.ts';

type Where = Pick<AppConfiguration, 'place' | 'passTemplateId' | 'passTemplateIds'>;
type Bearer = Pick<Pass, 'appearance' | 'placesUsedAt'>;

/** When a pass is scanned, and with what. */
export interface ScanTime {
  /** UTC milliseconds. */
  at: number;
  timezone: string;
  /** Absent: whatever was scanned is good. */
  code?: ScannedCode;
}

/** Whether a configuration is for passes of this template. */
export function covers({ passTemplateId, passTemplateIds }: Where, templateId: string): boolean {
  return passTemplateIds
    ? passTemplateIds.includes(templateId)
    : passTemplateId === null || passTemplateId === templateId;
}

/**
 * Whether a pass is accepted where a configuration is used, at the time of the scan, or the first reason against it.
 * Without a place of the configuration, or of the pass, none is asked for. The state is the one that was read: the
 * scan's own statement decides again (`insert-scan.ts`), and it alone knows the other scans of a day or a code.
 */
export function validityOf(
  configuration: Where,
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

function placeRefusal(configuration: Where, pass: Bearer): 'wrong_place' | 'already_used' | undefined {
  const places = boundPlaces(configuration, pass);
  if (!places) return undefined;
  if (!places.includes(configuration.place)) return 'wrong_place';
  return isUsedAt(configuration, pass) ? 'already_used' : undefined;
}

function isUsedAt({ place }: Where, { placesUsedAt }: Bearer): boolean {
  return Object.hasOwn(placesUsedAt ?? {}, place);
}

function boundPlaces({ place }: Pick<Where, 'place'>, { appearance }: Pick<Bearer, 'appearance'>) {
  const places = appearance.eligibleValidationPlaces;
  return place !== '' && places?.length ? places : undefined;
}

/** As reads with the configuration's identifier show it: voided and redeemed if not eligible or used. */
export function seenAt(configuration: Where, pass: Pass): Pass {
  const isGood =
    covers(configuration, pass.templateId) && !placeRefusal(configuration, pass) && !isUsedAt(configuration, pass);
  return isGood ? pass : { ...pass, voided: true, redeemed: true };
}

/** Why a scan was not accepted, as callers see it; null when it was, or when its caller decided. */
export function validityReasonOf({
  reason,
  scanStatus,
}: Pick<AppScan, 'reason' | 'scanStatus'>): ValidityReason | null {
  if (reason === 'accepted' || reason === 'told') return null;
  if (reason !== 'uncovered' && reason !== 'not_found') return reason;
  // Earlier versions stored this reason for a caller's decision about an unknown pass, too.
  return scanStatus === UNKNOWN_STATUS ? 'not_found' : null;
}
