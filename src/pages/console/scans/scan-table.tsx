import type { ScanDetails } from '../../../domain/app-scans/search-scans.ts';
import { hasBoardingCode } from '../../../domain/passes/card/boarding-code.ts';
import { Table } from '../list-table.tsx';
import { Badge } from '../parts.tsx';
import { hasSection } from '../sections.ts';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';
import { reasonWords, statusWords } from './scan-words.ts';

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
