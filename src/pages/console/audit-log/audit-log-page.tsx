import { ACTIONS, titleOf } from '../../../domain/audit/actions.ts';
import { AUDIT_RETENTION_DAYS, type ListedAction } from '../../../domain/audit/list-actions.ts';
import type { FieldChange } from '../../../domain/audit/table.ts';
import type { Issue } from '../../../domain/errors.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { SelectField } from '../fields.tsx';
import { ListTable } from '../list-table.tsx';
import { EmptyState, Pager, Problems } from '../parts.tsx';
import { PeriodFilter } from '../period-filter.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';

/** The filter as the address of the page says it; empty is no condition. */
export interface TypedFilter {
  action: string;
  /** Identifier. */
  actor: string;
  /** `Y-m-dTH:i` in the account's time zone. */
  since: string;
  until: string;
}

interface AuditLogPageProps {
  frame: Frame;
  typed: TypedFilter;
  /** Who can be chosen. */
  actors: { id: string; name: string }[];
  entries: ListedAction[];
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst: boolean;
  messages: Issue[];
}

const ACTOR_TYPES: Record<ListedAction['actor']['type'], string> = {
  api_key: 'API key',
  user: 'Member',
  scanner_link: 'Scanner link',
  operator: 'Operator of the service',
  system: 'The service itself',
};

/** Who did what in the account, newest first. */
export function AuditLogPage({ frame, typed, actors, entries, next, isFirst, messages }: AuditLogPageProps) {
  const base = sectionPath(frame.account.id, 'audit-log');
  const asked = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''));
  const isFiltered = asked.size > 0;
  return (
    <AccountLayout frame={frame} title="Audit log" section="audit-log">
      <p class="lead">
        Changes, sign-ins, exports, and views of personal data in the console, for {AUDIT_RETENTION_DAYS} days.
      </p>
      <Problems messages={messages} />
      <FilterForm frame={frame} base={base} typed={typed} actors={actors} isFiltered={isFiltered} />
      <section class="panel">
        {entries.length === 0 ? (
          <NoEntries base={base} isFiltered={isFiltered} />
        ) : (
          <ListTable columns={['Action', 'When', 'Actor', 'Target', 'Changes', 'Address']}>
            {entries.map((entry) => (
              <Entry frame={frame} base={base} entry={entry} />
            ))}
          </ListTable>
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

function Entry({ frame, base, entry }: { frame: Frame; base: string; entry: ListedAction }) {
  const { actor, target, changes, ip } = entry;
  return (
    <tr>
      <th scope="row">
        {titleOf(entry.action)}
        <br />
        <code>{entry.action}</code>
      </th>
      <td data-label="When">
        <Time at={entry.createdAt} timezone={frame.account.timezone} />
      </td>
      <td data-label="Actor">
        <span>
          {actor.id === null ? actor.name : <a href={`${base}?actor=${encodeURIComponent(actor.id)}`}>{actor.name}</a>}
          <br />
          <span class="quiet">{ACTOR_TYPES[actor.type]}</span>
        </span>
      </td>
      <td data-label="Target">
        <span>
          {target.name ?? target.type}
          {target.id !== null && target.id !== target.name && (
            <>
              <br />
              <code>{target.id}</code>
            </>
          )}
        </span>
      </td>
      <td data-label="Changes">{changes.length === 0 ? '–' : <Changes changes={changes} />}</td>
      <td data-label="Address">{ip === null ? '–' : <Address ip={ip} />}</td>
    </tr>
  );
}

/** An IPv4 address stays on one line; IPv6 is too long for that. */
function Address({ ip }: { ip: string }) {
  return ip.includes(':') ? ip : <span class="unbroken">{ip}</span>;
}

/** Fields that stand in the row itself; more of them are behind a click. */
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

/** Values are there only if they may be shown. */
function changeText(change: FieldChange): string {
  const { field } = change;
  if (!('new' in change)) return field;
  const after = valueText(change.new);
  return 'old' in change ? `${field}: ${valueText(change.old)} → ${after}` : `${field}: ${after}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface FilterFormProps extends Pick<AuditLogPageProps, 'frame' | 'typed' | 'actors'> {
  base: string;
  isFiltered: boolean;
}

function FilterForm({ frame, base, typed, actors, isFiltered }: FilterFormProps) {
  const known = actors.some(({ id }) => id === typed.actor);
  const chosen = typed.actor !== '' && !known ? [{ value: typed.actor, title: typed.actor }] : [];
  const actions = Object.entries(ACTIONS).map(([value, title]) => ({ value, title }));
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
        options={[
          { value: '', title: 'Anyone' },
          ...chosen,
          ...actors.map(({ id, name }) => ({ value: id, title: name })),
        ]}
        value={typed.actor}
      />
      <PeriodFilter timezone={frame.account.timezone} typed={typed} base={base} isFiltered={isFiltered} />
    </form>
  );
}
