import type { Child } from 'hono/jsx';
import type { Overview } from '../../../domain/overview/get-overview.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { Badge, Panel } from '../parts.tsx';
import { hasSection, sectionPath } from '../sections.ts';
import { useViewer } from '../viewer.ts';

interface GettingStartedProps {
  overview: Overview;
  baseUrl: string;
}

/** Steps to the first pass, for an account without passes. */
export function GettingStarted({ overview, baseUrl }: GettingStartedProps) {
  const { account, privileges } = useViewer();
  const [template] = overview.templates;
  const id = template?.id ?? '<template identifier>';
  const curl = `curl -X POST "${baseUrl}/api/v3/pass?async=false" \\
  -H "Authorization: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"data": {"templateId": "${id}", "userProvidedId": "order-1001"}}'`;
  return (
    <Panel id="start" title="Your first pass">
      <ol class="steps">
        <Step title="Design a template" isDone={template !== undefined}>
          <p>
            A template defines the design and the data of its passes.{' '}
            <a href={sectionPath(account.id, 'templates')}>Templates</a>
          </p>
        </Step>
        <Step title="Create an API key" isDone={overview.hasApiKey}>
          <p>
            Your programs use it to access the account.{' '}
            {hasSection(privileges, 'api-keys') ? (
              <a href={sectionPath(account.id, 'api-keys')}>API keys</a>
            ) : (
              'A member with the privilege “api_keys.manage” can create one.'
            )}
          </p>
        </Step>
        <Step title="Create a pass" isDone={false}>
          <p>
            With the key in <code>$API_KEY</code>. The reply contains <code>downloadPage</code>: open it on a phone.
          </p>
          <CodeBlock title="In a terminal" code={curl} />
        </Step>
      </ol>
    </Panel>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: Child }) {
  return (
    <li>
      <h3>
        {title} {isDone && <Badge tone="good">Done</Badge>}
      </h3>
      {children}
    </li>
  );
}
