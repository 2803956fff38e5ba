import type { OutboxPage as Page } from '../../domain/outbox/list-outbox.ts';
import { OUTBOX_KINDS, type OutboxKind, type OutboxRow } from '../../domain/outbox/table.ts';
import { Brand, SERVICE_NAME } from '../home/brand.tsx';
import { Layout } from '../layout.tsx';
import { OutboxItem } from './outbox-item.tsx';
import { OUTBOX_PATH } from './outbox-view.ts';
import { KIND_NAMES, Time, titleOf } from './outbox-words.tsx';

export interface Filter {
  kind?: OutboxKind;
  to?: string;
  before?: number;
}

/** Address of the outbox, or of one of its items, under a filter. */
export function outboxUrl({ kind, to, before }: Filter, key?: number): string {
  const query = new URLSearchParams();
  if (kind) query.set('kind', kind);
  if (to !== undefined) query.set('to', to);
  if (before !== undefined) query.set('before', String(before));
  return `${OUTBOX_PATH}${key === undefined ? '' : `/${key}`}${query.size > 0 ? `?${query}` : ''}`;
}

/** All that has left, or would have: the list, and beside it (on a phone: in its place) the chosen item. */
export function OutboxPage({ page, filter, item }: { page: Page; filter: Filter; item?: OutboxRow }) {
  const title = item ? titleOf(item) : 'Dev inbox';
  return (
    <Layout language="en" title={`${title} · ${SERVICE_NAME}`} stylesheet="outbox/styles.css">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top-bar">
        <Brand />
        <nav aria-label="Site">
          <a href={OUTBOX_PATH} aria-current="page">
            Dev inbox
          </a>
          <a href="/docs">
            API<span class="where-wide"> reference</span>
          </a>
        </nav>
      </header>
      <main class={`outbox ${item ? 'has-item' : ''}`} id="content" tabindex={-1}>
        <List page={page} filter={filter} item={item} />
        {item ? <OutboxItem row={item} backUrl={outboxUrl(filter)} /> : <Nothing isEmpty={page.rows.length === 0} />}
      </main>
    </Layout>
  );
}

function List({ page: { rows, next }, filter, item }: { page: Page; filter: Filter; item?: OutboxRow }) {
  const Heading = item ? 'h2' : 'h1';
  return (
    <section class="outbox-list" aria-labelledby="outbox-title">
      <div class="outbox-head">
        <Heading id="outbox-title" class="outbox-title">
          Dev inbox
        </Heading>
        <a class="button quiet small" href={outboxUrl({ ...filter, before: undefined })}>
          Refresh
        </a>
        {rows.length > 0 && (
          <form method="post" action={`${OUTBOX_PATH}/delete`}>
            <button class="button quiet small" type="submit">
              Empty inbox
            </button>
          </form>
        )}
      </div>
      <nav aria-label="Kinds">
        <ul class="kinds">
          {[undefined, ...OUTBOX_KINDS].map((kind) => (
            <li>
              <a href={outboxUrl({ to: filter.to, kind })} aria-current={kind === filter.kind ? 'true' : undefined}>
                {kind ? KIND_NAMES[kind] : 'All'}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {filter.to !== undefined && (
        <p class="quiet narrowed">
          To {filter.to} · <a href={outboxUrl({ kind: filter.kind })}>show all</a>
        </p>
      )}
      <ol class="items">
        {rows.map((row) => (
          <li>
            <a href={outboxUrl(filter, row.key)} aria-current={row.key === item?.key ? 'true' : undefined}>
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
          <a class="button quiet small" href={outboxUrl({ ...filter, before: next })}>
            Older
          </a>
        </p>
      )}
    </section>
  );
}

function Nothing({ isEmpty }: { isEmpty: boolean }) {
  return (
    <section class="outbox-none">
      <h2>{isEmpty ? 'No messages yet' : 'Select a message'}</h2>
      <p>
        {isEmpty
          ? 'The dev inbox catches e-mails, text messages and pushes of this local service. To see one, create a pass with an emailRecipient from a template with an e-mail on creation.'
          : 'The dev inbox shows messages as a recipient would get them. Nothing leaves your machine.'}
      </p>
    </section>
  );
}
