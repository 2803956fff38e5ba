import type { ShownSubscription } from '../../../domain/webhooks/subscription-pages.ts';
import { AccountLayout } from '../console-layout.tsx';
import { type Listed, ListPanel } from '../list-table.tsx';
import { EmptyState, formatNumber, LinkButton } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { outcomeWords, SubscriptionBadge } from './words.tsx';

export const SECTION = 'webhooks';

/** The list of webhooks with the state of their deliveries. */
export function WebhooksPage(list: Listed<ShownSubscription>) {
  const base = hrefTo(SECTION);
  const create = viewerHas('owner') && <LinkButton href={`${base}/new`} title="Create webhook" />;
  return (
    <AccountLayout title="Webhooks" section={SECTION} actions={list.rows.length > 0 && create}>
      <p class="lead">
        A webhook delivers pass events to your program within seconds, at least once.{' '}
        <a href={`${base}/verify`}>Verify deliveries</a>
      </p>
      <ListPanel
        {...list}
        base={base}
        empty={
          list.isFirst && (
            <EmptyState title="No webhooks yet" action={create}>
              Select an event and an endpoint URL. The service posts each event there.
            </EmptyState>
          )
        }
        hasTwoLines
        columns={[
          ['Event', (one) => <Event {...one} href={`${base}/${one.id}`} />],
          ['Status', (one) => <SubscriptionBadge {...one} />],
          ['Endpoint URL', Endpoint],
          ['Last attempt', lastAttempt],
          ['Delivered', ({ targetUrl, delivered }) => countOf(targetUrl, delivered), 'number'],
          ['Failed', ({ targetUrl, failed }) => countOf(targetUrl, failed), 'number'],
        ]}
      />
    </AccountLayout>
  );
}

function Event({ href, ...subscription }: ShownSubscription & { href: string }) {
  return (
    <>
      <a class="whole" href={href}>
        {subscription.event}
      </a>
      {subscription.templateId !== null && <span class="under quiet">{templateWords(subscription)}</span>}
    </>
  );
}

/** The endpoint of a subscription. */
export function Endpoint({ targetUrl }: Pick<ShownSubscription, 'targetUrl'>) {
  if (targetUrl === null) return 'Fetched (pull mode)';
  return <span class="address">{viewerHas('owner') ? targetUrl : new URL(targetUrl).origin}</span>;
}

const countOf = (targetUrl: string | null, count: number): string => (targetUrl === null ? '–' : formatNumber(count));

function lastAttempt({ targetUrl, openPayloads, lastAttemptAt: at, lastOutcome: outcome }: ShownSubscription) {
  if (targetUrl === null) return `${formatNumber(openPayloads)} not acknowledged`;
  if (at === null || outcome === null) return 'None yet';
  return (
    <span>
      {outcomeWords(outcome)}
      <span class="under quiet">
        <Time at={at} />
      </span>
    </span>
  );
}

/** Describes the templates of a subscription. */
export function templateWords({ templateId, templateName }: ShownSubscription): string {
  if (templateId === null) return 'All templates';
  return templateName ?? 'A deleted template';
}
