import type { AppScan, ScanReason } from '../../../domain/app-scans/table.ts';
import type { Tone } from '../parts.tsx';

/** Titles of statuses. */
const STATUSES: Record<number, { title: string; tone: Tone }> = {
  0: { title: 'Accepted, voided', tone: 'good' },
  1: { title: 'Rejected', tone: 'grave' },
  2: { title: 'Accepted', tone: 'good' },
  3: { title: 'Not found', tone: 'careful' },
};

const REASONS: Record<ScanReason, string> = {
  accepted: '',
  stale_code: 'copied or outdated code',
  voided: 'already voided',
  not_yet_valid: 'not valid yet',
  expired: 'expired',
  already_used: 'already used here',
  wrong_place: 'not valid here',
  limit_reached: 'limit reached',
  not_found: '',
  uncovered: 'other template',
  told: 'set by the API caller',
};

/** Options of the status filter. `other` matches statuses that only API callers set. */
export const STATUS_OPTIONS = [
  ...Object.entries(STATUSES).map(([value, { title }]) => ({ value, title })),
  { value: 'other', title: 'Other statuses' },
];

/** Options of the reason filter. */
export const REASON_OPTIONS = Object.entries(REASONS)
  .filter(([value, words]) => words !== '' && value !== 'told')
  .map(([value, words]) => ({ value, title: words.charAt(0).toUpperCase() + words.slice(1) }));

/** Returns the reason for a filter option; undefined for anything else. */
export function reasonNamed(value: string): ScanReason | undefined {
  return REASON_OPTIONS.some((option) => option.value === value) ? (value as ScanReason) : undefined;
}

/** Returns the title of a status. */
export function statusWords(status: number): { title: string; tone?: Tone } {
  return STATUSES[status] ?? { title: `Status ${status}` };
}

/** Returns the reason of a status; empty if the status needs none. */
export function reasonWords({ reason }: Pick<AppScan, 'reason'>): string {
  return REASONS[reason];
}
