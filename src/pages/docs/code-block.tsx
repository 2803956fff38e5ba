import type { Child } from 'hono/jsx';
import { InlineText } from './rich-text.tsx';

/** A titled block of code. It can be scrolled by keyboard, and the script adds a copy button. */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  return <Block title={title}>{code}</Block>;
}

/** A JSON value as a block of code with highlighted member names. */
export function JsonBlock({ title, value }: { title: string; value: unknown }) {
  const parts = JSON.stringify(value, null, 2).split(/^( *"(?:[^"\\\n]|\\.)*")(?=:)/m);
  // Captured names are at odd positions.
  return <Block title={title}>{parts.map((part, i) => (i % 2 === 1 ? <b>{part}</b> : part))}</Block>;
}

function Block({ title, children }: { title: string; children: Child }) {
  return (
    <figure class="code-block">
      <figcaption>
        <InlineText text={title} />
      </figcaption>
      <pre tabindex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}
