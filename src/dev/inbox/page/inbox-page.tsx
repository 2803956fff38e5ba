import { Brand, SERVICE_NAME } from '../../../pages/home/brand.tsx';
import { Layout } from '../../../pages/layout.tsx';
import type { InboxItems as Page } from '../list-items.ts';
import { INBOX_KINDS, type InboxKind, type InboxRow } from '../table.ts';
import { InboxItem } from './inbox-item.tsx';
import { INBOX_PATH } from './item-view.ts';
import { KIND_NAMES, Time, titleOf } from './item-words.tsx';

export interface Filter {
  kind?: InboxKind;
  to?: string;
  before?: number;
}

/** Returns the URL of the dev inbox or of an item, with a filter. */
export function inboxUrl({ kind, to, before }: Filter, key?: number): string {
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
