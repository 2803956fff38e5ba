import { AUDIT_RETENTION_DAYS } from '../../../domain/audit/list-actions.ts';
import type { AuditEntry, AuditOutcome } from '../../../domain/audit/table.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, EmptyState, Pager, type Tone } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';

const OUTCOMES: Record<AuditOutcome, { title: string; tone: Tone }> = {
  done: { title: 'Done', tone: 'good' },
  refused: { title: 'Refused', tone: 'careful' },
  failed: { title: 'Failed', tone: 'grave' },
};

interface AuditLogPageProps {
  frame: Frame;
  entries: AuditEntry[];
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst: boolean;
}

/** Who did what in the console, newest first. */
export function AuditLogPage({ frame, entries, next, isFirst }: AuditLogPageProps) {
  const base = sectionPath(frame.account.id, 'audit-log');
  return (
    <AccountLayout frame={frame} title="Audit log" section="audit-log">
      <p class="lead">Actions of members in the console, kept for {AUDIT_RETENTION_DAYS} days.</p>
      {entries.length === 0 ? (
        <EmptyState title="No entries yet">Changes that members make in the console appear here.</EmptyState>
      ) : (
        <section class="panel">
          <ListTable columns={['Who', 'When', 'What', 'To what', 'Outcome']}>
            {entries.map((entry) => (
              <tr>
                <th scope="row">{entry.email}</th>
                <td data-label="When">
                  <Time at={entry.createdAt} timezone={frame.account.timezone} />
                </td>
                <td data-label="What">
                  <code>{entry.action}</code>
                </td>
                <td data-label="To what">{entry.target}</td>
                <td data-label="Outcome">
                  <Outcome outcome={entry.outcome} />
                </td>
              </tr>
            ))}
          </ListTable>
        </section>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

function Outcome({ outcome }: { outcome: AuditOutcome | null }) {
  if (outcome === null) return <Badge>Not known</Badge>;
  const { title, tone } = OUTCOMES[outcome];
  return <Badge tone={tone}>{title}</Badge>;
}
