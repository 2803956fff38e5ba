import { EVENTS } from '../../../domain/events/catalog.ts';
import type {
  DeliveryFilter,
  ShownSubscription,
  SubscriptionDeliveries,
} from '../../../domain/webhooks/subscription-pages.ts';
import type { Delivery } from '../../../domain/webhooks/table.ts';
import { own } from '../../../platform/json.ts';
import { InlineText } from '../../docs/rich-text.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { FilterLinks } from '../filters.tsx';
import { Table } from '../list-table.tsx';
import {
  ActionButton,
  EmptyState,
  Fact,
  formatNumber,
  LinkButton,
  Notice,
  Pager,
  Panel,
  Problems,
  SubmitButton,
} from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';
import { Endpoint, SECTION, templateWords } from './webhook-list-page.tsx';
import { DeliveryBadge, durationWords, outcomeWords, SubscriptionBadge } from './words.tsx';

const FILTERS: { filter: DeliveryFilter; title: string; empty: string }[] = [
  { filter: 'all', title: 'All', empty: 'No deliveries yet' },
  { filter: 'waiting', title: 'Waiting', empty: 'No pending retries' },
  { filter: 'failed', title: 'Failed', empty: 'No failed deliveries' },
];

/** Messages after an action, by `done` in the page's address. */
const DONE: Record<string, string> = {
  resume: 'Webhook resumed. To deliver the events it missed, use Recover.',
  pause: 'Webhook paused. Deliveries stop until you resume it.',
  recover: 'Missed events are being delivered.',
};

export interface TypedPeriod {
  since: string;
  until: string;
}

interface WebhookPageProps extends SubscriptionDeliveries {
  filter: DeliveryFilter;
  isFirst: boolean;
  done?: string;
  typed?: TypedPeriod;
}

/** One subscription: its state, its deliveries, and its actions. */
export function WebhookPage(props: WebhookPageProps) {
  const { subscription, done = '', typed } = props;
  const mayEdit = viewerHas('owner');
  const base = hrefTo(SECTION, subscription.id);
  const isPush = subscription.targetUrl !== null;
  const words = own(DONE, done);
  return (
    <AccountLayout
      title={subscription.event}
      section={SECTION}
      actions={mayEdit && <Actions subscription={subscription} base={base} />}
    >
      <Problems />
      {words && <Notice tone="good">{words}</Notice>}
      <Standing subscription={subscription} />
      <Facts subscription={subscription} />
      {isPush && <Deliveries {...props} base={base} />}
      {isPush && mayEdit && <Recover base={base} typed={typed} />}
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
      <LinkButton href={`${base}/pause`} title="Pause" look="small quiet" />
    </>
  );
}

/** Problems of a subscription, with the next step. */
function Standing({ subscription }: { subscription: ShownSubscription }) {
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
      No successful delivery since <Time at={failingSinceAt} />. After five days, the webhook is paused.
    </Notice>
  );
}

function Facts({ subscription }: { subscription: ShownSubscription }) {
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
        <Fact title="Status" value={<SubscriptionBadge {...subscription} />} />
        {targetUrl === null ? (
          <Fact title="Not acknowledged" value={formatNumber(subscription.openPayloads)} />
        ) : (
          <>
            <Fact title="Delivered" value={formatNumber(subscription.delivered)} />
            <Fact title="Failed" value={formatNumber(subscription.failed)} />
            <Fact title="Duration of the last delivery" value={lagMillis === null ? '–' : durationWords(lagMillis)} />
            <Fact title="Deliveries" value={options.join(', ')} />
          </>
        )}
        <Fact title="Template" value={templateWords(subscription)} />
        <Fact title="Created on" value={<Time at={subscription.createdAt} />} />
        {subscriptionUrl !== null && <Fact title="Name" value={subscriptionUrl} />}
        <Fact title="Endpoint URL" value={<Endpoint targetUrl={targetUrl} />} />
      </dl>
    </>
  );
}

function Deliveries({ deliveries, next, filter, isFirst, base }: WebhookPageProps & { base: string }) {
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
        <Table
          rows={deliveries}
          columns={[
            ['Event', (one) => <DeliveryLink {...one} base={base} />],
            ['State', ({ state }) => <DeliveryBadge state={state} />],
            ['Attempts', ({ attempts }) => attempts.length, 'number'],
            ['Last attempt', ({ attempts }) => lastAttempt(attempts)],
            ['Next attempt', ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : <Time at={nextAttemptAt} />)],
          ]}
        />
      )}
      <Pager older={next && `${base}?state=${filter}&after=${next}`} newer={isFirst ? undefined : path} />
    </Panel>
  );
}

function DeliveryLink({ eventId, createdAt, base }: Delivery & { base: string }) {
  return (
    <a href={`${base}/deliveries/${eventId}`}>
      <Time at={createdAt} />
    </a>
  );
}

function lastAttempt(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  return last ? `${outcomeWords(last.outcome)}, ${durationWords(last.durationMs)}` : 'None yet';
}

function Recover({ base, typed }: { base: string; typed?: TypedPeriod }) {
  return (
    <Panel id="recover" title="Recover missed events">
      <form class="stack" method="post" action={`${base}/recover`}>
        <p class="quiet">
          Delivers missed events of a period: after failed attempts, during a pause, or from before the webhook was
          created. Delivered events aren’t repeated.
        </p>
        <div class="columns">
          <TextField
            name="since"
            label="From"
            type="datetime-local"
            hint={useViewer().account.timezone}
            value={typed?.since}
            required
          />
          <TextField name="until" label="To" type="datetime-local" hint="Empty: until now" value={typed?.until} />
        </div>
        <SubmitButton title="Recover events" look="small" />
      </form>
    </Panel>
  );
}

function Ends({ base, isPush }: { base: string; isPush: boolean }) {
  return (
    <Panel id="ends" title="Danger zone">
      <div class="actions">
        {isPush && <LinkButton href={`${base}/rotate`} title="Rotate secret" look="small quiet" />}
        <LinkButton href={`${base}/delete`} title="Delete webhook" look="small quiet" />
      </div>
    </Panel>
  );
}
