import { FULL_SHARE } from '../../../domain/databases/choose-database.ts';
import { DATABASE_BYTES_MAX } from '../../../domain/databases/list-databases.ts';
import type { DatabaseOutlook } from '../../../domain/monitoring/get-service-status.ts';
import { shownBytes } from '../../../domain/monitoring/send-operator-mails.ts';
import { Table } from '../list-table.tsx';
import { Badge, formatNumber, Panel } from '../parts.tsx';

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
