import type { Subject } from '../../../domain/dead-letters/letter-subject.ts';
import type { ShownLetter } from '../../../domain/dead-letters/list-dead-letters.ts';
import { DEAD_LETTER_RETENTION_DAYS } from '../../../domain/dead-letters/purge-dead-letters.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ActionButton, Badge, Confirm, EmptyState, Notice, Pager } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SUBJECTS, wordsOf } from './words.ts';

export const SECTION = 'failed-jobs';

/** What somebody has done, by the `done` of the page's address. */
const DONE: Record<string, string> = {
  retry: 'Job scheduled. If it fails again, it returns to this list.',
  'retry-all': 'Jobs scheduled within a minute. Jobs that fail again return to this list.',
  discard: 'Job discarded.',
};

interface FailedJobsPageProps {
  frame: Frame;
  letters: ShownLetter[];
  /** Position behind which the next page begins. */
  next?: string;
  isFirst: boolean;
  done?: string;
  /** Whether the job that somebody wanted to do something with is not there. */
  isGone?: boolean;
}

/** Work in the background that failed for good, newest first. */
export function FailedJobsPage({ frame, letters, next, isFirst, done = '', isGone = false }: FailedJobsPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const words = Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  const hasSeveral = letters.length > 1 || next !== undefined || !isFirst;
  const all = hasSeveral && <ActionButton action={`${base}/retry`} title="Retry all" />;
  return (
    <AccountLayout frame={frame} title="Failed jobs" section={SECTION} actions={all}>
      {words && <Notice tone="good">{words}</Notice>}
      {isGone && <Notice tone="careful">This job was already retried or discarded.</Notice>}
      <p class="lead">
        Background jobs that ran out of attempts, kept for {DEAD_LETTER_RETENTION_DAYS} days. Retrying is safe: a job
        that is already done has no effect.
      </p>
      {letters.length === 0 ? (
        <EmptyState title={isFirst ? 'No failed jobs' : 'No more failed jobs'}>
          Pushes, messages, webhooks and bulk changes that run out of attempts appear here.
        </EmptyState>
      ) : (
        <section class="panel">
          <LetterTable frame={frame} letters={letters} base={base} />
        </section>
      )}
      <Pager older={next && `${base}?${new URLSearchParams({ before: next })}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

function LetterTable({ frame, letters, base }: { frame: Frame; letters: ShownLetter[]; base: string }) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col">About</th>
          <th scope="col">Failed on</th>
          <th scope="col">Reference</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => (
          <LetterRow frame={frame} letter={letter} base={base} />
        ))}
      </tbody>
    </table>
  );
}

function LetterRow({ frame, letter, base }: { frame: Frame; letter: ShownLetter; base: string }) {
  const { id, type, subject, failedAt, dueAt } = letter;
  const words = wordsOf(type);
  const path = `${base}/${encodeURIComponent(id)}`;
  return (
    <tr>
      <th scope="row">{words}</th>
      <td data-label="About">{subject ? <SubjectLink frame={frame} subject={subject} /> : '–'}</td>
      <td data-label="Failed on">
        <Time at={failedAt} timezone={frame.account.timezone} />
      </td>
      <td data-label="Reference">
        <code>{id}</code>
      </td>
      <td class="row-actions">
        {dueAt === null ? (
          <ActionButton action={`${path}/retry`} title="Retry" label={`Retry: ${words}, ${id}`} />
        ) : (
          <Badge tone="calm">Scheduled</Badge>
        )}
        <a class="button small quiet" href={`${path}/discard`} aria-label={`Discard: ${words}, ${id}`}>
          Discard
        </a>
      </td>
    </tr>
  );
}

function SubjectLink({ frame, subject: { kind, id } }: { frame: Frame; subject: Subject }) {
  const { title, section } = SUBJECTS[kind];
  return <a href={sectionPath(frame.account.id, section, id)}>{title}</a>;
}

/** Asks before a job is forgotten. */
export function DiscardPage({ frame, letter }: { frame: Frame; letter: ShownLetter }) {
  const { id, type, subject } = letter;
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title="Discard this job?" section={SECTION}>
      <Confirm action={`${base}/${encodeURIComponent(id)}/discard`} button="Discard job" back={base}>
        <p>
          <strong>{wordsOf(type)}</strong>
          {subject && (
            <>
              {' · '}
              <SubjectLink frame={frame} subject={subject} />
            </>
          )}
        </p>
        <p>The job isn’t retried and leaves this list. Its work may never be done. You can’t undo this.</p>
      </Confirm>
    </AccountLayout>
  );
}
