import { JsonBlock } from './code-block.tsx';
import type { Contract, ContractEvent } from './contract.ts';
import { InlineText, RichText } from './rich-text.tsx';
import { ParameterTable, SchemaTable } from './schema-table.tsx';

/** Anchor of the section. */
export const EVENTS_SLUG = 'events';

/** The event reference: the headers of all deliveries, then each event with its body. */
export function EventsSection({ contract }: { contract: Contract }) {
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
