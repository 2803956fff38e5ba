import type { SigningKey } from '../../../domain/signing-keys/table.ts';
import type { ShownSubscription } from '../../../domain/webhooks/subscription-pages.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { LinkButton, Notice, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './webhook-list-page.tsx';

interface AskProps {
  subscription: ShownSubscription;
}

const QUESTIONS = {
  pause: {
    title: 'Pause this webhook?',
    button: 'Pause webhook',
    what: 'Deliveries and retries stop until you resume the webhook. Events are kept for 32 days: after you resume it, use “Recover” to deliver the events it missed.',
  },
  delete: {
    title: 'Delete this webhook?',
    button: 'Delete webhook',
    what: 'Deletes the webhook with its signing secret, pending deliveries and unfetched payloads. You can’t undo this.',
  },
  rotate: {
    title: 'Rotate the signing secret?',
    button: 'Rotate secret',
    what: 'The new secret is shown once. For 24 hours, deliveries are signed with both secrets, so your receiver can switch at any time. A second rotation within that time revokes the oldest secret.',
  },
};

export type Question = keyof typeof QUESTIONS;

/** Confirmation page before an action with consequences. */
export function AskPage({ subscription, question }: AskProps & { question: Question }) {
  const { title, button, what } = QUESTIONS[question];
  const webhook = hrefTo(SECTION, subscription.id);
  return (
    <ConfirmationPage
      title={title}
      section={SECTION}
      trail={[{ title: subscription.event, href: webhook }]}
      action={`${webhook}/${question}`}
      button={button}
      back={webhook}
    >
      <p>
        <strong>{subscription.event}</strong>
        {subscription.targetUrl !== null && (
          <>
            {' to '}
            <span class="address">{subscription.targetUrl}</span>
          </>
        )}
      </p>
      <p>{what}</p>
    </ConfirmationPage>
  );
}

interface SecretPageProps {
  subscriptionId: string;
  secret: string;
  /** Until when the previous secret also signs, UTC milliseconds. */
  previousUntilAt: number;
  scripts: string[];
}

/** Shows the new secret, which is never shown again. */
export function SecretPage({ subscriptionId, secret, previousUntilAt, scripts }: SecretPageProps) {
  return (
    <AccountLayout title="New signing secret" section={SECTION} scripts={scripts}>
      <Notice tone="careful">
        <p>
          Copy it now. It is shown only once. Deliveries are also signed with the old secret until{' '}
          <Time at={previousUntilAt} />.
        </p>
      </Notice>
      <CodeBlock title="Signing secret for webhook-signature" code={secret} />
      <p>
        <LinkButton href={hrefTo(SECTION, subscriptionId)} title="Done" />
      </p>
    </AccountLayout>
  );
}

const RECEIVER = `import { createHmac, timingSafeEqual } from 'node:crypto';

const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const expected = createHmac('sha256', key)
  .update(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`)
  .digest();
const isGenuine = headers['webhook-signature'].split(' ').some((one) => {
  const sent = Buffer.from(one.slice('v1,'.length), 'base64');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
});`;

/** Instructions for verifying that an event comes from this service. */
export function VerifyPage({ keys, scripts }: { keys: SigningKey[]; scripts: string[] }) {
  return (
    <AccountLayout title="Verify deliveries" section={SECTION} scripts={scripts}>
      <Panel id="headers" title="The headers of each delivery" aside={<a href="/docs#events">Reference</a>}>
        <p>
          Deliveries follow Standard Webhooks. <code>webhook-signature</code> is an HMAC-SHA256, keyed with the signing
          secret, over identifier, time and body. It holds several signatures after a rotation. Reject a delivery
          without a match, and a <code>webhook-timestamp</code> that is more than five minutes off. An event can arrive
          more than once: <code>webhook-id</code> identifies duplicates.
        </p>
        <CodeBlock title="In JavaScript, for Node" code={RECEIVER} />
      </Panel>
      <Panel id="body" title="The body">
        <p>
          A webhook that signs its bodies adds <code>signedData</code>, the exact text that was signed, and{' '}
          <code>signature</code>: ECDSA on P-256 with SHA-256, hexadecimal DER. Verify it with this key, or with{' '}
          <code>GET /api/hook/publickey</code>.
        </p>
        <CodeBlock title="Public key of the account" code={keys[0]!.publicKeyPem.trim()} />
      </Panel>
    </AccountLayout>
  );
}
