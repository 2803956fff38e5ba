import { CodeBlock } from '../../../pages/docs/code-block.tsx';
import { Brand, SERVICE_NAME } from '../../../pages/home/brand.tsx';
import { Layout } from '../../../pages/layout.tsx';
import type { InboxItems as Page } from '../items.ts';
import { INBOX_KINDS, type InboxKind, type InboxRow } from '../table.ts';
import { attachmentsOf, INBOX_PATH, sourceOf } from './item-view.ts';

interface Filter {
  kind?: InboxKind;
  to?: string;
  before?: number;
}

/** Returns the URL of the dev inbox or of an item, with a filter. */
function inboxUrl({ kind, to, before }: Filter, key?: number): string {
  const query = new URLSearchParams();
  if (kind) query.set('kind', kind);
  if (to !== undefined) query.set('to', to);
  if (before !== undefined) query.set('before', String(before));
  return `${INBOX_PATH}${key === undefined ? '' : `/${key}`}${query.size > 0 ? `?${query}` : ''}`;
}

/**
 * Everything that left the service, or would have: the list, and next to it (on a phone, instead of it) the selected
 * item.
 */
export function InboxPage({ page, filter, item }: { page: Page; filter: Filter; item?: InboxRow }) {
  const title = item ? titleOf(item) : 'Dev inbox';
  return (
    <Layout language="en" title={`${title} · ${SERVICE_NAME}`} stylesheet="dev/inbox.css">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top-bar">
        <Brand />
        <nav aria-label="Site">
          <a href={INBOX_PATH} aria-current="page">
            Dev inbox
          </a>
          <a href="/docs">
            API<span class="where-wide"> reference</span>
          </a>
        </nav>
      </header>
      <main class={`inbox ${item ? 'has-item' : ''}`} id="content" tabindex={-1}>
        <List page={page} filter={filter} item={item} />
        {item ? <InboxItem row={item} backUrl={inboxUrl(filter)} /> : <Nothing isEmpty={page.rows.length === 0} />}
      </main>
    </Layout>
  );
}

function List({ page: { rows, next }, filter, item }: { page: Page; filter: Filter; item?: InboxRow }) {
  const Heading = item ? 'h2' : 'h1';
  return (
    <section class="inbox-list" aria-labelledby="inbox-title">
      <div class="inbox-head">
        <Heading id="inbox-title" class="inbox-title">
          Dev inbox
        </Heading>
        <a class="button quiet small" href={inboxUrl({ ...filter, before: undefined })}>
          Refresh
        </a>
        {rows.length > 0 && (
          <form method="post" action={`${INBOX_PATH}/delete`}>
            <button class="button quiet small" type="submit">
              Empty inbox
            </button>
          </form>
        )}
      </div>
      <nav aria-label="Kinds">
        <ul class="kinds">
          {[undefined, ...INBOX_KINDS].map((kind) => (
            <li>
              <a href={inboxUrl({ to: filter.to, kind })} aria-current={kind === filter.kind ? 'true' : undefined}>
                {kind ? KIND_NAMES[kind] : 'All'}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {filter.to !== undefined && (
        <p class="quiet narrowed">
          To {filter.to} · <a href={inboxUrl({ kind: filter.kind })}>show all</a>
        </p>
      )}
      <ol class="items">
        {rows.map((row) => (
          <li>
            <a href={inboxUrl(filter, row.key)} aria-current={row.key === item?.key ? 'true' : undefined}>
              <span class="item-line">
                <span class={`kind ${row.kind}`}>{KIND_NAMES[row.kind]}</span>
                <Time at={row.createdAt} />
              </span>
              <span class="item-title">{titleOf(row)}</span>
              <span class="item-to">{row.recipient}</span>
            </a>
          </li>
        ))}
      </ol>
      {next !== undefined && (
        <p class="more">
          <a class="button quiet small" href={inboxUrl({ ...filter, before: next })}>
            Older
          </a>
        </p>
      )}
    </section>
  );
}

function Nothing({ isEmpty }: { isEmpty: boolean }) {
  return (
    <section class="inbox-none">
      <h2>{isEmpty ? 'No messages yet' : 'Select a message'}</h2>
      <p>
        {isEmpty
          ? 'The dev inbox catches e-mails, text messages and pushes of this local service. To see one, create a pass with an emailRecipient from a template with an e-mail on creation.'
          : 'The dev inbox shows messages as a recipient would get them. Nothing leaves your machine.'}
      </p>
    </section>
  );
}

/** An item as its recipient would have received it. */
function InboxItem({ row, backUrl }: { row: InboxRow; backUrl: string }) {
  const { key, kind, recipient, createdAt, details } = row;
  const facts: [string, unknown][] = [
    ['From', details.from],
    ['To', recipient],
    ['Reply to', details.replyTo],
  ];
  return (
    <article class="inbox-item" aria-labelledby="item-title">
      <p class="back">
        <a href={backUrl}>All messages</a>
      </p>
      <div class="inbox-head">
        <h1 id="item-title" class="inbox-title">
          {row.subject || KIND_NAMES[kind]}
        </h1>
        <form method="post" action={`${INBOX_PATH}/delete`}>
          <input type="hidden" name="key" value={String(key)} />
          <button class="button quiet small" type="submit">
            Delete
          </button>
        </form>
      </div>
      <dl class="facts">
        {facts
          .filter(([, value]) => typeof value === 'string')
          .map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        <div>
          <dt>At</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
      </dl>
      {kind === 'email' ? <Email row={row} /> : kind === 'sms' ? <Sms row={row} /> : <Push row={row} />}
    </article>
  );
}

function Email({ row }: { row: InboxRow }) {
  const attachments = attachmentsOf(row);
  const source = sourceOf(row);
  return (
    <>
      {attachments.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {attachments.map(({ filename, bytes, path }) => (
            <li>
              <a href={path} download={filename}>
                {filename}
              </a>{' '}
              <span class="quiet">{sizeText(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      <iframe
        class="mail"
        title="The e-mail as HTML"
        src={`${INBOX_PATH}/${row.key}/mail`}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
      />
      <details class="raw">
        <summary>Plain text</summary>
        <CodeBlock title="Plain text" code={row.text} />
      </details>
      {source && (
        <p class="quiet">
          <a href={source.path}>Source</a> ({sizeText(source.bytes)}, as it would travel)
        </p>
      )}
    </>
  );
}

function Sms({ row }: { row: InboxRow }) {
  const { segments, encoding } = row.details;
  return (
    <div class="thread">
      <p class="bubble">{row.text}</p>
      {typeof segments === 'number' && (
        <p class="quiet">
          {segments} {segments === 1 ? 'part' : 'parts'}, {String(encoding)}
        </p>
      )}
    </div>
  );
}

function Push({ row: { text, details } }: { row: InboxRow }) {
  return (
    <>
      {text !== '' && <p class="push-text">{text}</p>}
      <CodeBlock title="Payload" code={JSON.stringify(details, null, 2)} />
    </>
  );
}

const sizeText = (bytes: number): string => (bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KiB`);

const KIND_NAMES: Record<InboxKind, string> = {
  email: 'E-mail',
  sms: 'SMS',
  apns: 'Apple push',
  google: 'Google Wallet',
};

/** Returns the title of an item in a list. */
const titleOf = ({ subject, text, kind }: InboxRow): string => subject || text.split('\n')[0] || KIND_NAMES[kind];

/** A time, to the second. */
function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}</time>;
}
