import type { InboxKind, InboxRow } from '../table.ts';

export const KIND_NAMES: Record<InboxKind, string> = {
  email: 'E-mail',
  sms: 'SMS',
  apns: 'Apple push',
  google: 'Google Wallet',
};

/** Returns the title of an item in a list. */
export function titleOf({ subject, text, kind }: InboxRow): string {
  return subject || text.split('\n')[0] || KIND_NAMES[kind];
}

/** A time, to the second. */
export function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}</time>;
}
