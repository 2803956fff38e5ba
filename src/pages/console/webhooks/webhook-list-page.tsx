import type { ShownSubscription } from '../../../domain/webhooks/subscription-pages.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { EmptyState, Pager } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { outcomeWords, SubscriptionBadge } from './words.tsx';

export const SECTION = 'webhooks';

interface WebhooksPageProps {
  frame: Frame;
  subscriptions: ShownSubscription[];
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst: boolean;
  mayEdit: boolean;
}

/** Webhooks and the state of their deliveries. */
export function WebhooksPage({ frame, subscriptions, next, isFirst, mayEdit }: WebhooksPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const create = mayEdit && (
    <a class="button" href={`${base}/new`}>
      Create webhook
    </a>
  );
  return (
    <AccountLayout frame={frame} title="Webhooks" section={SECTION} actions={create}>
      <p class="lead">
        A webhook delivers events of passes to your program, within seconds and at least once.{' '}
        <a href={`${base}/verify`}>Verify deliveries</a>
      </p>
      {subscriptions.length === 0 && isFirst ? (
        <EmptyState title="No webhooks yet" action={create}>
          Select an event and an endpoint URL. The service posts each event there.
        </EmptyState>
      ) : (
        <section class="panel">
          <ListTable
            columns={[
              'Event',
              'Status',
              'Endpoint URL',
              { title: 'Delivered', isNumber: true },
              { title: 'Failed', isNumber: true },
              'Last attempt',
            ]}
          >
            {subscriptions.map((subscription) => (
              <WebhookRow subscription={subscription} timezone={frame.account.timezone} base={base} />
            ))}
          </ListTable>
        </section>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

function WebhookRow(props: { subscription: ShownSubscription; timezone: string; base: string }) {
  const { subscription, timezone, base } = props;
  const { id, event, targetUrl, templateId, lastAttemptAt, lastOutcome } = subscription;
  return (
    <tr>
      <th scope="row">
        <a class="whole" href={`${base}/${id}`}>
          {event}
        </a>
        {templateId !== null && <span class="under quiet">{templateWords(subscription)}</span>}
      </th>
      <td data-label="Status">
        <SubscriptionBadge {...subscription} />
      </td>
      <td data-label="Endpoint URL">
        {targetUrl === null ? 'Fetched (pull mode)' : <span class="address">{targetUrl}</span>}
      </td>
      <td class="number" data-label="Delivered">
        {targetUrl === null ? '–' : subscription.delivered.toLocaleString('en')}
      </td>
      <td class="number" data-label="Failed">
        {targetUrl === null ? '–' : subscription.failed.toLocaleString('en')}
      </td>
      <td data-label="Last attempt">{lastAttempt(subscription, lastAttemptAt, lastOutcome, timezone)}</td>
    </tr>
  );
}

function lastAttempt(of: ShownSubscription, at: number | null, outcome: string | null, timezone: string) {
  if (of.targetUrl === null) return `${of.openPayloads.toLocaleString('en')} not acknowledged`;
  if (at === null || outcome === null) return 'None yet';
  return (
    <span>
      {outcomeWords(outcome)}
      <span class="under quiet">
        <Time at={at} timezone={timezone} />
      </span>
    </span>
  );
}

/** Templates whose events a subscription gets. */
export function templateWords({ templateId, templateName }: ShownSubscription): string {
  if (templateId === null) return 'All templates';
  return templateName ?? 'A deleted template';
}
