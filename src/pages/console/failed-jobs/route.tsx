import { Hono } from 'hono';
import { DEAD_LETTER_RETENTION_DAYS } from '../../../domain/dead-letters/keep-dead-letters.ts';
import {
  discardDeadLetter,
  getDeadLetter,
  listDeadLetters,
  positionOf,
  requestRetries,
  retryDeadLetter,
  type ShownLetter,
  type Subject,
} from '../../../domain/dead-letters/manage-dead-letters.ts';
import type { DeadJob } from '../../../domain/dead-letters/table.ts';
import { DomainError } from '../../../domain/errors.ts';
import { own } from '../../../platform/json.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { type Listed, ListPanel } from '../list-table.tsx';
import { ActionButton, Badge, EmptyState, LinkButton, Notice } from '../parts.tsx';
import { listed, PAGE_ROWS, page, pathTo } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { Time } from '../time.tsx';
import { hrefTo } from '../viewer.ts';

/** Routes for failed jobs, which owners can retry or discard. */
export const failedJobRoutes = new Hono<AccountEnv>();

failedJobRoutes.use('*', requirePrivilege('owner'));

failedJobRoutes.get('/', async (c) => page(c, await list(c)));

async function list(c: AccountPageContext, isGone = false) {
  const { before, done } = c.req.query();
  const found = await listDeadLetters(c.var.acting, { limit: PAGE_ROWS + 1, before });
  return <FailedJobsPage list={listed(found, before, positionOf)} done={done} isGone={isGone} />;
}

failedJobRoutes.post('/retry', (c) => act(c, 'retry-all', () => requestRetries(c.var.acting)));

failedJobRoutes.get('/:job/discard', (c) =>
  orGone(c, async () => {
    const letter = await getDeadLetter(c.var.acting, c.req.param('job'));
    return page(c, <DiscardPage letter={letter} />);
  }),
);

failedJobRoutes.post('/:job/discard', (c) => {
  return act(c, 'discard', () => discardDeadLetter(c.var.acting, c.req.param('job')));
});

failedJobRoutes.post('/:job/retry', (c) => {
  return act(c, 'retry', () => retryDeadLetter(c.var.acting, c.req.param('job')));
});

/** Runs an action, and redirects to the list with the message `done`. */
function act(c: AccountPageContext, done: string, work: () => Promise<unknown>) {
  return orGone(c, async () => {
    await work();
    return c.redirect(`${pathTo(c, SECTION)}?done=${done}`, 303);
  });
}

/** Shows the list with a message if the job is gone, after another owner's action or a second click. */
async function orGone(c: AccountPageContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return page(c, await list(c, true), 404);
    throw error;
  }
}

export const SECTION = 'failed-jobs';

/** Messages after an action, by `done` in the page's address. */
const DONE: Record<string, string> = {
  retry: 'Job scheduled. If it fails again, it returns to this list.',
  'retry-all': 'Jobs scheduled within a minute. Jobs that fail again return to this list.',
  discard: 'Job discarded.',
};

interface FailedJobsPageProps {
  list: Listed<ShownLetter>;
  done?: string;
  /** The requested job no longer exists. */
  isGone: boolean;
}

/** Failed background jobs, newest first. */
function FailedJobsPage({ list, done = '', isGone }: FailedJobsPageProps) {
  const base = hrefTo(SECTION);
  const words = own(DONE, done);
  const hasSeveral = list.rows.length > 1 || list.next !== undefined || !list.isFirst;
  const all = hasSeveral && <ActionButton action={`${base}/retry`} title="Retry all" />;
  return (
    <AccountLayout title="Failed jobs" section={SECTION} actions={all}>
      {words && <Notice tone="good">{words}</Notice>}
      {isGone && <Notice tone="careful">This job was already retried or discarded.</Notice>}
      <p class="lead">
        Background jobs that ran out of attempts. They are kept for {DEAD_LETTER_RETENTION_DAYS} days. Retrying is safe,
        because a job that is already done has no effect.
      </p>
      <ListPanel
        {...list}
        base={base}
        empty={
          <EmptyState title={list.isFirst ? 'No failed jobs' : 'No more failed jobs'}>
            Pushes, messages, webhooks and bulk changes that run out of attempts appear here.
          </EmptyState>
        }
        columns={[
          ['Job', ({ type }) => wordsOf(type)],
          ['Subject', ({ subject }) => (subject ? <SubjectLink subject={subject} /> : '–')],
          ['Failed on', ({ failedAt }) => <Time at={failedAt} />],
          ['Reference', ({ id }) => <code>{id}</code>],
        ]}
        actions={(letter) => <LetterActions letter={letter} base={base} />}
      />
    </AccountLayout>
  );
}

function LetterActions({ letter: { id, type, dueAt }, base }: { letter: ShownLetter; base: string }) {
  const path = `${base}/${encodeURIComponent(id)}`;
  const words = wordsOf(type);
  return (
    <>
      {dueAt === null ? (
        <ActionButton action={`${path}/retry`} title="Retry" label={`Retry: ${words}, ${id}`} />
      ) : (
        <Badge tone="calm">Scheduled</Badge>
      )}
      <LinkButton href={`${path}/discard`} title="Discard" look="small quiet" label={`Discard: ${words}, ${id}`} />
    </>
  );
}

function SubjectLink({ subject: { kind, id } }: { subject: Subject }) {
  const { title, section } = SUBJECTS[kind];
  return <a href={hrefTo(section, id)}>{title}</a>;
}

/** Confirmation page before a job is discarded. */
function DiscardPage({ letter }: { letter: ShownLetter }) {
  const { id, type, subject } = letter;
  const base = hrefTo(SECTION);
  return (
    <ConfirmationPage
      title="Discard this job?"
      section={SECTION}
      action={`${base}/${encodeURIComponent(id)}/discard`}
      button="Discard job"
      back={base}
    >
      <p>
        <strong>{wordsOf(type)}</strong>
        {subject && (
          <>
            {' · '}
            <SubjectLink subject={subject} />
          </>
        )}
      </p>
      <p>The job is removed from this list and won’t be retried, so its work may never be done. You can’t undo this.</p>
    </ConfirmationPage>
  );
}

const WORDS: Record<DeadJob['type'], string> = {
  'apply-process-range': 'Process a batch of passes',
  'delete-account': 'Delete the data of a deleted account',
  'delete-app-scans': 'Remove the scans of a deleted app configuration',
  'delete-pass-files': 'Remove the stored files of a deleted pass',
  'delete-template-passes': 'Delete the passes of a deleted template',
  'deliver-webhooks': 'Deliver events to a webhook',
  'end-google-object': 'Expire a deleted pass in Google Wallet',
  'erase-passes': 'Erase the data of deleted passes',
  'fan-out-events': 'Create webhook deliveries',
  'import-pass-images': 'Fetch the images of a pass',
  'publish-to-google': 'Create a pass in Google Wallet',
  'push-page': 'Push to some of a template’s passes',
  'push-passes': 'Notify devices of changed passes',
  'push-template-notification': 'Send a notification to a template’s passes',
  'push-to-device': 'Notify a new device of a changed pass',
  'push-to-google': 'Update a pass in Google Wallet',
  'recover-webhooks': 'Recover missed webhook events',
  'select-process-passes': 'Select the passes of a process',
  'send-message': 'Send a pass by e-mail or SMS',
  'walk-push-fan-out': 'Push to a template’s passes',
};

/** Returns the title of a job type. Types of other versions of the service are shown as they are. */
const wordsOf = (type: string): string => own(WORDS, type) ?? type;

/** Subjects of jobs: the title, and the section that contains the page. */
const SUBJECTS: Record<Subject['kind'], { title: string; section: string }> = {
  message: { title: 'Message', section: 'messages' },
  pass: { title: 'Pass', section: 'passes' },
  process: { title: 'Process', section: 'processes' },
  subscription: { title: 'Webhook', section: 'webhooks' },
  template: { title: 'Template', section: 'templates' },
};
