import { FULL_SHARE } from '../../../domain/databases/choose-database.ts';
import { DATABASE_BYTES_MAX } from '../../../domain/databases/list-databases.ts';
import type { EndingCertificate } from '../../../domain/monitoring/ending-certificates.ts';
import type { Measurement } from '../../../domain/monitoring/gauges.ts';
import type { DatabaseOutlook, ServiceStatus } from '../../../domain/monitoring/get-service-status.ts';
import { shownBytes } from '../../../domain/monitoring/send-operator-mails.ts';
import { Table } from '../list-table.tsx';
import { Badge, formatNumber, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { outcomeWords } from '../webhooks/words.tsx';

const DAY_MS = 24 * 3_600_000;
const SOON_DAYS = 30;

/** Webhooks with a failing endpoint, longest failure first. */
export function EndpointTable({ count, hasMore, longest }: Measurement['failingEndpoints']) {
  return (
    <Panel id="endpoints" title="Failing endpoints">
      {count === 0 ? (
        <p class="quiet">No endpoint is failing.</p>
      ) : (
        <Table
          rows={longest}
          columns={[
            ['Endpoint', ({ origin }) => <code>{origin}</code>],
            ['Account', ({ accountName }) => accountName],
            ['Event', ({ event }) => <code>{event}</code>],
            ['Failing since', ({ failingSince }) => <Time at={failingSince} timezone="UTC" />],
            ['Last result', ({ lastOutcome }) => (lastOutcome === null ? '–' : outcomeWords(lastOutcome))],
          ]}
        />
      )}
      {count > longest.length && (
        <p class="quiet">
          The first {longest.length} of {formatNumber(count)}
          {hasMore && '+'}.
        </p>
      )}
    </Panel>
  );
}

/** Signing certificates with their remaining validity. */
export function CertificateTable({ now: { certificates, ending, at } }: { now: Measurement }) {
  const more = (ending?.[30] ?? 0) - certificates.length;
  return (
    <Panel id="certificates" title="Expiring certificates">
      {certificates.length === 0 ? (
        <p class="quiet">No certificates yet.</p>
      ) : (
        <Table
          rows={certificates}
          columns={[
            ['Pass type', ({ passTypeId }) => <code>{passTypeId}</code>],
            ['Account', ({ accountName }) => accountName ?? 'The service'],
            ['Expires on', ({ validTo }) => <Time at={validTo} timezone="UTC" />],
            ['Time left', (one) => <Left certificate={one} now={at} />],
          ]}
        />
      )}
      {more > 0 && <p class="quiet">{formatNumber(more)} more expire within 30 days.</p>}
    </Panel>
  );
}

function Left({ certificate: { validTo, isDevelopment }, now }: { certificate: EndingCertificate; now: number }) {
  const days = Math.floor((validTo - now) / DAY_MS);
  if (isDevelopment) return <Badge>Development, {days} days</Badge>;
  if (days < 0) return <Badge tone="grave">Expired</Badge>;
  return <Badge tone={days < SOON_DAYS ? 'careful' : 'good'}>{days} days</Badge>;
}

interface FailedJobsProps {
  failed: Measurement['failedJobs'];
  types: ServiceStatus['failedJobTypes'];
}

/** Failed jobs by type. */
export function FailedJobs({ failed, types }: FailedJobsProps) {
  return (
    <Panel id="failed-jobs" title="Failed jobs">
      {failed.waiting === 0 ? (
        <p class="quiet">No failed jobs.</p>
      ) : (
        <>
          <Table
            rows={types}
            columns={[
              ['Job', ({ type }) => <code>{type}</code>],
              ['Failed', ({ count }) => formatNumber(count), 'number'],
            ]}
          />
          <p class="quiet">
            Owners see the failed jobs of their account in the console. To list all:{' '}
            <code>npm run -s admin -- dead-letter list</code>
          </p>
        </>
      )}
    </Panel>
  );
}

const WEEK_DAYS = 7;
/** Share from which the bar warns that the database is filling up. */
const HIGH_SHARE = 0.6;

/** The databases: how full they are, what they contain, and when they will be full. */
export function DatabaseTable({ databases }: { databases: DatabaseOutlook[] }) {
  return (
    <Panel id="databases" title="Databases">
      <Table
        rows={databases}
        columns={[
          ['Database', ({ name }) => <code>{name}</code>],
          ['Size', (one) => <Size bytes={one.bytes} />],
          ['Accounts', ({ accounts }) => formatNumber(accounts), 'number'],
          ['Passes', ({ passes }) => formatNumber(passes), 'number'],
          ['Growth per week', growthOf, 'number'],
          ['Full in', leftOf, 'number'],
          ['New accounts', (one) => <NewAccounts database={one} />],
        ]}
      />
      <p class="quiet">
        New accounts go to the open database with the most free space. A database that is {FULL_SHARE * 100}% full gets
        no new accounts. To add a database: <code>docs/operations.md#databases</code>.
      </p>
    </Panel>
  );
}

function Size({ bytes }: { bytes: number }) {
  const part = bytes / DATABASE_BYTES_MAX;
  const percent = part < 0.001 ? 'less than 0.1%' : `${(part * 100).toFixed(1)}%`;
  const text = `${shownBytes(bytes)} of ${shownBytes(DATABASE_BYTES_MAX)}, ${percent}`;
  return (
    <span class="database-size">
      <meter
        min={0}
        max={DATABASE_BYTES_MAX}
        low={DATABASE_BYTES_MAX * HIGH_SHARE}
        high={DATABASE_BYTES_MAX * FULL_SHARE}
        optimum={0}
        value={bytes}
        aria-label={text}
      >
        {text}
      </meter>
      <span>
        {shownBytes(bytes)} <span class="quiet">of {shownBytes(DATABASE_BYTES_MAX)}</span>
      </span>
    </span>
  );
}

function growthOf({ bytesPerDay }: DatabaseOutlook): string {
  if (bytesPerDay === null) return 'Available after one day';
  return bytesPerDay > 0 ? shownBytes(bytesPerDay * WEEK_DAYS) : 'None';
}

function leftOf({ daysLeft }: DatabaseOutlook): string {
  if (daysLeft === null) return '–';
  return `${formatNumber(daysLeft)} day${daysLeft === 1 ? '' : 's'}`;
}

function NewAccounts({ database: { isOpen, bytes } }: { database: DatabaseOutlook }) {
  if (!isOpen) return <Badge>Closed</Badge>;
  return bytes > DATABASE_BYTES_MAX * FULL_SHARE ? <Badge tone="careful">Full</Badge> : <Badge tone="good">Open</Badge>;
}
