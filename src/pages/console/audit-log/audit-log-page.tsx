import { AUDIT_RETENTION_DAYS } from '../../../domain/audit/list-actions.ts';
import type { AuditEntry, AuditOutcome } from '../../../domain/audit/table.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
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
      <p class="lead">What members did in the console, for {AUDIT_RETENTION_DAYS} days.</p>
      {entries.length === 0 ? (
        <EmptyState title="Nothing yet">What members change in the console will stand here.</EmptyState>
      ) : (
        <section class="panel">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">To what</th>
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
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
