/** Reasons why a scan was not accepted, by precedence: a scan with several gets the first. */
export const VALIDITY_REASONS = [
  'not_found',
  'stale_code',
  'voided',
  'not_yet_valid',
  'expired',
  'wrong_place',
  'already_used',
  'limit_reached',
] as const;

export type ValidityReason = (typeof VALIDITY_REASONS)[number];
