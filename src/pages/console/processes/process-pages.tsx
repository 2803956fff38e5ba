import { describeIssues } from '../../../domain/errors.ts';
import type { ListedProcess } from '../../../domain/processes/manage-process.ts';
import { isPersonal, type Operation, type ProcessState } from '../../../domain/processes/process-state.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { AccountLayout } from '../console-layout.tsx';
import { type Listed, ListPanel, Table } from '../list-table.tsx';
import { ActionButton, Badge, EmptyState, Fact, formatNumber, Pager, Panel } from '../parts.tsx';
import { CountFacts } from '../persons/person-pages.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

export const SECTION = 'processes';
/** Errors per page. */
const PAGE_ERRORS = 100;

const KINDS: Record<Operation['kind'], string> = {
  create: 'Create passes',
  update: 'Change passes',
  unique: 'Make a property unique',
  export: 'Export personal data',
  erase: 'Erase personal data',
};

type Totals = Pick<ProcessState, 'current' | 'total' | 'failed' | 'finishedAt'>;

/** The account's bulk operations, newest first. */
export function ProcessListPage(list: Listed<ListedProcess>) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Processes" section={SECTION}>
      <p class="lead">
        Imports and bulk changes from the console and the API, and checks of properties that become unique. Counts can
        lag by a few seconds.
      </p>
      <ListPanel
        {...list}
        base={base}
        empty={
          <EmptyState title="No processes yet" action={<a href={hrefTo('passes')}>View passes</a>}>
            Imports and bulk changes of passes appear here.
          </EmptyState>
        }
        columns={[
          ['Process', (process) => <a href={`${base}/${process.id}`}>{KINDS[process.kind]}</a>],
          ['Started', (process) => <Time at={process.createdAt} />],
          ['State', (process) => <ProcessBadge {...process} />],
          [
            'Done',
            (process) => (
              <>
                {formatNumber(process.current)} of {formatNumber(process.total)}
              </>
            ),
            'number',
          ],
          ['Failed', (process) => formatNumber(process.failed), 'number'],
        ]}
      />
    </AccountLayout>
  );
}

/** Links from a process to its passes or its template, or to other pages about persons. */
function Further({ kind, templateId }: Pick<ProcessState, 'kind' | 'templateId'>) {
  if (kind === 'unique') {
    return (
      <p>
        <a href={hrefTo('templates', templateId!)}>View template</a>
      </p>
    );
  }
  if (!isPersonal({ kind })) {
    return (
      <p>
        <a href={hrefTo('passes')}>View passes</a>
      </p>
    );
  }
  return (
    <p>
      {viewerHas('personal_data') && <a href={hrefTo('persons')}>Find another person</a>}
      {viewerHas('owner') && (
        <>
          {' · '}
          <a href={`${hrefTo('audit-log')}?action=person.${kind}`}>View the entry in the audit log</a>
        </>
      )}
    </p>
  );
}

function ProcessBadge({ finishedAt, failed }: Totals) {
  if (finishedAt === null) return <Badge tone="calm">Running</Badge>;
  return failed > 0 ? <Badge tone="careful">Completed with errors</Badge> : <Badge tone="good">Done</Badge>;
}

interface ProcessPageProps {
  id: string;
  state: ProcessState;
  /** Number of errors before the shown ones. */
  from: number;
  /** Whether the page reloads itself, for browsers without scripts. */
  isWatched: boolean;
  archive?: Archive;
}

/** Link to the archive of an export; without a fresh sign-in, the page that asks for one. */
type Archive = { url: string; validUntil: number } | { confirm: string };

/** One bulk operation: its progress, its errors, and its actions. */
export function ProcessPage({ id, state, from, isWatched, archive }: ProcessPageProps) {
  const base = hrefTo(SECTION, id);
  const isRunning = state.finishedAt === null;
  const mayEdit = viewerHas('passes.edit') && (!isPersonal(state) || viewerHas('personal_data'));
  const actions = mayEdit && (
    <>
      {isRunning && <ActionButton action={`${base}/cancel`} title="Cancel process" />}
      {state.failed > 0 && state.kind !== 'unique' && (
        <ActionButton action={`${base}/retry`} title="Retry failed passes" />
      )}
    </>
  );
  return (
    <AccountLayout
      title={KINDS[state.kind]}
      section={SECTION}
      actions={actions || undefined}
      scripts={isRunning ? [clientFile('console/process.ts').path] : []}
    >
      <section class="panel" aria-label="Progress" id="process" data-events={isRunning ? `${base}/events` : undefined}>
        <p class="progress-line">
          <span class="figure">
            <span data-told="current">{formatNumber(state.current)}</span> of{' '}
            <span data-told="total">{formatNumber(state.total)}</span>
          </span>
          <ProcessBadge {...state} />
        </p>
        <progress
          class="progress"
          max={Math.max(1, state.total)}
          value={isRunning || state.total > 0 ? state.current : 1}
          aria-label="Completed"
        />
        <dl class="facts">
          <Fact title="Failed" told="failed" value={formatNumber(state.failed)} />
          <Fact title="Not processed" told="cancelled" value={formatNumber(state.cancelled)} />
          <Fact title="Started" value={<Time at={state.createdAt} />} />
          {state.finishedAt !== null && <Fact title="Ended" value={<Time at={state.finishedAt} />} />}
        </dl>
        {isRunning && (
          <noscript>
            <p>
              <a href={isWatched ? base : `${base}?watch`}>
                {isWatched ? 'Stop refreshing' : 'Refresh every few seconds'}
              </a>
            </p>
          </noscript>
        )}
      </section>
      {state.result && (
        <Panel id="result" title="Result">
          <CountFacts counts={state.result} />
          {archive && viewerHas('personal_data') && <ArchiveLink {...archive} />}
        </Panel>
      )}
      {viewerHas('personal_data') && <Errors state={state} base={base} from={from} />}
      <Further {...state} />
    </AccountLayout>
  );
}

function ArchiveLink(archive: Archive) {
  if ('confirm' in archive) {
    return (
      <p>
        <a href={archive.confirm}>Sign in again to download the archive</a>
      </p>
    );
  }
  return (
    <p>
      <a href={archive.url}>Download archive</a>{' '}
      <span class="quiet">
        until <Time at={archive.validUntil} />
      </span>
    </p>
  );
}

function Errors({ state, base, from }: { state: ProcessState; base: string; from: number }) {
  const errors = Object.entries(state.errors);
  if (errors.length === 0) return null;
  const shown = errors.slice(from, from + PAGE_ERRORS);
  const isCut = state.failed > errors.length;
  return (
    <Panel id="errors" title="Errors" aside={<a href={`${base}/errors.csv`}>Download as CSV</a>}>
      {isCut && (
        <p class="quiet">
          The first {formatNumber(errors.length)} of {formatNumber(state.failed)} errors.
        </p>
      )}
      <Table
        rows={shown}
        columns={[
          [state.kind === 'unique' ? 'Property' : 'Pass', ([name]) => name],
          ['Error', ([, issues]) => describeIssues(issues)],
        ]}
      />
      <Pager
        older={from + PAGE_ERRORS < errors.length ? `${base}?from=${from + PAGE_ERRORS}` : undefined}
        newer={from > 0 ? base : undefined}
      />
    </Panel>
  );
}
