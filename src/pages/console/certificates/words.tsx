import { describePush } from '../../../domain/certificates/push-settings.ts';
import type { PushSettings } from '../../../domain/certificates/table.ts';
import { Badge } from '../parts.tsx';

const DAY_MS = 24 * 60 * 60_000;
/** Days before expiry from which a certificate should be renewed. */
const EXPIRY_WARNING_DAYS = 30;

/** Returns whether a certificate has expired or expires soon. */
export function expiryOf(validTo: number, now: number): 'expired' | 'soon' | 'later' {
  if (validTo <= now) return 'expired';
  return validTo - now <= EXPIRY_WARNING_DAYS * DAY_MS ? 'soon' : 'later';
}

export function ExpiryBadge({ validTo, now }: { validTo: number; now: number }) {
  const expiry = expiryOf(validTo, now);
  if (expiry === 'expired') return <Badge tone="grave">Expired</Badge>;
  if (expiry === 'later') return <Badge tone="good">Valid</Badge>;
  const days = Math.ceil((validTo - now) / DAY_MS);
  return <Badge tone="careful">{days === 1 ? 'Expires within a day' : `${days} days left`}</Badge>;
}

/** Describes the push settings, without secrets. */
export function pushWords(push: PushSettings | null): string {
  return describePush(push) ?? 'Not set up';
}
