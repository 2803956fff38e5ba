import type { StatusView } from '../src/admin/service-commands.ts';
import { BACKLOG_WORDS } from '../src/domain/monitoring/alerts.ts';
import { BACKLOGS } from '../src/domain/monitoring/gauges.ts';
import { shownBytes, shownSpan } from '../src/domain/monitoring/send-operator-mails.ts';

/** Formats the service's state for people: the output of `status` without `--json`. */
export function statusText(status: StatusView): string {
  const { backlog, database, failedJobs, failingEndpoints, certificates } = status;
  const bytesPerDay = growthText(database.bytesPerDay);
  const full = database.daysLeft === null ? '' : `, full in ${number(database.daysLeft)} days`;
  const sections = [
    [`${status.healthy ? 'Healthy' : 'Alerting'}. Last measured by the cron: ${status.measuredOn ?? 'never'}.`],
    ...status.alerts.map(({ title, raisedOn, detail, nextStep, docs }) => [
      `! ${title} (since ${raisedOn})`,
      `  ${detail}`,
      `  Next step: ${nextStep}`,
      `  ${docs}`,
    ]),
    [
      'Backlog',
      ...BACKLOGS.map((name) => {
        const { waiting, more, oldestSeconds } = backlog[name];
        const oldest = oldestSeconds === null ? '' : `, oldest ${shownSpan(oldestSeconds * 1_000)}`;
        return `  ${BACKLOG_WORDS[name].title}: ${number(waiting)}${more ? '+' : ''}${oldest}`;
      }),
      `  Webhook lag: ${shownSpan(status.webhookLagSeconds * 1_000)}`,
    ],
    [
      `Failed jobs: ${number(failedJobs.waiting)}${failedJobs.more ? '+' : ''}, ${number(failedJobs.lastHour)} in the last hour`,
      ...Object.entries(failedJobs.types).map(([type, count]) => `  ${type}: ${number(count)}`),
    ],
    [
      `Failing endpoints: ${number(failingEndpoints.count)}${failingEndpoints.more ? '+' : ''}`,
      ...failingEndpoints.longest.map(
        ({ origin, event, accountName, failingSince }) =>
          `  ${origin} (${event}, ${accountName}) since ${failingSince}`,
      ),
    ],
    [
      'Certificates',
      ...certificates.map(
        ({ passTypeId, validTo, daysLeft, development }) =>
          `  ${passTypeId}: ${validTo.slice(0, 10)}, ${daysLeft} days${development ? ' (development)' : ''}`,
      ),
    ],
    [`Database: ${shownBytes(database.bytes)} of ${shownBytes(database.bytesMax)}, ${bytesPerDay}${full}`],
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function growthText(bytesPerDay: number | null): string {
  if (bytesPerDay === null) return 'growth not known yet';
  return bytesPerDay > 0 ? `${shownBytes(bytesPerDay)} a day` : 'not growing';
}

function number(value: number): string {
  return value.toLocaleString('en');
}
