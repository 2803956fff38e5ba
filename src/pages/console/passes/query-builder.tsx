import type { Child } from 'hono/jsx';
import { describeIssue, type Issue } from '../../../domain/errors.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import { JsonBlock } from '../../docs/code-block.tsx';
import { namedOptions, Options } from '../fields.tsx';
import { SubmitButton } from '../parts.tsx';
import { type FieldKind, OPERATORS_OF, type QueryField, WITHOUT_VALUE } from './query-fields.ts';
import type { ConditionRow, PassesForm } from './query-form.ts';

interface BuilderProps {
  action: string;
  form: PassesForm;
  choices: SearchChoices;
  fields: QueryField[];
  query: Record<string, unknown>;
  /** Issues of the query. */
  problems: Issue[];
  /** The choice of columns, drawn by the list. */
  columns: Child;
  /** Fields that a phrase searches. */
  phraseHint: string;
}

/**
 * The search form: a phrase, a template, and conditions. It works without scripts; with them, conditions are added and
 * removed without a page load.
 */
export function QueryBuilder({ action, form, choices, fields, query, problems, columns, phraseHint }: BuilderProps) {
  return (
    <form class="panel query" method="get" action={action} id="query-form">
      <div class="query-line">
        <label class="query-phrase">
          <span class="visually-hidden">Search words</span>
          <input type="search" name="q" value={form.phrase} placeholder={phraseHint} />
        </label>
        <label>
          <span class="visually-hidden">Template</span>
          <select name="template">
            <option value="">All templates</option>
            <Options options={namedOptions(choices.templates)} value={form.templateId} />
          </select>
        </label>
        {choices.projects.length > 0 && (
          <label>
            <span class="visually-hidden">Project</span>
            <select name="project">
              <option value="">All projects</option>
              <Options options={namedOptions(choices.projects)} value={form.projectId} />
            </select>
          </label>
        )}
        <SubmitButton title="Search" look="small" />
      </div>
      {problems.length > 0 && (
        <ul class="field-error" role="alert">
          {problems.map((problem) => (
            <li>{describeIssue(problem)}</li>
          ))}
        </ul>
      )}
      <Conditions rows={form.rows} fields={fields} hasTemplate={form.templateId !== ''} />
      <div class="query-more">
        {columns}
        <details>
          <summary>As JSON</summary>
          <JsonBlock title="Query" value={query} />
          <button class="button small quiet" type="button" data-copies="#query-form pre code" hidden>
            Copy
          </button>
          <p class="hint">
            Use this query in the <a href="/docs#searchPasses">API</a>. Select Search to update it.
          </p>
        </details>
      </div>
      {Object.entries(OPERATORS_OF).map(([kind, operators]) => (
        <template data-operators={kind}>
          {operators.map(([name, title]) => (
            <option value={name}>{title}</option>
          ))}
        </template>
      ))}
    </form>
  );
}

function Conditions({
  rows,
  fields,
  hasTemplate,
}: {
  rows: ConditionRow[];
  fields: QueryField[];
  hasTemplate: boolean;
}) {
  const placed = rows.map((row, place) => ({ ...row, place }));
  const groups = [...Map.groupBy(placed, ({ group }) => group)];
  return (
    <div class="conditions">
      {groups.map(([group, members], i) => (
        <fieldset class="condition-group">
          <legend>{i === 0 ? 'Passes where' : 'or where'}</legend>
          {members.map((row) => (
            <Condition row={row} place={row.place} fields={fields} />
          ))}
          <button class="button small quiet" name="add" value={String(group)} type="submit">
            And …
          </button>
        </fieldset>
      ))}
      <button class="button small quiet" name="add" value="group" type="submit">
        {groups.length === 0 ? 'Add condition' : 'Or …'}
      </button>
      {groups.length > 0 && !hasTemplate && <p class="hint">Select a template to use its data fields, too.</p>}
    </div>
  );
}

const INPUT_TYPES: Record<FieldKind, string> = { text: 'text', number: 'number', date: 'date', flag: 'text' };

function Condition({ row, place, fields }: { row: ConditionRow; place: number; fields: QueryField[] }) {
  const { group, field, operator, value } = row;
  const known = fields.find(({ name }) => name === field);
  const kind = known?.kind ?? 'text';
  const own = OPERATORS_OF[kind];
  const operators = own.some(([name]) => name === operator) || !field ? own : [...own, [operator, operator] as const];
  // Most people enter a day. A value in another format stays as it is.
  const type = kind === 'date' && value !== '' && !/^\d{4}-\d{2}-\d{2}$/.test(value) ? 'text' : INPUT_TYPES[kind];
  return (
    <div class="condition">
      <input type="hidden" name="g" value={String(group)} />
      <select name="f" aria-label={`Field of condition ${place + 1}`}>
        <option value="">Select a field</option>
        {fields.map((one) => (
          <option value={one.name} selected={one.name === field} data-kind={one.kind}>
            {one.label}
          </option>
        ))}
        {field && !known && (
          <option value={field} selected>
            {field}
          </option>
        )}
      </select>
      <select name="o" aria-label={`Comparison of condition ${place + 1}`}>
        <Options options={operators.map(([name, title]) => ({ value: name, title }))} value={operator} />
      </select>
      {value.includes('\n') ? (
        <textarea name="v" rows={3} aria-label={`Values of condition ${place + 1}, one a line`}>
          {value}
        </textarea>
      ) : (
        <input
          name="v"
          type={type}
          value={value}
          step={type === 'number' ? 'any' : undefined}
          aria-label={`Value of condition ${place + 1}`}
          class={WITHOUT_VALUE.has(operator) ? 'unused' : undefined}
        />
      )}
      <button
        class="button small quiet"
        type="submit"
        name="remove"
        value={String(place)}
        aria-label={`Remove condition ${place + 1}`}
      >
        Remove
      </button>
    </div>
  );
}
