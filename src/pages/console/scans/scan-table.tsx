import type { ScanDetails } from '../../../domain/app-scans/search-scans.ts';
import type { AppScan, ScanReason } from '../../../domain/app-scans/table.ts';
import { hasBoardingCode } from '../../../domain/passes/card/boarding-code.ts';
import { Table } from '../list-table.tsx';
import { Badge, type Tone } from '../parts.tsx';
import { hasSection } from '../sections.ts';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';

interface ScanTableProps {
  scans: ScanDetails[];
  /** Codes can contain personal data, so only pages whose views are recorded show them. */
  hasCodes?: boolean;
}

/** A table of scans, newest first. */
export function ScanTable({ scans, hasCodes = false }: ScanTableProps) {
  return (
    <Table
      hasTwoLines
      rows={scans}
      idOf={({ scan }) => scan.id}
      columns={[
        ['Time', ({ scan }) => <Moment at={scan.createdAt} />],
        ['Outcome', ({ scan }) => <Outcome scan={scan} />],
        ['Pass', (one) => <PassName {...one} />],
        hasCodes && ['Code', (one) => <Code {...one} />],
        ['Configuration', ({ configurationName }) => configurationName ?? 'Deleted'],
        ['Device', ({ scan }) => scan.deviceName ?? '–'],
      ]}
    />
  );
}

function Outcome({ scan }: Pick<ScanDetails, 'scan'>) {
  const { title, tone } = statusWords(scan.scanStatus);
  const reason = reasonWords(scan);
  return (
    <span>
      <Badge tone={tone}>{title}</Badge>
      {reason && <span class="quiet"> {reason}</span>}
    </span>
  );
}

/** Hides the code of a flight, which can contain the passenger, from members who can't see personal data. */
function Code({ scan: { scannedBarcodeValue: text }, pass }: ScanDetails) {
  if (!text) return <>–</>;
  if ((pass?.isFlight || hasBoardingCode(text)) && !viewerHas('personal_data'))
    return <span class="quiet">Hidden</span>;
  return <code>{text}</code>;
}

function PassName({ scan, pass, templateName }: ScanDetails) {
  if (scan.passId === null) return <>–</>;
  // The rows of a deleted template's passes are removed later, but must not be shown any more.
  if (pass === null || templateName === null) return <span class="quiet">Deleted</span>;
  const name = pass.userProvidedId ?? pass.generatedId;
  const href = hasSection(useViewer().privileges, 'passes') && hrefTo('passes', scan.passId);
  return (
    <span>
      <span class="pass-name">{href ? <a href={href}>{name}</a> : name}</span> <span class="quiet">{templateName}</span>
    </span>
  );
}

/** A time with seconds: at a door, there are many scans per minute. */
function Moment({ at }: { at: number }) {
  const { timezone } = useViewer().account;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}

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
export const reasonWords = ({ reason }: Pick<AppScan, 'reason'>): string => REASONS[reason];
