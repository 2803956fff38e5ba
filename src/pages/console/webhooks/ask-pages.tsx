import type { SigningKey } from '../../../domain/signing-keys/table.ts';
import type { ShownSubscription } from '../../../domain/webhooks/subscription-pages.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Confirm, Notice, Panel } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SECTION } from './webhook-list-page.tsx';

interface AskProps {
  frame: Frame;
  subscription: ShownSubscription;
}

const QUESTIONS = {
  pause: {
    title: 'Pause this webhook?',
    button: 'Pause it',
    what: 'It is told nothing until you resume it, and what waits for another attempt is given up. Events are kept for 32 days: after resuming, “Recover” delivers what was missed.',
  },
  delete: {
    title: 'Delete this webhook?',
    button: 'Delete the webhook',
    what: 'It is told nothing from now on. Deliveries that wait are not made, payloads that nobody has fetched are removed, and its secret is gone. It cannot be undone.',
  },
  rotate: {
    title: 'Replace the secret?',
    button: 'Replace it',
    what: 'The new secret is shown once. For 24 hours deliveries are signed with both, so your receiver can change over at any moment; a second replacement within that time ends the oldest one.',
  },
};

export type Question = keyof typeof QUESTIONS;

/** Asks before something that has consequences. */
export function AskPage({ frame, subscription, question }: AskProps & { question: Question }) {
  const { title, button, what } = QUESTIONS[question];
  const webhook = sectionPath(frame.account.id, SECTION, subscription.id);
  return (
    <AccountLayout frame={frame} title={title} section={SECTION} trail={[{ title: subscription.event, href: webhook }]}>
      <Confirm action={`${webhook}/${question}`} button={button} back={webhook}>
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
      </Confirm>
    </AccountLayout>
  );
}

interface SecretPageProps {
  frame: Frame;
  subscriptionId: string;
  secret: string;
  /** Until then the one before signs too, UTC milliseconds. */
  previousUntilAt: number;
  scripts: string[];
}

/** The only time that the new secret is shown. */
export function SecretPage({ frame, subscriptionId, secret, previousUntilAt, scripts }: SecretPageProps) {
  return (
    <AccountLayout frame={frame} title="New secret" section={SECTION} scripts={scripts}>
      <Notice tone="careful">
        <p>
          Copy it now: it is shown this once. The one before still signs until{' '}
          <Time at={previousUntilAt} timezone={frame.account.timezone} />.
        </p>
      </Notice>
      <CodeBlock title="Secret, which verifies webhook-signature" code={secret} />
      <p>
        <a class="button" href={sectionPath(frame.account.id, SECTION, subscriptionId)}>
          Done
        </a>
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

/** How a receiver knows that something comes from here. */
export function VerifyPage({ frame, keys, scripts }: { frame: Frame; keys: SigningKey[]; scripts: string[] }) {
  return (
    <AccountLayout frame={frame} title="How to verify" section={SECTION} scripts={scripts}>
      <Panel id="headers" title="The headers of each delivery" aside={<a href="/docs#events">Reference</a>}>
        <p>
          Deliveries follow Standard Webhooks. <code>webhook-signature</code> is an HMAC-SHA256, keyed with the
          webhook’s secret, over identifier, time and body; it holds several while a secret is being replaced. Refuse
          what matches none, and a <code>webhook-timestamp</code> that is more than five minutes away. An event may
          arrive more than once: <code>webhook-id</code> tells a repetition.
        </p>
        <CodeBlock title="In JavaScript, for Node" code={RECEIVER} />
      </Panel>
      <Panel id="body" title="The body">
        <p>
          A webhook that signs its bodies adds <code>signedData</code>, the exact text that was signed, and{' '}
          <code>signature</code>: ECDSA on P-256 with SHA-256, hexadecimal DER. This key verifies it; so does{' '}
          <code>GET /api/hook/publickey</code>.
        </p>
        <CodeBlock title="Public key of the account" code={keys[0]!.publicKeyPem.trim()} />
      </Panel>
    </AccountLayout>
  );
}
