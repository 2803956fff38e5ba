import type { Child } from 'hono/jsx';
import { InlineText } from './rich-text.tsx';

/**
 * A block of code under its title. It can be scrolled by keyboard, and the reference's script gives it a copy button.
 */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  return <Block title={title}>{code}</Block>;
}

/** A JSON value as a block of code, its member names set apart. */
export function JsonBlock({ title, value }: { title: string; value: unknown }) {
  const parts = JSON.stringify(value, null, 2).split(/^( *"(?:[^"\\\n]|\\.)*")(?=:)/m);
  // The parts at odd places are the names that the pattern captured.
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
