import { Hono } from 'hono';
import { MESSAGE_RETENTION_DAYS } from '../../../domain/messages/delete-messages.ts';
import type { MessagePage } from '../../../domain/messages/message-log.ts';
import {
  getMessage,
  listMessages,
  type MessageFilter,
  resendMessage,
  type ShownMessage,
} from '../../../domain/messages/message-log.ts';
import type { Message, MessageStatus } from '../../../domain/messages/table.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { FilterLinks } from '../filters.tsx';
import { Table } from '../list-table.tsx';
import { ActionButton, Badge, EmptyState, Fact, Notice, Pager, Panel, Problems, type Tone } from '../parts.tsx';
import { PAGE_ROWS, page, pathTo, submitted, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

/** Routes for messages to pass holders. Members who can edit passes can resend them. */
export const messageRoutes = new Hono<AccountEnv>();

messageRoutes.get('/', async (c) => {
  const filter = filterOf(c);
  const beforeId = uuidIn(c, 'before');
  const found = await listMessages(c.var.acting, filter, { limit: PAGE_ROWS, beforeId });
  return page(c, <MessagesPage {...found} filter={filter} isFirst={beforeId === undefined} />);
});

/** Returns the filter of the address. Unknown values don't filter. */
function filterOf(c: AccountPageContext): MessageFilter {
  const oneOf = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === c.req.query(name));
  const [state, channel, kind] = [
    oneOf('state', ['open', 'sent', 'delivered', 'failed']),
    oneOf('channel', ['email', 'sms']),
    oneOf('kind', ['creation', 'adhoc']),
  ];
  return { ...(state && { state }), ...(channel && { channel }), ...(kind && { kind }) };
}

messageRoutes.get('/:message', async (c) => page(c, await oneMessage(c)));

async function oneMessage(c: AccountPageContext) {
  const message = await getMessage(c.var.acting, c.req.param('message')!);
  return <OneMessagePage message={message} />;
}

messageRoutes.post('/:message/again', requirePrivilege('passes.edit'), (c) => {
  const id = c.req.param('message');
  const again = () => oneMessage(c);
  return submitted(c, again, async () => {
    await resendMessage(c.var.acting, id);
    return pathTo(c, SECTION, id);
  });
});

export const SECTION = 'messages';

const STATUSES: Record<MessageStatus, { title: string; tone: Tone }> = {
  queued: { title: 'Sending', tone: 'calm' },
  sending: { title: 'Sending', tone: 'calm' },
  waiting: { title: 'Waiting', tone: 'careful' },
  sent: { title: 'Sent', tone: 'good' },
  delivered: { title: 'Delivered', tone: 'good' },
  failed: { title: 'Failed', tone: 'grave' },
};
const CHANNELS = { email: 'E-mail', sms: 'SMS' };
const KINDS = { creation: 'New recipient', adhoc: 'On request' };

/** Filters: the name in the address, and the title of each value. */
const FILTERS: { name: keyof MessageFilter; label: string; values: Record<string, string> }[] = [
  {
    name: 'state',
    label: 'Status',
    values: { failed: 'Failed', open: 'Sending', sent: 'Sent', delivered: 'Delivered' },
  },
  { name: 'channel', label: 'Channel', values: CHANNELS },
  { name: 'kind', label: 'Reason', values: KINDS },
];

function addressOf(base: string, filter: MessageFilter, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...filter, ...more }).toString();
  return query === '' ? base : `${base}?${query}`;
}

/** Messages to pass holders, newest first. */
function MessagesPage({ messages, next, filter, isFirst }: MessagePage & { filter: MessageFilter; isFirst: boolean }) {
  const base = hrefTo(SECTION);
  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = messages.length === 0 && isFirst && !isFiltered;
  return (
    <AccountLayout title="Messages" section={SECTION}>
      <p class="lead">E-mails and text messages to pass holders. They are kept for {MESSAGE_RETENTION_DAYS} days.</p>
      {isEmpty ? (
        <EmptyState title="No messages yet">
          To send passes to their holders, set up messages in a template, and add an e-mail or phone recipient to a
          pass.
        </EmptyState>
      ) : (
        <>
          <div class="filters">
            {FILTERS.map((one) => (
              <FilterBar base={base} filter={filter} one={one} />
            ))}
          </div>
          <section class="panel">
            {messages.length === 0 ? (
              <EmptyState title={next ? 'No match on this page' : 'No messages match'}>
                {next ? 'Older messages are on the next page.' : <a href={base}>Show all messages</a>}
              </EmptyState>
            ) : (
              <MessageTable messages={messages} base={base} />
            )}
          </section>
        </>
      )}
      <Pager
        older={next && addressOf(base, filter, { before: next })}
        newer={isFirst ? undefined : addressOf(base, filter)}
      />
    </AccountLayout>
  );
}

function FilterBar({ base, filter, one }: { base: string; filter: MessageFilter; one: (typeof FILTERS)[number] }) {
  const { [one.name]: current, ...others } = filter;
  const links = [
    { title: `Any ${one.label.toLowerCase()}`, href: addressOf(base, others), current: current === undefined },
    ...Object.entries(one.values).map(([value, title]) => ({
      title,
      href: addressOf(base, { ...others, [one.name]: value }),
      current: current === value,
    })),
  ];
  return <FilterLinks label={one.label} links={links} />;
}

function MessageTable({ messages, base }: { messages: Message[]; base: string }) {
  return (
    <Table
      rows={messages}
      columns={[
        ['Recipient', (message) => <a href={`${base}/${message.id}`}>{recipientOf(message)}</a>],
        ['Status', (message) => <StatusBadge status={message.status} />],
        ['Channel', (message) => CHANNELS[message.channel]],
        ['Reason', (message) => KINDS[message.kind]],
        ['Requested on', (message) => <Time at={message.createdAt} />],
      ]}
    />
  );
}

/** Returns the recipient of a message; hidden from members without the privilege for it. */
const recipientOf = ({ recipient }: Message): string => (viewerHas('personal_data') ? recipient : 'Hidden recipient');

function StatusBadge({ status }: { status: MessageStatus }) {
  const { title, tone } = STATUSES[status];
  return <Badge tone={tone}>{title}</Badge>;
}

/** One message: its delivery, and its pass. */
function OneMessagePage({ message }: { message: ShownMessage }) {
  const seesAll = viewerHas('personal_data');
  const again = viewerHas('passes.edit') && message.status === 'failed' && (
    <ActionButton action={`${hrefTo(SECTION, message.id)}/again`} title="Resend message" />
  );
  return (
    <AccountLayout title={recipientOf(message)} section={SECTION} actions={again}>
      <Problems />
      {message.status === 'failed' && (
        <Notice tone="careful">
          {seesAll
            ? (message.statusDetails ?? 'The provider gave no reason.')
            : 'Hidden, because the reason can contain the recipient.'}
        </Notice>
      )}
      <dl class="facts">
        <Fact title="Status" value={<StatusBadge status={message.status} />} />
        <Fact title="Channel" value={CHANNELS[message.channel]} />
        <Fact title="Reason" value={KINDS[message.kind]} />
        <Fact
          title="Pass"
          value={
            message.passName === null ? 'Deleted' : <a href={hrefTo('passes', message.passId)}>{message.passName}</a>
          }
        />
        <Fact
          title="Template"
          value={
            message.templateName === null ? (
              'Deleted'
            ) : (
              <a href={hrefTo('templates', message.templateId)}>{message.templateName}</a>
            )
          }
        />
        {seesAll && message.subject !== null && <Fact title="Subject" value={message.subject} />}
      </dl>
      <Panel id="course" title="History">
        <Course message={seesAll ? message : { ...message, statusDetails: null }} />
      </Panel>
    </AccountLayout>
  );
}

/** The timeline of a message, with the next step. */
function Course({ message }: { message: Message }) {
  const { status, statusDetails, createdAt, submittedAt, dueAt, attempts, providerId } = message;
  const tries = attempts === 1 ? 'One attempt' : `${attempts} attempts`;
  return (
    <ol class="course">
      <li>
        <strong>Requested</strong> <Time at={createdAt} />
      </li>
      {attempts > 0 && <li>{tries} to send it to the provider</li>}
      {submittedAt !== null && (
        <li>
          <strong>Sent to provider</strong> <Time at={submittedAt} />
          {providerId !== null && (
            <>
              {' as '}
              <code>{providerId}</code>
            </>
          )}
        </li>
      )}
      {(status === 'delivered' || status === 'failed') && (
        <li>
          <strong>{STATUSES[status].title}</strong>
          {status === 'delivered' && ', reported by the provider'}
        </li>
      )}
      {status === 'waiting' && dueAt !== null && (
        <li>
          <strong>Next attempt</strong> <Time at={dueAt} />
        </li>
      )}
      {status !== 'failed' && statusDetails !== null && <li>{statusDetails}</li>}
    </ol>
  );
}
