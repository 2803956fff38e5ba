import type { DeliveryState, SubscriptionStatus } from '../../../domain/webhooks/table.ts';
import { Badge, type Tone } from '../parts.tsx';

const STATUSES: Record<SubscriptionStatus, { title: string; tone: Tone }> = {
  active: { title: 'Active', tone: 'good' },
  paused: { title: 'Paused', tone: 'careful' },
  ended: { title: 'Ended', tone: 'grave' },
};

/** The state of a subscription as a badge. A failing subscription is still active. */
export function SubscriptionBadge(props: { status: SubscriptionStatus; failingSinceAt: number | null }) {
  const { status, failingSinceAt } = props;
  if (status === 'active' && failingSinceAt !== null) return <Badge tone="careful">Failing</Badge>;
  const { title, tone } = STATUSES[status];
  return <Badge tone={tone}>{title}</Badge>;
}

const STATES: Record<DeliveryState, { title: string; tone: Tone }> = {
  waiting: { title: 'Waiting', tone: 'calm' },
  delivered: { title: 'Delivered', tone: 'good' },
  failed: { title: 'Failed', tone: 'grave' },
};

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { title, tone } = STATES[state];
  return <Badge tone={tone}>{title}</Badge>;
}

const OUTCOMES: Record<string, string> = {
  delivered: 'Delivered',
  timeout: 'Timeout',
  connection_failed: 'Connection failed',
  redirect: 'Redirect, not followed',
  not_signed: 'Signing failed',
  private_address: 'Private IP address',
  dns_lookup_failed: 'Unknown host name',
};

/** Returns the title of an attempt's outcome. Unknown outcomes are shown as they are. */
export function outcomeWords(outcome: string): string {
  const [, status] = /^status_(\d+)$/.exec(outcome) ?? [];
  if (status) return `Status ${status}`;
  return OUTCOMES[outcome] ?? outcome.replaceAll('_', ' ');
}

/** Formats a duration for people. */
export function durationWords(millis: number): string {
  if (millis < 1_000) return `${millis} ms`;
  const seconds = millis / 1_000;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
