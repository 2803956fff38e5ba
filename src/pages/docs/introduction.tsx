import type { Child } from 'hono/jsx';
import { CodeBlock, JsonBlock } from './code-block.tsx';

export interface IntroductionProps {
  /** Origin for the example requests. */
  baseUrl: string;
  /** Requests per minute for one key. */
  requestsPerMinute: string;
}

interface Chapter {
  /** Anchor. */
  id: string;
  title: string;
  Body: (props: IntroductionProps) => Child;
}

/** General chapters, in the order that newcomers need. */
export const CHAPTERS: Chapter[] = [
  { id: 'authentication', title: 'Authentication', Body: Authentication },
  { id: 'versions', title: 'Versions and formats', Body: Versions },
  { id: 'errors', title: 'Errors', Body: Errors },
  { id: 'idempotency', title: 'Idempotency', Body: Idempotency },
  { id: 'rate-limits', title: 'Rate limits', Body: RateLimits },
  { id: 'bookmarks', title: 'Reading your writes', Body: Bookmarks },
  { id: 'request-ids', title: 'Request IDs', Body: RequestIds },
  { id: 'assistants', title: 'Assistants', Body: Assistants },
];

/** The chapters before the first operation. */
export function Introduction(props: IntroductionProps) {
  return (
    <>
      {CHAPTERS.map(({ id, title, Body }) => (
        <section class="chapter" id={id} aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>
            <a href={`#${id}`}>{title}</a>
          </h2>
          <Body {...props} />
        </section>
      ))}
    </>
  );
}

function Authentication({ baseUrl }: IntroductionProps) {
  return (
    <>
      <div class="told">
        <p>
          Every request carries an API key in the header <code>Authorization</code>, alone or after the word{' '}
          <code>Bearer</code>. A key belongs to one account and reaches only its data. Data of other accounts behaves as
          if it did not exist.
        </p>
        <p>
          A key that is missing, unknown, deactivated, expired or deleted gets <code>401</code>. Deactivating a key
          takes effect on the very next request.
        </p>
        <p>
          A key has scopes. A request that needs another scope gets a <code>403</code> that names the scope. Each
          operation on this page shows its scope. A <code>:write</code> scope includes the <code>:read</code> scope of
          the same resource.
        </p>
        <p>
          A key can be restricted to templates: other templates, and everything that belongs to them, then behave as if
          they did not exist. It can also be restricted to IP addresses: requests from others get <code>403</code>.
          After a rotation, the old value works for a time that you choose.
        </p>
        <p>
          The examples on this page read the key from the shell variable <code>API_KEY</code>. Replace{' '}
          <code>$TEMPLATE_ID</code> and the other variables with your values.
        </p>
      </div>
      <div class="shown">
        <CodeBlock
          title="First request"
          code={`export API_KEY='pk_…'\ncurl "${baseUrl}/api/pass-template" \\\n  -H "Authorization: $API_KEY"`}
        />
      </div>
    </>
  );
}

function Versions() {
  return (
    <div class="told">
      <p>
        The API has three versions: version 1 under <code>/api</code>, version 2 under <code>/api/v2</code> and version
        3 under <code>/api/v3</code>. Version 1 replies with bare JSON; versions 2 and 3 wrap it in an envelope with{' '}
        <code>success</code>, <code>description</code>, <code>errors</code>, <code>data</code> and{' '}
        <code>statusCode</code>.
      </p>
      <p>
        Bodies are JSON objects of at most 1 MiB. Fields that the service does not know are ignored; a field of the
        wrong type gets an error that names it. A path can name a pass by its identifier, <code>userProvidedId</code>,
        barcode value or <code>generatedId</code>.
      </p>
      <p>
        Dates without a zone, such as <code>2027-01-31 23:59</code>, are in the time zone of the account. Dates of a
        pass are in that of its template, if it has one.
      </p>
    </div>
  );
}

const EXAMPLE_ERROR = 'expirationDate: must look like 2026-12-24 09:10';

function Errors() {
  const envelope = { success: false, description: EXAMPLE_ERROR, errors: [EXAMPLE_ERROR], data: [], statusCode: 400 };
  return (
    <>
      <div class="told">
        <p>
          The status shows the kind of error, and the body contains the message. Each version uses one format for all
          errors, including an unknown path (<code>404</code>), an unsupported method (<code>405</code>), a body that is
          too large (<code>413</code>) or not JSON (<code>415</code>).
        </p>
        <p>
          A <code>500</code> is a server error. Its message contains only the <a href="#request-ids">request ID</a>.
          Repeat the request, or report the ID.
        </p>
      </div>
      <div class="shown">
        <JsonBlock title="Version 1" value={{ ErrorMessage: EXAMPLE_ERROR }} />
        <JsonBlock title="Version 2" value={envelope} />
        <JsonBlock title="Version 3" value={{ ...envelope, count: 0, responseMetaData: null }} />
      </div>
    </>
  );
}

function Idempotency() {
  return (
    <>
      <div class="told">
        <p>
          If a connection breaks, you can’t know whether the request arrived. Send each <code>POST</code> with an{' '}
          <code>Idempotency-Key</code> of your choice (up to 255 characters) and repeat it: within 24 hours, the same
          request with the same key gets the stored reply, marked with <code>Idempotent-Replayed: true</code>.
        </p>
        <ul>
          <li>
            The same key with a different request: <code>422</code>.
          </li>
          <li>
            The same key while the first request is still running: <code>409</code>.
          </li>
          <li>
            A request that ended with <code>500</code> or above is not stored and runs again. If it took effect, the
            repeat gets the same resource or process and does not create a second one.
          </li>
        </ul>
      </div>
      <div class="shown">
        <CodeBlock title="Header of a request" code="Idempotency-Key: order-4711-pass-1" />
      </div>
    </>
  );
}

function RateLimits({ requestsPerMinute }: IntroductionProps) {
  return (
    <>
      <div class="told">
        <p>
          Each key can make {requestsPerMinute} requests per minute. Every authenticated reply names the policy in{' '}
          <code>RateLimit-Policy</code>: <code>q</code> is the quota, <code>w</code> its window in seconds. Requests
          beyond the quota get <code>429</code>, and <code>Retry-After</code> contains the number of seconds to wait.
        </p>
      </div>
      <div class="shown">
        <CodeBlock
          title="Headers of a `429` reply"
          code={`RateLimit-Policy: "default";q=${requestsPerMinute};w=60\nRateLimit: "default";r=0;t=60\nRetry-After: 60`}
        />
      </div>
    </>
  );
}

function Bookmarks() {
  return (
    <>
      <div class="told">
        <p>
          Every authenticated reply carries <code>X-D1-Bookmark</code>, a bookmark of its state. Send it with the next
          request, which then sees at least this state, even from a replica of the database. Without a bookmark, reads
          go to the primary database.
        </p>
      </div>
      <div class="shown">
        <CodeBlock
          title="Header of a reply, and of the next request"
          code="X-D1-Bookmark: 00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683"
        />
      </div>
    </>
  );
}

function RequestIds() {
  return (
    <>
      <div class="told">
        <p>
          Every reply carries <code>X-Request-Id</code>, which the service also logs. Include it when you report a
          problem.
        </p>
      </div>
      <div class="shown">
        <CodeBlock title="Header of a reply" code="X-Request-Id: 7f9c24e8-3b0a-4f0e-9a52-6c1d6f0b7a11" />
      </div>
    </>
  );
}

function Assistants({ baseUrl }: IntroductionProps) {
  return (
    <>
      <div class="told">
        <p>
          <code>{baseUrl}/mcp</code> is a Model Context Protocol server (Streamable HTTP). It lets assistants such as
          Claude Code, Cursor and GitHub Copilot list templates, create, find, change and void passes, send pushes,
          record scans and look at webhooks. The API key is the bearer token, and each call is a request of the API.
        </p>
        <p>
          The assistant sees only the tools that its key may call. Create a key with few scopes for it. A bulk change is
          a dry run unless <code>dryRun</code> is <code>false</code>, and no tool deletes anything permanently.
        </p>
      </div>
      <div class="shown">
        <CodeBlock
          title="Connect Claude Code"
          code={`claude mcp add --transport http pass-wallet \\\n  "${baseUrl}/mcp" \\\n  --header "Authorization: Bearer $API_KEY"`}
        />
        <CodeBlock title=".cursor/mcp.json" code={JSON.stringify(cursorConfiguration(baseUrl), null, 2)} />
      </div>
    </>
  );
}

const cursorConfiguration = (baseUrl: string) => ({
  mcpServers: {
    'pass-wallet': { url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer \${env:API_KEY}` } },
  },
});
