import type { NamedSchemas, Parameter, Schema } from './contract.ts';
import { InlineText } from './rich-text.tsx';
import { enumValues, limits, type NestedObject, nestedObjects, resolved, typeName } from './schema-words.ts';

/** Limit for recursive schemas. */
const DEPTH_MAX = 10;

/** Context of all rows in a table. */
interface TableScope {
  named: NamedSchemas;
  /** Whether the table describes a request. Required members are marked only there. */
  input: boolean;
  /** Objects that are already documented, as JSON, with the path of their member. */
  shown: Map<string, string>;
}

interface MemberRow {
  name: string;
  /** Path of the member from the root. */
  path: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

/** A table of an object's members. Nested objects expand below their row, and each is documented once. */
export function SchemaTable(props: { caption: string; schema: Schema; named: NamedSchemas; input: boolean }) {
  const { caption, schema, named, input } = props;
  const scope: TableScope = { named, input, shown: new Map() };
  const objects = nestedObjects(schema, named);
  return (
    <>
      {objects.map(({ schema: object, variant }) => (
        <MemberTable
          caption={variant ? `${caption}: ${variant}` : caption}
          rows={membersOf(object, '')}
          scope={scope}
          depth={0}
        />
      ))}
    </>
  );
}

/** A table of parameters of one kind (`path`, `query` or `header`). */
export function ParameterTable(props: { caption: string; parameters: Parameter[]; named: NamedSchemas }) {
  const rows = props.parameters.map(
    ({ name, required = false, schema, description }): MemberRow => ({
      name,
      path: name,
      schema,
      required,
      description,
    }),
  );
  const scope: TableScope = { named: props.named, input: true, shown: new Map() };
  return <MemberTable caption={props.caption} rows={rows} scope={scope} depth={0} />;
}

function membersOf(object: Schema, path: string): MemberRow[] {
  return Object.entries(object.properties ?? {}).map(([name, schema]) => ({
    name,
    path: path ? `${path}.${name}` : name,
    schema,
    required: object.required?.includes(name) ?? false,
  }));
}

function MemberTable(props: { caption: string; rows: MemberRow[]; scope: TableScope; depth: number }) {
  const { caption, rows, scope, depth } = props;
  return (
    <table class="members">
      <caption class={depth > 0 ? 'visually-hidden' : undefined}>{caption}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type and rules</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Member row={row} scope={scope} depth={depth} alone={depth === 0 && rows.length === 1} />
        ))}
      </tbody>
    </table>
  );
}

interface MemberProps {
  row: MemberRow;
  scope: TableScope;
  depth: number;
  /** A single top-level member, such as `data`, is expanded because it contains what the reader needs. */
  alone: boolean;
}

function Member({ row, scope, depth, alone }: MemberProps) {
  const { name, schema, required } = row;
  const { named, input } = scope;
  const description = row.description ?? resolved(schema, named).description;
  const rules = limits(schema, named);
  const nested = depth < DEPTH_MAX ? nestedObjects(schema, named) : [];
  return (
    <>
      <tr>
        <th scope="row">
          <code class="name">{name}</code>
          {input && required && <span class="required">required</span>}
        </th>
        <td>
          <span class="type">{typeName(schema, named)}</span>
          {rules.length > 0 && (
            <span class="rules">
              <InlineText text={rules.join(', ')} />
            </span>
          )}
          {schema.deprecated && <span class="deprecated">deprecated</span>}
          {description && (
            <p>
              <InlineText text={description} />
            </p>
          )}
          <Values name={name} values={enumValues(schema, named)} />
        </td>
      </tr>
      {nested.length > 0 && (
        <tr class="inside">
          <td colspan={2}>
            {nested.map((object) => (
              <Inside row={row} object={object} scope={scope} depth={depth} open={alone} />
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

function Values({ name, values }: { name: string; values: string[] }) {
  if (values.length === 0) return null;
  return (
    <ul class="values" aria-label={`Values of ${name}`}>
      {values.map((value) => (
        <li>
          <code>{value}</code>
        </li>
      ))}
    </ul>
  );
}

interface InsideProps {
  row: MemberRow;
  object: NestedObject;
  scope: TableScope;
  depth: number;
  open: boolean;
}

/** The expandable members of a nested object, over the whole width of the table. */
function Inside({ row, object, scope, depth, open }: InsideProps) {
  const key = JSON.stringify(object.schema);
  const before = scope.shown.get(key);
  if (before !== undefined) {
    return (
      <p>
        Same members as <code>{before}</code>
      </p>
    );
  }
  scope.shown.set(key, row.path);
  const rows = membersOf(object.schema, row.path);
  return (
    <details open={open}>
      <summary>
        {object.variant && `${object.variant}: `}
        {rows.length === 1 ? '1 member' : `${rows.length} members`} of <code>{row.name}</code>
      </summary>
      <MemberTable caption={`Members of ${row.path}`} rows={rows} scope={scope} depth={depth + 1} />
    </details>
  );
}
