import { clientFile } from '../../platform/client-files.ts';
import { Brand, SERVICE_NAME } from '../home/brand.tsx';
import { Layout } from '../layout.tsx';
import { CodeBlock, JsonBlock } from './code-block.tsx';
import type { Contract, ContractEvent, ContractGroup } from './contract.ts';
import { CHAPTERS, Introduction, type IntroductionProps } from './introduction.tsx';
import { Method, OperationSection } from './operation-section.tsx';
import { InlineText, RichText } from './rich-text.tsx';
import { ParameterTable, SchemaTable } from './schema-table.tsx';

const SCRIPT = clientFile('docs/find-and-copy.ts').path;

interface DocsPageProps extends IntroductionProps {
  contract: Contract;
}

/** The API reference: general chapters, then the operations of the OpenAPI document by tag. */
export function DocsPage(props: DocsPageProps) {
  const { contract, baseUrl } = props;
  return (
    <Layout
      language="en"
      title={`API reference · ${SERVICE_NAME}`}
      description={contract.description}
      stylesheet="docs/styles.css"
    >
      <a class="skip" href="#content">
        Skip to content
      </a>
      <TopBar />
      <div class="docs">
        <Contents groups={contract.groups} events={contract.events} />
        <main id="content" tabindex={-1}>
          <header class="opening">
            <div class="told">
              <p class="eyebrow">API reference {contract.version}</p>
              <h1>{contract.title}</h1>
              <RichText text={contract.description} />
              <p>
                This page shows the OpenAPI document of this service; <a href="/openapi.json">openapi.json</a> is the
                document itself (OpenAPI 3.1).
              </p>
            </div>
            <div class="shown">
              <CodeBlock title="Base address" code={baseUrl} />
            </div>
          </header>
          <Introduction {...props} />
          {contract.groups.map((group) => (
            <Group group={group} {...props} />
          ))}
          <EventsSection contract={contract} />
        </main>
      </div>
      <script type="module" src={SCRIPT} />
    </Layout>
  );
}

function TopBar() {
  return (
    <header class="top-bar">
      <Brand />
      <nav aria-label="Site">
        <a class="to-contents" href="#contents">
          Contents
        </a>
        <a class="where-wide" href="/openapi.json">
          OpenAPI
        </a>
        <a href="/console">Console</a>
      </nav>
    </header>
  );
}

/** Beside the text on wide screens. On a phone, it covers the page while it is the target of the address. */
function Contents({ groups, events }: { groups: ContractGroup[]; events: ContractEvent[] }) {
  return (
    <nav class="contents" id="contents" aria-label="Contents">
      <a class="close-contents" href="#content">
        Close
      </a>
      {/* Shown by the script, because the search needs it. */}
      <search class="find" hidden>
        <label for="find">Search operations</label>
        <input
          id="find"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="create pass, /bulk, PATCH …"
        />
        <p class="find-count" role="status" />
      </search>
      <h2>Basics</h2>
      <ul>
        {CHAPTERS.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
      {groups.map(({ name, slug, operations }) => (
        <div class="contents-group">
          <h2>
            <a href={`#${slug}`}>{name}</a>
          </h2>
          <ul>
            {operations.map(({ id, method, path, summary, version, deprecated }) => (
              <li data-find={`${method} ${path} ${summary} ${id} v${version}`}>
                <a class={deprecated ? 'operation-link deprecated-link' : 'operation-link'} href={`#${id}`}>
                  <span>
                    <InlineText text={summary} />
                  </span>
                  <span class="which">
                    <span class="in-version">v{version}</span>
                    <Method method={method} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {events.length > 0 && <EventContents events={events} />}
    </nav>
  );
}

function EventContents({ events }: { events: ContractEvent[] }) {
  return (
    <div class="contents-group">
      <h2>
        <a href={`#${EVENTS_SLUG}`}>Events</a>
      </h2>
      <ul>
        {events.map(({ id, type, summary }) => (
          <li data-find={`${type} ${summary} event webhook`}>
            <a class="operation-link" href={`#${id}`}>
              <span>
                <InlineText text={summary} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Group({ group, contract, baseUrl }: DocsPageProps & { group: ContractGroup }) {
  const { name, slug, description, operations } = group;
  return (
    <section class="group" id={slug} aria-labelledby={`${slug}-title`}>
      <h2 id={`${slug}-title`}>
        <a href={`#${slug}`}>{name}</a>
      </h2>
      {description && <RichText text={description} />}
      {operations.map((operation) => (
        <OperationSection operation={operation} named={contract.schemas} baseUrl={baseUrl} />
      ))}
    </section>
  );
}

/** Anchor of the section. */
const EVENTS_SLUG = 'events';

/** The event reference: the headers of all deliveries, then each event with its body. */
function EventsSection({ contract }: { contract: Contract }) {
  const { events, schemas } = contract;
  const [first] = events;
  if (!first) return null;
  // The parameters are those of the first event, so its own name is removed. "Required" means nothing to a receiver.
  const headers = first.parameters.map(({ schema: { const: _, ...schema }, ...header }) => {
    return { ...header, schema, required: false };
  });
  return (
    <section class="group" id={EVENTS_SLUG} aria-labelledby={`${EVENTS_SLUG}-title`}>
      <h2 id={`${EVENTS_SLUG}-title`}>
        <a href={`#${EVENTS_SLUG}`}>Events</a>
      </h2>
      <div class="told">
        <p>
          These are the payloads of <a href="#tag-webhooks">webhooks</a>. Push mode posts them to the{' '}
          <code>target_url</code>; pull mode returns them in <code>payload</code>. Events arrive at least once, in any
          order; <code>webhook-id</code> identifies duplicates.
        </p>
        <p>
          With <code>signPayload</code> a body has two more members: <code>signedData</code>, the exact JSON text that
          was signed, and <code>signature</code>, the hexadecimal DER form of the ECDSA signature (P-256, SHA-256) over
          its bytes. Verify it with the public key of the account, and read the event from <code>signedData</code>.
        </p>
        <ParameterTable caption="Headers of a delivery" parameters={headers} named={schemas} />
      </div>
      {events.map((event) => (
        <Event event={event} contract={contract} like={events.find((other) => hasBodyOf(other, event))} />
      ))}
    </section>
  );
}

const hasBodyOf = (a: ContractEvent, b: ContractEvent) =>
  JSON.stringify(a.body?.schema) === JSON.stringify(b.body?.schema);

/** One event. `like` is the first event with the same body, which documents it. */
function Event({ event, contract, like }: { event: ContractEvent; contract: Contract; like?: ContractEvent }) {
  const { id, type, summary, description, body } = event;
  const isFirst = like === undefined || like.type === type;
  return (
    <article class="operation event" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`}>
          <a href={`#${id}`}>
            <InlineText text={summary} />
          </a>
        </h3>
        <p class="address">
          <code>{type}</code>
        </p>
      </header>
      <div class="told">
        {description && <RichText text={description} />}
        {isFirst && body?.schema && (
          <SchemaTable caption="Body" schema={body.schema} named={contract.schemas} input={false} />
        )}
        {!isFirst && (
          <p>
            The body has the same members as{' '}
            <a href={`#${like.id}`}>
              <code>{like.type}</code>
            </a>
            .
          </p>
        )}
      </div>
      {isFirst && body && (
        <div class="shown">
          <JsonBlock title={`\`${type}\``} value={body.example} />
        </div>
      )}
    </article>
  );
}
