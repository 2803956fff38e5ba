import type { Issue } from '../../../domain/errors.ts';
import { EVENTS } from '../../../domain/events/catalog.ts';
import type { DeliveriesOf, DeliveryFilter, ShownSubscription } from '../../../domain/webhooks/subscription-pages.ts';
import type { Delivery } from '../../../domain/webhooks/table.ts';
import { InlineText } from '../../docs/rich-text.tsx';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { FilterLinks } from '../filter-links.tsx';
import { ListTable } from '../list-table.tsx';
import { ActionButton, EmptyState, Fact, Notice, Pager, Panel, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SECTION, templateWords } from './webhook-list-page.tsx';
import { DeliveryBadge, durationWords, outcomeWords, SubscriptionBadge } from './words.tsx';

const FILTERS: { filter: DeliveryFilter; title: string; empty: string }[] = [
  { filter: 'all', title: 'All', empty: 'No deliveries yet' },
  { filter: 'waiting', title: 'Waiting', empty: 'No pending retries' },
  { filter: 'failed', title: 'Failed', empty: 'No failed deliveries' },
];

/** What was just done, by the word in the address. */
const DONE: Record<string, string> = {
  resume: 'Webhook resumed. To deliver the events it missed, use Recover.',
  pause: 'Webhook paused. Deliveries stop until you resume it.',
  recover: 'Missed events are being delivered.',
};

export interface TypedPeriod {
  since: string;
  until: string;
}

interface WebhookPageProps extends DeliveriesOf {
  frame: Frame;
  filter: DeliveryFilter;
  isFirst: boolean;
  mayEdit: boolean;
  done?: string;
  typed?: TypedPeriod;
  messages?: Issue[];
}

/** One subscription: its state, its deliveries, and the actions on it. */
export function WebhookPage(props: WebhookPageProps) {
  const { frame, subscription, mayEdit, done = '', messages = [], typed } = props;
  const base = sectionPath(frame.account.id, SECTION, subscription.id);
  const isPush = subscription.targetUrl !== null;
  const words = Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  return (
    <AccountLayout
      frame={frame}
      title={subscription.event}
      section={SECTION}
      actions={mayEdit && <Actions subscription={subscription} base={base} />}
    >
      <Problems messages={messages} />
      {words && <Notice tone="good">{words}</Notice>}
      <Standing subscription={subscription} timezone={frame.account.timezone} />
      <Facts subscription={subscription} timezone={frame.account.timezone} />
      {isPush && <Deliveries {...props} base={base} />}
      {isPush && mayEdit && <Recover base={base} timezone={frame.account.timezone} typed={typed} />}
      {mayEdit && <Ends base={base} isPush={isPush} />}
    </AccountLayout>
  );
}

function Actions({ subscription: { status }, base }: { subscription: ShownSubscription; base: string }) {
  if (status === 'ended') return null;
  if (status === 'paused') return <ActionButton action={`${base}/resume`} title="Resume" />;
  return (
    <>
      <ActionButton action={`${base}/test`} title="Send a test event" />
      <a class="button small quiet" href={`${base}/pause`}>
        Pause
      </a>
    </>
  );
}

/** What is wrong with a subscription, and what to do. */
function Standing({ subscription, timezone }: { subscription: ShownSubscription; timezone: string }) {
  const { status, failingSinceAt } = subscription;
  if (status === 'ended') {
    return (
      <Notice tone="grave">
        The receiver answered with status 410, which ends a webhook. To continue, create it again with the same endpoint
        URL.
      </Notice>
    );
  }
  if (status === 'paused') {
    return (
      <Notice tone="careful">
        Deliveries stop while the webhook is paused. Resume it, then recover missed events. Events are kept for 32 days.
      </Notice>
    );
  }
  if (failingSinceAt === null) return null;
  return (
    <Notice tone="careful">
      No successful delivery since <Time at={failingSinceAt} timezone={timezone} />. After five days, the webhook is
      paused.
    </Notice>
  );
}

function Facts({ subscription, timezone }: { subscription: ShownSubscription; timezone: string }) {
  const { event, targetUrl, subscriptionUrl, lagMillis, retryEnabled, signPayload, accessTokenSealed } = subscription;
  const options = [
    retryEnabled ? 'Retries' : 'One attempt each',
    ...(signPayload ? ['body signed'] : []),
    ...(accessTokenSealed === null ? [] : ['access token']),
  ];
  return (
    <>
      <p class="lead">
        {EVENTS[event].summary}. <InlineText text={EVENTS[event].description} />
      </p>
      <dl class="facts">
        <Fact title="Status">
          <SubscriptionBadge {...subscription} />
        </Fact>
        {targetUrl === null ? (
          <Fact title="Not acknowledged">{subscription.openPayloads.toLocaleString('en')}</Fact>
        ) : (
          <>
            <Fact title="Delivered">{subscription.delivered.toLocaleString('en')}</Fact>
            <Fact title="Failed">{subscription.failed.toLocaleString('en')}</Fact>
            <Fact title="Duration of the last delivery">{lagMillis === null ? '–' : durationWords(lagMillis)}</Fact>
            <Fact title="Deliveries">{options.join(', ')}</Fact>
          </>
        )}
        <Fact title="Template">{templateWords(subscription)}</Fact>
        <Fact title="Created on">
          <Time at={subscription.createdAt} timezone={timezone} />
        </Fact>
        {subscriptionUrl !== null && <Fact title="Name">{subscriptionUrl}</Fact>}
        <Fact title="Endpoint URL">
          {targetUrl === null ? 'Fetched (pull mode)' : <span class="address">{targetUrl}</span>}
        </Fact>
      </dl>
    </>
  );
}

function Deliveries({ frame, deliveries, next, filter, isFirst, base }: WebhookPageProps & { base: string }) {
  const path = filter === 'all' ? base : `${base}?state=${filter}`;
  const links = FILTERS.map((one) => ({
    title: one.title,
    href: one.filter === 'all' ? base : `${base}?state=${one.filter}`,
    current: one.filter === filter,
  }));
  const { empty } = FILTERS.find((one) => one.filter === filter)!;
  return (
    <Panel id="deliveries" title="Deliveries" aside={<FilterLinks label="Filter deliveries" links={links} />}>
      {deliveries.length === 0 ? (
        <EmptyState title={empty}>
          {filter === 'all' && 'A test event shows whether your receiver is ready.'}
        </EmptyState>
      ) : (
        <ListTable columns={['Event', 'State', { title: 'Attempts', isNumber: true }, 'Last attempt', 'Next attempt']}>
          {deliveries.map((delivery) => (
            <DeliveryRow delivery={delivery} base={base} timezone={frame.account.timezone} />
          ))}
        </ListTable>
      )}
      <Pager older={next && `${base}?state=${filter}&after=${next}`} newer={isFirst ? undefined : path} />
    </Panel>
  );
}

function DeliveryRow({ delivery, base, timezone }: { delivery: Delivery; base: string; timezone: string }) {
  const { eventId, createdAt, state, attempts, nextAttemptAt } = delivery;
  const last = attempts.at(-1);
  return (
    <tr>
      <th scope="row">
        <a href={`${base}/deliveries/${eventId}`}>
          <Time at={createdAt} timezone={timezone} />
        </a>
      </th>
      <td data-label="State">
        <DeliveryBadge state={state} />
      </td>
      <td class="number" data-label="Attempts">
        {attempts.length}
      </td>
      <td data-label="Last attempt">
        {last ? `${outcomeWords(last.outcome)}, ${durationWords(last.durationMs)}` : 'None yet'}
      </td>
      <td data-label="Next attempt">
        {nextAttemptAt === null ? '–' : <Time at={nextAttemptAt} timezone={timezone} />}
      </td>
    </tr>
  );
}

function Recover(props: { base: string; timezone: string; typed?: TypedPeriod }) {
  const { base, timezone, typed } = props;
  return (
    <Panel id="recover" title="Recover missed events">
      <form class="stack" method="post" action={`${base}/recover`}>
        <p class="quiet">
          Delivers missed events of a period: after failed attempts, during a pause, or from before the webhook was
          created. Delivered events aren’t repeated.
        </p>
        <div class="columns">
          <TextField name="since" label="From" type="datetime-local" hint={timezone} value={typed?.since} required />
          <TextField name="until" label="To" type="datetime-local" hint="Empty: until now" value={typed?.until} />
        </div>
        <button class="button small" type="submit">
          Recover events
        </button>
      </form>
    </Panel>
  );
}

function Ends({ base, isPush }: { base: string; isPush: boolean }) {
  return (
    <Panel id="ends" title="Danger zone">
      <div class="actions">
        {isPush && (
          <a class="button small quiet" href={`${base}/rotate`}>
            Rotate secret
          </a>
        )}
        <a class="button small quiet" href={`${base}/delete`}>
          Delete webhook
        </a>
      </div>
    </Panel>
  );
}
