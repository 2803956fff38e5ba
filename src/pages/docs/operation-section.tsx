import { CodeBlock, JsonBlock } from './code-block.tsx';
import type { Content, ContractOperation, NamedSchemas, Parameter, Reply } from './contract.ts';
import { InlineText, RichText } from './rich-text.tsx';
import { replySample, sampleOf } from './sample.ts';
import { ParameterTable, SchemaTable } from './schema-table.tsx';
import { nestedObjects, resolved } from './schema-words.ts';

interface SectionProps {
  operation: ContractOperation;
  named: NamedSchemas;
  /** Origin for the example requests. */
  baseUrl: string;
}

/** The HTTP method as a label. */
export function Method({ method }: { method: string }) {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>;
}

/** One operation: parameters and replies, beside an example of both. */
export function OperationSection(props: SectionProps) {
  const { operation } = props;
  const { id, method, path, summary, description, version } = operation;
  return (
    <article class="operation" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`}>
          <a href={`#${id}`}>
            <InlineText text={summary} />
          </a>
        </h3>
        <p class="address">
          <Method method={method} />
          <code>
            {path.split(/(?<=\/)/).map((segment) => (
              <>
                {segment}
                <wbr />
              </>
            ))}
          </code>
        </p>
        <p class="marks">
          <span>v{version}</span>
          <code>{id}</code>
          {operation.deprecated && <span class="deprecated">deprecated</span>}
          {!operation.secured && <span>no key needed</span>}
          {operation.scope && (
            <span>
              scope <code>{operation.scope}</code>
            </span>
          )}
        </p>
      </header>
      <div class="told">
        {description && <RichText text={description} />}
        <Parameters place="path" caption="Path" {...props} />
        <Parameters place="query" caption="Query" {...props} />
        <Body {...props} />
        <Parameters place="header" caption="Headers" {...props} />
        <ReplyMembers {...props} />
        <Failures failures={operation.failures} />
      </div>
      <div class="shown">
        <CodeBlock title="Request" code={curlCommand(operation, props.baseUrl, props.named)} />
        <Replies {...props} />
      </div>
    </article>
  );
}

function Parameters({ operation, named, place, caption }: SectionProps & { place: string; caption: string }) {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  return parameters.length > 0 && <ParameterTable caption={caption} parameters={parameters} named={named} />;
}

function Body({ operation: { body }, named }: SectionProps) {
  if (!body?.schema) return null;
  if (!isJson(body)) {
    return (
      <p>
        Body: the bytes of a file, as <code>{body.type}</code>
      </p>
    );
  }
  return <SchemaTable caption={body.required ? 'Body' : 'Body (optional)'} schema={body.schema} named={named} input />;
}

function ReplyMembers({ operation: { replies }, named }: SectionProps) {
  return (
    <>
      {replies.map(({ status, content }) => {
        if (!content?.schema || nestedObjects(content.schema, named).length === 0) return null;
        return (
          <details class="reply-members">
            <summary>
              Members of the <code>{status}</code> reply
            </summary>
            <SchemaTable caption={`Reply ${status}`} schema={content.schema} named={named} input={false} />
          </details>
        );
      })}
    </>
  );
}

function Failures({ failures }: { failures: Reply[] }) {
  return (
    <details class="failures">
      <summary>
        Errors:{' '}
        {failures.map(({ status }) => (
          <code>{status}</code>
        ))}
      </summary>
      <dl>
        {failures.map(({ status, description }) => (
          <div>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <InlineText text={description} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="more-on-errors">
        <a href="#errors">Error format</a>
      </p>
    </details>
  );
}

function Replies({ operation: { replies }, named }: SectionProps) {
  return (
    <>
      {replies.map((reply) => {
        const { status, description, content } = reply;
        const title = `\`${status}\` ${description}`;
        const sample = replySample(reply, named);
        if (sample === undefined) {
          return (
            <p class="no-body">
              <InlineText text={title} />
              {content && ` (${content.type})`}
            </p>
          );
        }
        return <JsonBlock title={title} value={sample} />;
      })}
    </>
  );
}

/**
 * Returns the curl command for an operation. Values that only the reader knows are shell variables: `$API_KEY`, and the
 * names of path and required query parameters in capitals.
 */
export function curlCommand(operation: ContractOperation, baseUrl: string, named: NamedSchemas): string {
  const { method, secured, body } = operation;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${addressOf(operation, baseUrl, named)}"`];
  if (secured) lines.push('-H "Authorization: $API_KEY"');
  if (body && !isJson(body)) lines.push(`-H 'Content-Type: ${body.type}'`, '--data-binary @"$FILE"');
  else if (body) {
    const example = body.example ?? (body.schema ? sampleOf(body.schema, named) : {});
    lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(example, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

/** Returns whether a body is JSON, not a file. */
const isJson = ({ type }: Content): boolean => type === 'application/json';

function addressOf({ path, parameters }: ContractOperation, baseUrl: string, named: NamedSchemas): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => shellVariable(name));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${queryValue(parameter, named)}`);
  return baseUrl + filled + (query.length > 0 ? `?${query.join('&')}` : '');
}

function queryValue({ name, schema }: Parameter, named: NamedSchemas): string {
  const { example, const: only, enum: values, default: usual, type } = resolved(schema, named);
  const value = example ?? only ?? values?.[0] ?? usual ?? (type === 'boolean' ? true : undefined);
  return value === undefined ? shellVariable(name) : encodeURIComponent(String(value));
}

/** Formats `passId` as `$PASS_ID`. */
const shellVariable = (name: string): string => `$${name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}`;

/** Quotes a text for a POSIX shell (XCU §2.2.2: nothing can be escaped between single quotes). */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
