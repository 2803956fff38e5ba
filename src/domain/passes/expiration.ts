import { parseDateTime } from '../../platform/dates.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import type { Pass } from './table.ts';

const DAY_MS = 24 * 60 * 60_000;

/** When a pass ends: its own date, bounded by or falling back to the template's as the template says (decisions §3, `expiration`). */
export function expirationOf(definition: StoredDefinition, pass: Pass, timezone: string): number | undefined {
  const terms = definition.expiration;
  const templateEnd = terms.expirationDate ? parseDateTime(terms.expirationDate, timezone) : undefined;
  const validityEnd = terms.validityInDays ? pass.createdAt + terms.validityInDays * DAY_MS : undefined;
  const own = pass.expirationAt ?? validityEnd;
  if (own === undefined) {
    const fallsBack = !terms.expirationDateDifferentForEachPass || terms.fallbackToTemplateExpirationDateIfEmpty;
    return fallsBack ? templateEnd : undefined;
  }
  return terms.limitExpirationDateOfPassWithTemplate && templateEnd !== undefined ? Math.min(own, templateEnd) : own;
}
