import type { Issue } from '../../../domain/errors.ts';
import { withoutPassenger } from '../../../domain/passes/personal-data.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import type { PassRowPage } from '../../../domain/search/search-passes.ts';
import type { Segment } from '../../../domain/search/segments.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Checkbox, Radio } from '../fields.tsx';
import { EmptyState, formatNumber, LinkButton, Pager, SubmitButton } from '../parts.tsx';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';
import { allColumns, type CellContext, type Column, chosenColumns, passTitle } from './columns.tsx';
import { QueryBuilder } from './query-builder.tsx';
import { queryFields } from './query-fields.ts';
import { fromQuery, type PassesForm, writeForm } from './query-form.ts';
import { hiddenFrom, isVisibleQuery } from './visible-fields.ts';

export const SECTION = 'passes';

interface PassListPageProps {
  form: PassesForm;
  choices: SearchChoices;
  /** Undefined if the query is invalid. */
  found?: PassRowPage;
  query: Record<string, unknown>;
  problems: Issue[];
  isFirst: boolean;
  now: number;
}

/** The passes of the account: search form, results, and actions. */
export function PassListPage(props: PassListPageProps) {
  const { form, choices, found, query, problems } = props;
  const base = hrefTo(SECTION);
  const mayEdit = viewerHas('passes.edit');
  const seesAll = viewerHas('personal_data');
  const hidden = hiddenFrom(useViewer().privileges, choices.definition);
  const columns = chosenColumns(choices.definition, form.columns, hidden);
  const segments = choices.segments.filter((one) => isVisibleQuery(one.query, useViewer().privileges));
  const actions = mayEdit && choices.templates.length > 0 && (
    <>
      {seesAll && <LinkButton href={`${base}/import`} title="Import CSV" look="quiet" />}
      <a class="button" href={`${base}/new${form.templateId ? `?template=${form.templateId}` : ''}`}>
        Create pass
      </a>
    </>
  );
  return (
    <AccountLayout
      title="Passes"
      section={SECTION}
      actions={actions || undefined}
      scripts={[clientFile('console/passes.ts').path]}
    >
      <QueryBuilder
        action={base}
        form={form}
        choices={choices}
        fields={queryFields(choices.definition).filter(({ name }) => !hidden.has(name))}
        query={query}
        problems={problems}
        phraseHint={seesAll ? 'Searches all values. Use * as a wildcard' : 'Searches identifiers and barcodes'}
        columns={<ColumnChoice all={allColumns(choices.definition, hidden)} chosen={columns} />}
      />
      <Segments base={base} segments={segments} query={query} columns={form.columns} mayEdit={mayEdit} />
      {found && <Found {...props} found={found} base={base} columns={columns} mayEdit={mayEdit} />}
    </AccountLayout>
  );
}

function ColumnChoice({ all, chosen }: { all: Column[]; chosen: Column[] }) {
  return (
    <details>
      <summary>Columns</summary>
      <fieldset class="column-choice">
        <legend class="visually-hidden">Columns of the list</legend>
        {all.map(({ key, title }) => (
          <Checkbox name="column" label={title} value={key} checked={chosen.some((one) => one.key === key)} />
        ))}
      </fieldset>
      <SubmitButton title="Apply columns" look="small quiet" />
    </details>
  );
}

interface FoundProps extends PassListPageProps {
  found: PassRowPage;
  base: string;
  columns: Column[];
  mayEdit: boolean;
}

function Found(props: FoundProps) {
  const { found, form, choices, query, base, columns, mayEdit, isFirst, now } = props;
  const { total, hasMore } = found;
  const seesAll = viewerHas('personal_data');
  const passes = seesAll ? found.passes : found.passes.map((pass) => ({ ...pass, ...withoutPassenger(pass) }));
  const context: CellContext = {
    now,
    templateNames: new Map(choices.templates.map(({ id, name }) => [id, name])),
  };
  const older = writeForm(form);
  if (passes.length > 0) older.set('after', passes.at(-1)!.id);
  if (passes.length === 0 && isFirst) return <NothingFound {...props} />;
  return (
    <form class="panel found" method="post" action={`${base}/bulk`}>
      <header>
        <p role="status">
          <strong>{formatNumber(total)}</strong> {total === 1 ? 'pass' : 'passes'}
        </p>
        {seesAll && <Exports base={base} form={form} />}
      </header>
      <input type="hidden" name="query" value={JSON.stringify(query)} />
      <table class="list">
        <thead>
          <tr>
            {mayEdit && (
              <th scope="col">
                <input type="checkbox" data-selects="pass" aria-label="Select all on this page" hidden />
              </th>
            )}
            <th scope="col">Pass</th>
            {columns.map(({ title, isNumber }) => (
              <th scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {passes.map((pass) => (
            <tr>
              {mayEdit && (
                <td class="select">
                  <input type="checkbox" name="pass" value={pass.id} aria-label={`Select ${passTitle(pass)}`} />
                </td>
              )}
              <th scope="row">
                <a href={`${base}/${pass.id}`}>{passTitle(pass)}</a>
              </th>
              {columns.map(({ title, isNumber, cell }) => (
                <td data-label={title} class={isNumber ? 'number' : undefined}>
                  {cell(pass, context) || <span class="quiet">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pager
        older={hasMore ? `${base}?${older}` : undefined}
        newer={isFirst ? undefined : `${base}?${writeForm(form)}`}
      />
      {mayEdit && <BulkBar total={total} />}
    </form>
  );
}

/** CSV for spreadsheets, and CSV without the byte order mark that Excel needs to detect UTF-8. */
function Exports({ base, form }: { base: string; form: PassesForm }) {
  const bare = writeForm(form);
  bare.set('mark', 'no');
  return (
    <p class="exports">
      <a href={`${base}/export?${writeForm(form)}`}>Export as CSV</a>
      <a class="quiet" href={`${base}/export?${bare}`}>
        without byte order mark
      </a>
    </p>
  );
}

/** Bulk actions. Their effects are shown before they start. */
function BulkBar({ total }: { total: number }) {
  return (
    <div class="bulk-bar">
      <fieldset>
        <legend>Apply to</legend>
        <Radio name="scope" label="selected passes" value="selected" checked />
        <Radio
          name="scope"
          label={total === 1 ? 'the only result' : `all ${formatNumber(total)} results`}
          value="all"
        />
      </fieldset>
      <div class="actions">
        {BULK_ACTIONS.map(({ name, title }) => (
          <button class="button small quiet" type="submit" name="action" value={name}>
            {title}
          </button>
        ))}
      </div>
    </div>
  );
}

const BULK_ACTIONS = [
  { name: 'void', title: 'Void …' },
  { name: 'unvoid', title: 'Restore …' },
  { name: 'set', title: 'Set field …' },
  { name: 'push', title: 'Send push …' },
];

function NothingFound({ base, query, choices, mayEdit }: FoundProps) {
  const { templateId, ...conditions } = query;
  if (Object.keys(conditions).length > 0) {
    return (
      <EmptyState title="No pass matches" action={<a href={base}>Show all passes</a>}>
        Remove a condition, or search for fewer words.
      </EmptyState>
    );
  }
  if (choices.templates.length === 0) {
    const action = <LinkButton href={hrefTo('templates')} title="View templates" />;
    return (
      <EmptyState title="No passes yet" action={action}>
        Passes need a template. Create one first.
      </EmptyState>
    );
  }
  const create = mayEdit && (
    <LinkButton href={templateId ? `${base}/new?template=${templateId}` : `${base}/new`} title="Create pass" />
  );
  return (
    <EmptyState title={templateId ? 'No passes of this template yet' : 'No passes yet'} action={create || undefined}>
      Create one here, import a list, or let your software create them with the <a href="/docs#createPassV3">API</a>.
    </EmptyState>
  );
}

interface SegmentsProps {
  base: string;
  segments: Segment[];
  /** The current query. */
  query: Record<string, unknown>;
  columns: string[];
  mayEdit: boolean;
}

/** Saved queries of the account, and the form that saves the current one. */
function Segments({ base, segments, query, columns, mayEdit }: SegmentsProps) {
  const asked = JSON.stringify(query);
  const mayKeep =
    mayEdit && Object.keys(query).length > 0 && !segments.some((one) => JSON.stringify(one.query) === asked);
  if (segments.length === 0 && !mayKeep) return null;
  return (
    <section class="saved-queries" aria-label="Segments">
      {segments.length > 0 && (
        <ul>
          {segments.map((segment) => {
            const isShown = JSON.stringify(segment.query) === asked;
            return (
              <li>
                <a
                  class="saved-query"
                  href={`${base}?${writeForm(fromQuery(segment.query, columns, segment.identifier))}`}
                  aria-current={isShown ? 'true' : undefined}
                >
                  {segment.title || 'Untitled'}
                </a>
                {mayEdit && isShown && (
                  <a class="quiet" href={`${base}/segments/${segment.identifier}/delete`}>
                    Delete segment
                  </a>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {mayKeep && (
        <form class="keep-query" method="post" action={`${base}/segments`}>
          <input type="hidden" name="query" value={asked} />
          <label>
            <span class="visually-hidden">Name of the segment</span>
            <input type="text" name="title" required placeholder="Name of this search" maxlength={100} />
          </label>
          <SubmitButton title="Save as segment" look="small quiet" />
        </form>
      )}
    </section>
  );
}
