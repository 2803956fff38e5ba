/** What the visitor's device can do with a pass. */
export type Platform = 'ios' | 'android' | 'desktop';

/**
 * Guesses the platform from the `User-Agent` header; whatever is neither phone family gets both wallets and a code to
 * scan.
 */
export function platformOf(userAgent: string | undefined): Platform {
  if (/iPhone|iPad|iPod/.test(userAgent ?? '')) return 'ios';
  return /Android/.test(userAgent ?? '') ? 'android' : 'desktop';
}
