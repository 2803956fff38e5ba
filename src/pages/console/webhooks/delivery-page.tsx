import type { ShownDelivery } from '../../../domain/webhooks/subscription-pages.ts';
import type { Attempt } from '../../../domain/webhooks/table.ts';
import { CodeBlock, JsonBlock } from '../../docs/code-block.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { ActionButton, EmptyState, Fact, Notice, Panel, PersonalDataHidden, Problems } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { SECTION } from './webhook-list-page.tsx';
import { DeliveryBadge, durationWords, outcomeWords } from './words.tsx';

interface DeliveryPageProps extends ShownDelivery {
  scripts: string[];
}

/** The delivery of one event to a subscription: its body, and the receiver's response to each attempt. */
export function DeliveryPage({ subscription, event, delivery, scripts }: DeliveryPageProps) {
  const webhook = hrefTo(SECTION, subscription.id);
  const base = `${webhook}/deliveries/${event.id}`;
  const isPull = subscription.targetUrl === null;
  return (
    <AccountLayout
      title="Delivery"
      section={SECTION}
      trail={[{ title: subscription.event, href: webhook }]}
      actions={viewerHas('owner') && delivery && <ActionButton action={`${base}/resend`} title="Resend" />}
      scripts={scripts}
    >
      <Problems />
      <dl class="facts">
        <Fact
          title="State"
          value={delivery ? <DeliveryBadge state={delivery.state} /> : isPull ? 'Waiting to be fetched' : 'Sending'}
        />
        <Fact title="Event time" value={<Time at={event.createdAt} />} />
        {delivery?.nextAttemptAt != null && <Fact title="Next attempt" value={<Time at={delivery.nextAttemptAt} />} />}
        <Fact title="webhook-id" value={<code>{event.id}</code>} />
      </dl>
      {event.subscriptionId !== null && <Notice tone="calm">This is a test event with example data.</Notice>}
      {!isPull && (
        <Panel id="attempts" title="Attempts" aside={<a href={base}>Refresh</a>}>
          {delivery && delivery.attempts.length > 0 ? (
            <AttemptTable attempts={delivery.attempts} />
          ) : (
            <EmptyState title="No attempt yet">The delivery takes a few seconds. Refresh to see the result.</EmptyState>
          )}
        </Panel>
      )}
      <Contents event={event} delivery={delivery} />
    </AccountLayout>
  );
}

/** The event's body and the responses, which may quote it. Only for members who can see personal data. */
function Contents({ event, delivery }: Pick<DeliveryPageProps, 'event' | 'delivery'>) {
  if (!viewerHas('personal_data')) return <PersonalDataHidden />;
  return (
    <>
      {delivery?.attempts.some(({ answer }) => answer) && <Answer attempts={delivery.attempts} />}
      <JsonBlock title="Payload" value={event.body} />
    </>
  );
}

function AttemptTable({ attempts }: { attempts: Attempt[] }) {
  return (
    <Table
      rows={attempts.toReversed()}
      columns={[
        ['Time', ({ at }) => <Time at={at} />],
        ['Outcome', ({ outcome }) => outcomeWords(outcome)],
        ['Duration', ({ durationMs }) => durationWords(durationMs), 'number'],
      ]}
    />
  );
}

/** The latest response that was not a success, which usually contains the cause. */
function Answer({ attempts }: { attempts: Attempt[] }) {
  const newest = attempts.findLast(({ answer }) => answer)!;
  return <CodeBlock title={`Start of the last response with status ${newest.status}`} code={newest.answer!} />;
}
