import type { Child } from 'hono/jsx';
import { ACTIONS, titleOf } from '../../../domain/audit/actions.ts';
import { AUDIT_RETENTION_DAYS, type ListedAction } from '../../../domain/audit/list-actions.ts';
import type { FieldChange } from '../../../domain/audit/table.ts';
import { AccountLayout } from '../console-layout.tsx';
import { namedOptions, optionsOf, SelectField } from '../fields.tsx';
import { PeriodFilter } from '../filters.tsx';
import { type Listed, Table } from '../list-table.tsx';
import { EmptyState, Pager, Problems } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo } from '../viewer.ts';

/**
 * The filter as in the page's address. Empty values don't filter. Times are `Y-m-dTH:i` in the account's time zone.
 * `actor` is an identifier.
 */
export type TypedFilter = Record<'action' | 'actor' | 'since' | 'until', string>;

interface AuditLogPageProps extends Listed<ListedAction> {
  typed: TypedFilter;
  /** Actors to choose from. */
  actors: { id: string; name: string }[];
}

/** The audit log of the account, newest first. */
export function AuditLogPage({ typed, actors, rows, next, isFirst }: AuditLogPageProps) {
  const base = hrefTo('audit-log');
  const asked = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''));
  const isFiltered = asked.size > 0;
  const exported = (
    <a class="button quiet" href={`${base}/export.csv?${asked}`} download>
      Export CSV
    </a>
  );
  return (
    <AccountLayout title="Audit log" section="audit-log" actions={rows.length > 0 ? exported : undefined}>
      <p class="lead">
        Changes, sign-ins, exports, and views of personal data in the console. Entries are kept for{' '}
        {AUDIT_RETENTION_DAYS} days.
      </p>
      <Problems title="Not applied:" />
      <FilterForm base={base} typed={typed} actors={actors} isFiltered={isFiltered} />
      <section class="panel">
        {rows.length === 0 ? (
          <NoEntries base={base} isFiltered={isFiltered} />
        ) : (
          <Table
            hasTwoLines
            rows={rows}
            columns={[
              ['Action', ({ action }) => <TwoLines first={titleOf(action)} second={<ActionCode code={action} />} />],
              ['Time', ({ createdAt }) => <Time at={createdAt} />],
              ['Actor', ({ actor }) => <Actor base={base} actor={actor} />],
              ['Target', ({ target }) => <Target target={target} />],
              ['Changes', ({ changes }) => (changes.length === 0 ? '–' : <Changes changes={changes} />)],
              ['IP address', ({ ip }) => (ip === null ? '–' : <Address ip={ip} />)],
            ]}
          />
        )}
      </section>
      <Pager
        older={next && `${base}?${new URLSearchParams([...asked, ['before', next]])}`}
        newer={isFirst ? undefined : `${base}?${asked}`}
      />
    </AccountLayout>
  );
}

function NoEntries({ base, isFiltered }: { base: string; isFiltered: boolean }) {
  if (!isFiltered) return <EmptyState title="No entries yet">Changes in this account appear here.</EmptyState>;
  return (
    <EmptyState title="No matching entries">
      <a href={base}>Show all entries</a>
    </EmptyState>
  );
}

function TwoLines({ first, second }: { first: Child; second: Child }) {
  return (
    <span>
      {first}
      <br />
      {second}
    </span>
  );
}

/** The code of an action, which breaks only between its words. */
function ActionCode({ code }: { code: string }) {
  return (
    <code>
      {code.split(/(?<=[._])/).map((word) => (
        <>
          {word}
          <wbr />
        </>
      ))}
    </code>
  );
}

function Actor({ base, actor: { id, name, type } }: { base: string; actor: ListedAction['actor'] }) {
  const shown = id === null ? name : <a href={`${base}?actor=${encodeURIComponent(id)}`}>{name}</a>;
  return <TwoLines first={shown} second={<span class="quiet">{ACTOR_TYPES[type]}</span>} />;
}

function Target({ target: { id, name, type } }: { target: ListedAction['target'] }) {
  const title = name ?? type;
  if (type === 'process' && id !== null) {
    return <TwoLines first={<a href={hrefTo('processes', id)}>{title}</a>} second={<code>{id}</code>} />;
  }
  return id === null || id === name ? <span>{title}</span> : <TwoLines first={title} second={<code>{id}</code>} />;
}

/** An IP address. IPv4 stays on one line; IPv6 is too long for that. */
function Address({ ip }: { ip: string }) {
  return ip.includes(':') ? ip : <span class="unbroken">{ip}</span>;
}

/** Number of changed fields shown in the row. The others are collapsed. */
const CHANGES_SHOWN = 2;

function Changes({ changes }: { changes: FieldChange[] }) {
  const list = (
    <ul>
      {changes.map((change) => (
        <li>{changeText(change)}</li>
      ))}
    </ul>
  );
  if (changes.length <= CHANGES_SHOWN) return list;
  return (
    <details>
      <summary>{changes.length} fields</summary>
      {list}
    </details>
  );
}

interface FilterFormProps extends Pick<AuditLogPageProps, 'typed' | 'actors'> {
  base: string;
  isFiltered: boolean;
}

function FilterForm({ base, typed, actors, isFiltered }: FilterFormProps) {
  const known = actors.some(({ id }) => id === typed.actor);
  const chosen = typed.actor !== '' && !known ? [{ value: typed.actor, title: typed.actor }] : [];
  const actions = optionsOf(ACTIONS);
  return (
    <form class="filter" method="get" action={base} aria-label="Filter">
      <SelectField
        name="action"
        label="Action"
        options={[{ value: '', title: 'Any' }, ...actions]}
        value={typed.action}
      />
      <SelectField
        name="actor"
        label="Actor"
        options={[{ value: '', title: 'Anyone' }, ...chosen, ...namedOptions(actors)]}
        value={typed.actor}
      />
      <PeriodFilter typed={typed} base={base} isFiltered={isFiltered} />
    </form>
  );
}

/** Titles of actor types. */
export const ACTOR_TYPES: Record<ListedAction['actor']['type'], string> = {
  api_key: 'API key',
  user: 'Member',
  scanner_link: 'Scanner link',
  operator: 'Operator of the service',
  system: 'The service itself',
};

/** Describes a changed field. Values are absent if the viewer must not see them. */
export function changeText(change: FieldChange): string {
  const { field } = change;
  if (!('new' in change)) return field;
  const after = valueText(change.new);
  return 'old' in change ? `${field}: ${valueText(change.old)} → ${after}` : `${field}: ${after}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
