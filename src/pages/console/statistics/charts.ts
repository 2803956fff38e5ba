import type { HourlyCount } from '../../../domain/statistics/get-statistics.ts';
import type { LOOKS, Series } from './chart.tsx';
import { bucketed, type Range } from './range.ts';

interface ChartSeries {
  title: string;
  metric: string;
  look: (typeof LOOKS)[number];
  isBelow?: boolean;
}

interface ChartDefinition {
  id: string;
  title: string;
  empty: string;
  parts: ChartSeries[];
}

/** The charts in order. */
export const CHARTS: ChartDefinition[] = [
  {
    id: 'installs',
    title: 'Installs',
    empty: 'An install is counted when a device adds a pass.',
    parts: [
      { title: 'Added to a wallet', metric: 'pushnotification_registered', look: 'plain' },
      { title: 'Removed', metric: 'pushnotification_unregistered', look: 'hatched', isBelow: true },
    ],
  },
  {
    id: 'passes',
    title: 'Passes',
    empty: 'Counts created and deleted passes.',
    parts: [
      { title: 'Created', metric: 'pass_created', look: 'plain' },
      { title: 'Deleted', metric: 'pass_deleted', look: 'hatched', isBelow: true },
    ],
  },
  {
    id: 'scans',
    title: 'Scans',
    empty: 'Open the link of an app configuration on a phone to scan passes.',
    parts: [
      { title: 'Accepted, voided', metric: 'app_scan_created.0', look: 'plain' },
      { title: 'Accepted', metric: 'app_scan_created.2', look: 'hatched' },
      { title: 'Rejected', metric: 'app_scan_created.1', look: 'dotted' },
      { title: 'Not found', metric: 'app_scan_created.3', look: 'striped' },
      { title: 'Other statuses', metric: 'app_scan_created.other', look: 'crossed' },
    ],
  },
  {
    id: 'deliveries',
    title: 'Webhook deliveries',
    empty: 'Webhooks with an endpoint URL get deliveries.',
    parts: [
      { title: 'Delivered', metric: 'webhook_delivered', look: 'plain' },
      { title: 'Retrying', metric: 'webhook_retried', look: 'striped' },
      { title: 'Failed', metric: 'webhook_failed', look: 'dotted' },
    ],
  },
  {
    id: 'messages',
    title: 'Messages',
    empty: 'The service sends a pass to its e-mail address or phone number.',
    parts: [
      { title: 'Sent', metric: 'message_sent', look: 'plain' },
      { title: 'Failed', metric: 'message_failed', look: 'dotted' },
    ],
  },
];

/** All metrics of the charts. */
export const METRICS = CHARTS.flatMap(({ parts }) => parts.map(({ metric }) => metric));

/** Returns the series of a chart. */
export function seriesOf({ parts }: ChartDefinition, range: Range, counts: HourlyCount[]): Series[] {
  return parts.map(({ title, metric, look, isBelow }) => ({
    title,
    look,
    isBelow,
    values: bucketed(
      range,
      counts.filter((one) => one.metric === metric),
    ),
  }));
}
