import { eachScanPage, type ScanDetails, type ScanFilter } from '../../../domain/app-scans/search-scans.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { csvStream } from '../../../platform/csv.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import { reasonWords, statusWords } from './scan-words.ts';

const HEADINGS = [
  'Scanned on',
  'Scanned on (UTC)',
  'Outcome',
  'Status',
  'Reason',
  'Configuration',
  'Place',
  'Pass',
  'User-provided ID',
  'Generated ID',
  'Template',
  'Code',
  'Device',
  'Stored value',
  'Answers',
  'Scan',
];

/** Returns all matching scans as a CSV file, streamed while they are read. */
export function exportScans(ctx: AccountContext, filter: ScanFilter): ReadableStream<Uint8Array> {
  return csvStream(HEADINGS, eachScanPage(ctx, filter), (one) => cellsOf(ctx, one));
}

function cellsOf({ account }: AccountContext, { scan, configurationName, questions, pass, templateName }: ScanDetails) {
  const names = new Map(questions.map(({ id, name }) => [id, name]));
  const answers = Object.entries(scan.additionalProperties).map(([id, value]) => `${names.get(id) ?? id}: ${value}`);
  return [
    formatDateTime(scan.createdAt, account.timezone),
    formatDateTime(scan.createdAt, 'UTC'),
    statusWords(scan.scanStatus).title,
    scan.scanStatus,
    reasonWords(scan),
    configurationName,
    scan.place,
    scan.passId,
    templateName === null ? null : pass?.userProvidedId,
    templateName === null ? null : pass?.generatedId,
    templateName,
    scan.scannedBarcodeValue,
    scan.deviceName,
    scan.storedValue,
    answers.join('; '),
    scan.id,
  ];
}
