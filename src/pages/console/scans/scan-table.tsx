import type { ScanDetails } from '../../../domain/app-scans/search-scans.ts';
import type { Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge } from '../parts.tsx';
import { hasSection, sectionPath } from '../sections.ts';
import { reasonWords, statusWords } from './scan-words.ts';

/** Scans, newest first. */
export function ScanTable({ frame, scans }: { frame: Frame; scans: ScanDetails[] }) {
  return (
    <ListTable columns={['When', 'Outcome', 'Pass', 'Code', 'Where', 'Device']}>
      {scans.map((one) => (
        <ScanRow frame={frame} browsed={one} />
      ))}
    </ListTable>
  );
}

function ScanRow({ frame, browsed }: { frame: Frame; browsed: ScanDetails }) {
  const { scan, configurationName } = browsed;
  const { title, tone } = statusWords(scan.scanStatus);
  const reason = reasonWords(scan);
  return (
    <tr data-id={scan.id}>
      <th scope="row">
        <Moment at={scan.createdAt} timezone={frame.account.timezone} />
      </th>
      <td data-label="Outcome">
        <span>
          <Badge tone={tone}>{title}</Badge>
          {reason && <span class="quiet"> {reason}</span>}
        </span>
      </td>
      <td data-label="Pass">
        <PassName frame={frame} browsed={browsed} />
      </td>
      <td data-label="Code">{scan.scannedBarcodeValue ? <code>{scan.scannedBarcodeValue}</code> : '–'}</td>
      <td data-label="Where">{configurationName ?? 'Deleted'}</td>
      <td data-label="Device">{scan.deviceName ?? '–'}</td>
    </tr>
  );
}

function PassName({ frame, browsed: { scan, pass, templateName } }: { frame: Frame; browsed: ScanDetails }) {
  if (scan.passId === null) return <>–</>;
  // The passes of a deleted template are gone for people before their rows are.
  if (pass === null || templateName === null) return <span class="quiet">Deleted</span>;
  const name = pass.userProvidedId ?? pass.generatedId;
  const href = hasSection(frame.privileges, 'passes') && sectionPath(frame.account.id, 'passes', scan.passId);
  return (
    <span>
      {href ? <a href={href}>{name}</a> : name} <span class="quiet">{templateName}</span>
    </span>
  );
}

/** A moment to the second: at a door many scans happen in a minute. */
function Moment({ at, timezone }: { at: number; timezone: string }) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}
