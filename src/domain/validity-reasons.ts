/** Why a scan of a pass was not accepted, in the order in which the reasons count: of several a scan has the first. */
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
