import { parseDateTime } from '../../../platform/dates.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { Pass } from '../table.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The rules of a template about the expiration of its passes. */
export interface ExpirationTerms {
  /** From the creation of a pass on. */
  validityMs?: number;
  /** UTC milliseconds: no pass ends later. */
  latestAt?: number;
  /** UTC milliseconds: the end of passes that have none of their own. */
  fallbackAt?: number;
}

/** The terms of a template for passes of an account in this time zone. */
export function expirationTerms(
  { expiration }: Pick<StoredDefinition, 'expiration'>,
  timezone: string,
): ExpirationTerms {
  const { expirationDate, validityInDays } = expiration;
  const templateEnd = expirationDate ? parseDateTime(expirationDate, timezone) : undefined;
  const fallsBack =
    !expiration.expirationDateDifferentForEachPass || expiration.fallbackToTemplateExpirationDateIfEmpty;
  return {
    validityMs: validityInDays ? validityInDays * DAY_MS : undefined,
    latestAt: expiration.limitExpirationDateOfPassWithTemplate ? templateEnd : undefined,
    fallbackAt: fallsBack ? templateEnd : undefined,
  };
}

/**
 * When a pass ends: its own date, bounded by or falling back to the template's as the template says. `EXPIRATION` in
 * `app-scans/insert-scan.ts` is the same in SQL.
 */
export function expirationOf(definition: StoredDefinition, pass: Pass, timezone: string): number | undefined {
  const { validityMs, latestAt, fallbackAt } = expirationTerms(definition, timezone);
  const own = pass.expirationAt ?? (validityMs === undefined ? undefined : pass.createdAt + validityMs);
  if (own === undefined) return fallbackAt;
  return latestAt === undefined ? own : Math.min(own, latestAt);
}
