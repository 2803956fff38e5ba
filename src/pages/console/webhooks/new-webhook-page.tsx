import { EVENT_TYPES, EVENTS, type EventType } from '../../../domain/events/catalog.ts';
import type { TemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import type { SubscriptionWithSecrets } from '../../../domain/webhooks/subscribe.ts';
import { CodeBlock, JsonBlock } from '../../docs/code-block.tsx';
import { InlineText } from '../../docs/rich-text.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { Checkbox, namedOptions, Radio, SelectField, TextField } from '../fields.tsx';
import { EntryForm, LinkButton, Notice } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './webhook-list-page.tsx';

export const NEW_WEBHOOK = {
  ...{ event: 'pass_created', mode: 'push', targetUrl: '', template: '', name: '' },
  ...{ retry: true, sign: false, token: false },
};

export type TypedWebhook = typeof NEW_WEBHOOK;

/** The form for a new subscription. Each event has a description and an example body. */
export function NewWebhookPage({ templates, typed }: { templates: TemplateFacts[]; typed: TypedWebhook }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Create webhook" section={SECTION}>
      <EntryForm action={base} button="Create webhook" back={base}>
        <SelectField
          name="event"
          label="Event"
          hint="See the event reference below the form."
          required
          options={EVENT_TYPES.map((value) => ({ value, title: `${value}: ${EVENTS[value].summary}` }))}
          value={typed.event}
        />
        <SelectField
          name="template"
          label="Template"
          options={[{ value: '', title: 'All templates' }, ...namedOptions(templates)]}
          value={typed.template}
        />
        <Mode mode={typed.mode} />
        <TextField
          name="targetUrl"
          label="Endpoint URL"
          type="url"
          hint="An https address that answers with a status from 200 to 299 within ten seconds. Not needed in pull mode."
          value={typed.targetUrl}
          more={{ maxlength: 2048, autocomplete: 'off', placeholder: 'https://shop.example.com/hooks/passes' }}
        />
        <fieldset class="choices">
          <legend>Deliveries</legend>
          <Checkbox
            name="retry"
            label="Retry failed deliveries"
            hint="Ten attempts over about three days. After five days without success, the webhook is paused and you get an e-mail."
            checked={typed.retry}
          />
          <Checkbox
            name="sign"
            label="Sign the body"
            hint="Adds signedData and signature to the body, for receivers that don’t see the headers."
            checked={typed.sign}
          />
          <Checkbox
            name="token"
            label="Send an access token"
            hint="Sent with each delivery as Authorization: Bearer. It is shown once."
            checked={typed.token}
          />
        </fieldset>
        <TextField name="name" label="Name" value={typed.name} required={false} more={{ maxlength: 500 }} />
      </EntryForm>
      <EventCatalog />
    </AccountLayout>
  );
}

function Mode({ mode }: { mode: string }) {
  const modes = [
    { value: 'push', title: 'Send each event to an endpoint', hint: 'Push: the service calls your program.' },
    {
      value: 'pull',
      title: 'Store events until you fetch them',
      hint: 'Pull: your program fetches them, even from behind a firewall.',
    },
  ];
  return (
    <fieldset class="choices">
      <legend>Delivery method</legend>
      {modes.map(({ value, title, hint }) => (
        <Radio name="mode" label={title} hint={hint} value={value} checked={value === mode} />
      ))}
    </fieldset>
  );
}

function EventCatalog() {
  return (
    <section class="panel" aria-labelledby="catalog">
      <header>
        <h2 id="catalog">Event reference</h2>
        <a href="/docs#events">All fields</a>
      </header>
      {EVENT_TYPES.map((type) => (
        <EventDetails type={type} />
      ))}
    </section>
  );
}

function EventDetails({ type }: { type: EventType }) {
  const { summary, description, example } = EVENTS[type];
  return (
    <details class="aside">
      <summary>
        <strong>{type}</strong> <span class="quiet">{summary}</span>
      </summary>
      <p>
        <InlineText text={description} />
      </p>
      <JsonBlock title="Example" value={example} />
    </details>
  );
}

interface WebhookCreatedPageProps {
  subscribed: SubscriptionWithSecrets;
  scripts: string[];
}

/** Shows the signing secret, which is never shown again. */
export function WebhookCreatedPage({ subscribed, scripts }: WebhookCreatedPageProps) {
  const { subscription, secret, accessToken } = subscribed;
  const isPull = subscription.targetUrl === null;
  return (
    <AccountLayout title="Webhook created" section={SECTION} scripts={scripts}>
      {isPull ? (
        <Notice tone="good">
          <p>
            Events are stored from now on. Fetch them with <code>GET /api/v3/webhook-payload</code>.{' '}
            <a href="/docs#tag-webhooks">How to</a>
          </p>
        </Notice>
      ) : (
        <Notice tone="careful">
          <p>Copy these values now. They are shown only once.</p>
        </Notice>
      )}
      {!isPull && <CodeBlock title="Signing secret for webhook-signature" code={secret} />}
      {accessToken !== undefined && <CodeBlock title="Access token" code={accessToken} />}
      <p>
        <LinkButton href={hrefTo(SECTION, subscription.id)} title="Done" />
      </p>
    </AccountLayout>
  );
}
