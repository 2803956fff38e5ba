import type { InboxRow } from '../table.ts';
import { attachmentsOf, INBOX_PATH, sourceOf } from './item-view.ts';
import { KIND_NAMES, Time } from './item-words.tsx';

/** An item as its recipient would have received it. */
export function InboxItem({ row, backUrl }: { row: InboxRow; backUrl: string }) {
  const { key, kind, recipient, createdAt, details } = row;
  const facts: [string, unknown][] = [
    ['From', details.from],
    ['To', recipient],
    ['Reply to', details.replyTo],
  ];
  return (
    <article class="inbox-item" aria-labelledby="item-title">
      <p class="back">
        <a href={backUrl}>All messages</a>
      </p>
      <div class="inbox-head">
        <h1 id="item-title" class="inbox-title">
          {row.subject || KIND_NAMES[kind]}
        </h1>
        <form method="post" action={`${INBOX_PATH}/delete`}>
          <input type="hidden" name="key" value={String(key)} />
          <button class="button quiet small" type="submit">
            Delete
          </button>
        </form>
      </div>
      <dl class="facts">
        {facts
          .filter(([, value]) => typeof value === 'string')
          .map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        <div>
          <dt>At</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
      </dl>
      {kind === 'email' ? <Email row={row} /> : kind === 'sms' ? <Sms row={row} /> : <Push row={row} />}
    </article>
  );
}

function Email({ row }: { row: InboxRow }) {
  const attachments = attachmentsOf(row);
  const source = sourceOf(row);
  return (
    <>
      {attachments.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {attachments.map(({ filename, bytes, path }) => (
            <li>
              <a href={path} download={filename}>
                {filename}
              </a>{' '}
              <span class="quiet">{sizeText(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      <iframe
        class="mail"
        title="The e-mail as HTML"
        src={`${INBOX_PATH}/${row.key}/mail`}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
      />
      <details class="raw">
        <summary>Plain text</summary>
        <Pre label="Plain text" text={row.text} />
      </details>
      {source && (
        <p class="quiet">
          <a href={source.path}>Source</a> ({sizeText(source.bytes)}, as it would travel)
        </p>
      )}
    </>
  );
}

function Sms({ row }: { row: InboxRow }) {
  const { segments, encoding } = row.details;
  return (
    <div class="thread">
      <p class="bubble">{row.text}</p>
      {typeof segments === 'number' && (
        <p class="quiet">
          {segments} {segments === 1 ? 'part' : 'parts'}, {String(encoding)}
        </p>
      )}
    </div>
  );
}

function Push({ row: { text, details } }: { row: InboxRow }) {
  return (
    <>
      {text !== '' && <p class="push-text">{text}</p>}
      <Pre label="Payload" text={JSON.stringify(details, null, 2)} />
    </>
  );
}

/** A text block that scrolls on its own, also with the keyboard. */
function Pre({ label, text }: { label: string; text: string }) {
  return (
    <figure class="code-block">
      <figcaption>{label}</figcaption>
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KiB`;
}
