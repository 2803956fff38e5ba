import { parseDateTime } from '../../../platform/dates.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { Pass } from '../table.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Rules of a template for the expiration of its passes. */
export interface ExpirationTerms {
  /** Counted from the creation of a pass. */
  validityMs?: number;
  /** UTC milliseconds: no pass expires later. */
  latestAt?: number;
  /** UTC milliseconds: expiration of passes without their own. */
  fallbackAt?: number;
}

/** Returns the terms of a template for passes of an account in this time zone. */
export function expirationTerms(
  { expiration }: Pick<StoredDefinition, 'expiration'>,
  timezone: string,
): ExpirationTerms {
  const { expirationDate, validityInDays } = expiration;
  const templateEnd = expirationDate ? parseDateTime(expirationDate, timezone) : undefined;
  const hasFallback =
    !expiration.expirationDateDifferentForEachPass || expiration.fallbackToTemplateExpirationDateIfEmpty;
  return {
    validityMs: validityInDays ? validityInDays * DAY_MS : undefined,
    latestAt: expiration.limitExpirationDateOfPassWithTemplate ? templateEnd : undefined,
    fallbackAt: hasFallback ? templateEnd : undefined,
  };
}

/**
 * Returns when a pass expires: its own date, limited by or falling back to the template's according to the template.
 * `EXPIRATION` in `app-scans/insert-scan.ts` is the same in SQL.
 */
export function expirationOf(definition: StoredDefinition, pass: Pass, timezone: string): number | undefined {
  const { validityMs, latestAt, fallbackAt } = expirationTerms(definition, timezone);
  const own = pass.expirationAt ?? (validityMs === undefined ? undefined : pass.createdAt + validityMs);
  if (own === undefined) return fallbackAt;
  return latestAt === undefined ? own : Math.min(own, latestAt);
}
