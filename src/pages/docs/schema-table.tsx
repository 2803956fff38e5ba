import type { NamedSchemas, Parameter, Schema } from './contract.ts';
import { InlineText } from './rich-text.tsx';
import { enumValues, limits, nestedObjects, resolved, typeName } from './schema-words.ts';

/** A schema inside itself ends here. */
const DEPTH_MAX = 10;

/** What all rows of one table share. */
interface TableScope {
  named: NamedSchemas;
  /** Whether the table describes what a caller sends; required members of a reply are simply there. */
  input: boolean;
  /** Objects that are described already, by their JSON, with the path of the member that shows them. */
  shown: Map<string, string>;
}

interface MemberRow {
  name: string;
  /** Path of the member from the top, to refer to it. */
  path: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

/** The members of an object as a table; objects inside it fold out below their row, each described once. */
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

/** Parameters of one place (`path`, `query` or `header`) as a table. */
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
  /** The only member at the top, such as `data`: what it holds is what the reader has come for, so it stands open. */
  alone: boolean;
}

function Member({ row, scope, depth, alone }: MemberProps) {
  const { name, schema, required } = row;
  const { named, input } = scope;
  const description = row.description ?? resolved(schema, named).description;
  const rules = limits(schema, named);
  const values = enumValues(schema, named);
  return (
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
        {values.length > 0 && (
          <ul class="values" aria-label={`Values of ${name}`}>
            {values.map((value) => (
              <li>
                <code>{value}</code>
              </li>
            ))}
          </ul>
        )}
        <Inside row={row} scope={scope} depth={depth} alone={alone} />
      </td>
    </tr>
  );
}

/** What folds out below a member that holds objects. */
function Inside({ row, scope, depth, alone }: MemberProps) {
  if (depth >= DEPTH_MAX) return null;
  return (
    <>
      {nestedObjects(row.schema, scope.named).map(({ schema, variant }) => {
        const key = JSON.stringify(schema);
        const before = scope.shown.get(key);
        if (before !== undefined) {
          return (
            <p>
              Same members as <code>{before}</code>
            </p>
          );
        }
        scope.shown.set(key, row.path);
        const rows = membersOf(schema, row.path);
        return (
          <details open={alone}>
            <summary>
              {variant && `${variant}: `}
              {rows.length === 1 ? '1 member' : `${rows.length} members`}
              <span class="visually-hidden"> of {row.path}</span>
            </summary>
            <MemberTable caption={`Members of ${row.path}`} rows={rows} scope={scope} depth={depth + 1} />
          </details>
        );
      })}
    </>
  );
}
