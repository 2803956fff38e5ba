import type { Issue } from '../../../domain/errors.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import type { PassRowPage } from '../../../domain/search/search-passes.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { clientFile } from '../../client-files.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Checkbox, Radio } from '../fields.tsx';
import { EmptyState, Pager } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { allColumns, type CellContext, type Column, chosenColumns, passTitle } from './columns.tsx';
import { QueryBuilder } from './query-builder.tsx';
import { queryFields } from './query-fields.ts';
import { type PassesForm, writeForm } from './query-form.ts';
import { Segments } from './segments.tsx';
import { hiddenFrom, isVisibleQuery, seesPersonalData } from './visible-fields.ts';

export const SECTION = 'passes';

export interface PassListPageProps {
  frame: Frame;
  form: PassesForm;
  choices: SearchChoices;
  /** Undefined when the query is wrong. */
  found?: PassRowPage;
  query: Record<string, unknown>;
  problems: Issue[];
  isFirst: boolean;
  now: number;
}

/** The account's passes: what to look for, what was found, and what to do with it. */
export function PassListPage(props: PassListPageProps) {
  const { frame, form, choices, found, query, problems } = props;
  const base = sectionPath(frame.account.id, SECTION);
  const mayEdit = hasPrivilege(frame.privileges, 'passes.edit');
  const seesAll = seesPersonalData(frame.privileges);
  const hidden = hiddenFrom(frame.privileges, choices.definition);
  const columns = chosenColumns(choices.definition, form.columns, hidden);
  const segments = choices.segments.filter((one) => isVisibleQuery(one.query, frame.privileges));
  const actions = mayEdit && choices.templates.length > 0 && (
    <>
      {seesAll && (
        <a class="button quiet" href={`${base}/import`}>
          Import CSV
        </a>
      )}
      <a class="button" href={`${base}/new${form.templateId ? `?template=${form.templateId}` : ''}`}>
        Create pass
      </a>
    </>
  );
  return (
    <AccountLayout
      frame={frame}
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
        phraseHint={seesAll ? 'Search all values, * for any text' : 'Search identifiers and barcodes'}
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
      <button class="button small quiet" type="submit">
        Apply columns
      </button>
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
  const { found, form, choices, query, base, columns, mayEdit, frame, isFirst, now } = props;
  const { passes, total, hasMore } = found;
  const context: CellContext = {
    timezone: frame.account.timezone,
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
          <strong>{total.toLocaleString('en')}</strong> {total === 1 ? 'pass' : 'passes'}
        </p>
        {seesPersonalData(frame.privileges) && <Exports base={base} form={form} />}
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

/** The file for spreadsheets, and the one for programs that stumble over the mark by which Excel knows UTF-8. */
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

/** What can be done with many passes at once; what it would do is shown before it is done. */
function BulkBar({ total }: { total: number }) {
  return (
    <div class="bulk-bar">
      <fieldset>
        <legend>Change</legend>
        <Radio name="scope" label="those selected" value="selected" checked />
        <Radio name="scope" label={`all ${total.toLocaleString('en')} found`} value="all" />
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

function NothingFound({ base, query, choices, mayEdit, frame }: FoundProps) {
  const { templateId, ...conditions } = query;
  if (Object.keys(conditions).length > 0) {
    return (
      <EmptyState title="No pass matches" action={<a href={base}>Show all passes</a>}>
        Remove a condition, or search for fewer words.
      </EmptyState>
    );
  }
  if (choices.templates.length === 0) {
    const action = (
      <a class="button" href={sectionPath(frame.account.id, 'templates')}>
        View templates
      </a>
    );
    return (
      <EmptyState title="No passes yet" action={action}>
        Passes need a template. Create one first.
      </EmptyState>
    );
  }
  const create = mayEdit && (
    <a class="button" href={templateId ? `${base}/new?template=${templateId}` : `${base}/new`}>
      Create pass
    </a>
  );
  return (
    <EmptyState title={templateId ? 'No passes of this template yet' : 'No passes yet'} action={create || undefined}>
      Create one here, import a list, or let your systems do it by the <a href="/docs#createPassV3">API</a>.
    </EmptyState>
  );
}
