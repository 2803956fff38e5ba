/** The visitor's platform. */
export type Platform = 'ios' | 'android' | 'desktop';

/**
 * Guesses the platform from the `User-Agent` header. Anything but a phone counts as a desktop, with both wallets and a
 * QR code.
 */
export function platformOf(userAgent: string | undefined): Platform {
  if (/iPhone|iPad|iPod/.test(userAgent ?? '')) return 'ios';
  return /Android/.test(userAgent ?? '') ? 'android' : 'desktop';
}
