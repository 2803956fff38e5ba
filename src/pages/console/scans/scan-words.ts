import type { AppScan, ScanReason } from '../../../domain/app-scans/table.ts';
import type { Tone } from '../parts.tsx';

/** What a status means, in a word or two. */
const STATUSES: Record<number, { title: string; tone: Tone }> = {
  0: { title: 'Accepted, voided', tone: 'good' },
  1: { title: 'Rejected', tone: 'grave' },
  2: { title: 'Accepted', tone: 'good' },
  3: { title: 'Not found', tone: 'careful' },
};

const REASONS: Record<ScanReason, string> = {
  accepted: '',
  stale_code: 'copied or old code',
  voided: 'voided before',
  not_yet_valid: 'not valid yet',
  expired: 'expired',
  already_used: 'used here before',
  wrong_place: 'not valid here',
  limit_reached: 'limit reached',
  not_found: '',
  uncovered: 'other template',
  told: 'decided by the caller',
};

/** The choices of a filter by status; `other` are those that only callers give. */
export const STATUS_OPTIONS = [
  ...Object.entries(STATUSES).map(([value, { title }]) => ({ value, title })),
  { value: 'other', title: 'Other statuses' },
];

/** The choices of a filter by reason. */
export const REASON_OPTIONS = Object.entries(REASONS)
  .filter(([value, words]) => words !== '' && value !== 'told')
  .map(([value, words]) => ({ value, title: words.charAt(0).toUpperCase() + words.slice(1) }));

/** The reason that an option of the filter names; undefined for anything else. */
export function reasonNamed(value: string): ScanReason | undefined {
  return REASON_OPTIONS.some((option) => option.value === value) ? (value as ScanReason) : undefined;
}

/** A status in words. */
export function statusWords(status: number): { title: string; tone?: Tone } {
  return STATUSES[status] ?? { title: `Status ${status}` };
}

/** Why it is so; empty where the status says it all. */
export function reasonWords({ reason }: Pick<AppScan, 'reason'>): string {
  return REASONS[reason];
}
