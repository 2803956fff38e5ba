import { CodeBlock, JsonBlock } from './code-block.tsx';
import type { ContractOperation, NamedSchemas, Reply } from './contract.ts';
import { curlCommand, isJson } from './curl.ts';
import { InlineText, RichText } from './rich-text.tsx';
import { replySample } from './sample.ts';
import { ParameterTable, SchemaTable } from './schema-table.tsx';
import { nestedObjects } from './schema-words.ts';

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
