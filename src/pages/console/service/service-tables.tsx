import type { EndingCertificate } from '../../../domain/monitoring/ending-certificates.ts';
import type { Measurement } from '../../../domain/monitoring/gauges.ts';
import type { ServiceStatus } from '../../../domain/monitoring/get-service-status.ts';
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
