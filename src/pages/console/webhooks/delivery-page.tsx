import type { Issue } from '../../../domain/errors.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import type { ShownDelivery } from '../../../domain/webhooks/subscription-pages.ts';
import type { Attempt } from '../../../domain/webhooks/table.ts';
import { CodeBlock, JsonBlock } from '../../docs/code-block.tsx';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { ActionButton, EmptyState, Notice, Panel, PersonalDataHidden, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SECTION } from './webhook-list-page.tsx';
import { DeliveryBadge, durationWords, outcomeWords } from './words.tsx';

interface DeliveryPageProps extends ShownDelivery {
  frame: Frame;
  mayEdit: boolean;
  scripts: string[];
  messages?: Issue[];
}

/** One event for one subscription: its body, and each attempt with the receiver's answer. */
export function DeliveryPage({
  frame,
  subscription,
  event,
  delivery,
  mayEdit,
  scripts,
  messages = [],
}: DeliveryPageProps) {
  const { timezone } = frame.account;
  const webhook = sectionPath(frame.account.id, SECTION, subscription.id);
  const base = `${webhook}/deliveries/${event.id}`;
  const isPull = subscription.targetUrl === null;
  return (
    <AccountLayout
      frame={frame}
      title="Delivery"
      section={SECTION}
      trail={[{ title: subscription.event, href: webhook }]}
      actions={mayEdit && delivery && <ActionButton action={`${base}/resend`} title="Resend" />}
      scripts={scripts}
    >
      <Problems messages={messages} />
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>{delivery ? <DeliveryBadge state={delivery.state} /> : isPull ? 'Waiting to be fetched' : 'Sending'}</dd>
        </div>
        <div>
          <dt>Happened on</dt>
          <dd>
            <Time at={event.createdAt} timezone={timezone} />
          </dd>
        </div>
        {delivery?.nextAttemptAt != null && (
          <div>
            <dt>Next attempt</dt>
            <dd>
              <Time at={delivery.nextAttemptAt} timezone={timezone} />
            </dd>
          </div>
        )}
        <div>
          <dt>webhook-id</dt>
          <dd>
            <code>{event.id}</code>
          </dd>
        </div>
      </dl>
      {event.subscriptionId !== null && <Notice tone="calm">This is a test event with the example of its type.</Notice>}
      {!isPull && (
        <Panel id="attempts" title="Attempts" aside={<a href={base}>Refresh</a>}>
          {delivery && delivery.attempts.length > 0 ? (
            <AttemptTable attempts={delivery.attempts} timezone={timezone} />
          ) : (
            <EmptyState title="No attempt yet">The delivery takes a few seconds. Refresh to see the result.</EmptyState>
          )}
        </Panel>
      )}
      <Contents frame={frame} event={event} delivery={delivery} />
    </AccountLayout>
  );
}

/** The body of the event and what was answered to it, which may quote the body: for those who may see personal data. */
function Contents({ frame, event, delivery }: Pick<DeliveryPageProps, 'frame' | 'event' | 'delivery'>) {
  if (!hasPrivilege(frame.privileges, 'personal_data')) return <PersonalDataHidden />;
  return (
    <>
      {delivery?.attempts.some(({ answer }) => answer) && <Answer attempts={delivery.attempts} />}
      <JsonBlock title="Payload" value={event.body} />
    </>
  );
}

function AttemptTable({ attempts, timezone }: { attempts: Attempt[]; timezone: string }) {
  return (
    <ListTable columns={['When', 'Outcome', { title: 'Duration', isNumber: true }]}>
      {attempts.toReversed().map(({ at, outcome, durationMs }) => (
        <tr>
          <th scope="row">
            <Time at={at} timezone={timezone} />
          </th>
          <td data-label="Outcome">{outcomeWords(outcome)}</td>
          <td class="number" data-label="Duration">
            {durationWords(durationMs)}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

/** The newest answer that was no success: where the cause usually stands. */
function Answer({ attempts }: { attempts: Attempt[] }) {
  const newest = attempts.findLast(({ answer }) => answer)!;
  return <CodeBlock title={`Start of the last response with status ${newest.status}`} code={newest.answer!} />;
}
