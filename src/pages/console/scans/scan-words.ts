import type { AppScan, ScanReason } from '../../../domain/app-scans/table.ts';
import type { Tone } from '../parts.tsx';

/** What a status means (specification, "Scan status values"), in a word or two. */
const STATUSES: Record<number, { title: string; tone: Tone }> = {
  0: { title: 'Let in, voided', tone: 'good' },
  1: { title: 'Refused', tone: 'grave' },
  2: { title: 'Let in', tone: 'good' },
  3: { title: 'Not found', tone: 'careful' },
};

const REASONS: Record<ScanReason, string> = {
  accepted: '',
  voided: 'voided before',
  used: 'used here before',
  elsewhere: 'not valid here',
  unknown: '',
  uncovered: 'of another template',
  told: 'decided by the caller',
};

/** The choices of a filter by status; `other` are those that only callers give. */
export const STATUS_OPTIONS = [
  ...Object.entries(STATUSES).map(([value, { title }]) => ({ value, title })),
  { value: 'other', title: 'Statuses of callers' },
];

/** A status in words. */
export function statusWords(status: number): { title: string; tone?: Tone } {
  return STATUSES[status] ?? { title: `Status ${status}` };
}

/** Why it is so; empty where the status says it all. */
export function reasonWords({ reason }: Pick<AppScan, 'reason'>): string {
  return REASONS[reason];
}
