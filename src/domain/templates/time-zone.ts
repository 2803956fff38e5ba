import type { StoredDefinition } from './definition.ts';

/**
 * Returns the IANA zone in which dates of passes are read, shown and sent to wallets: that of the definition that a
 * pass shows, otherwise the account's. Times of changes and usages are always in the account's zone.
 */
export function timeZoneOf(
  account: { timezone: string },
  { timezone }: Partial<Pick<StoredDefinition, 'timezone'>>,
): string {
  return timezone ?? account.timezone;
}
