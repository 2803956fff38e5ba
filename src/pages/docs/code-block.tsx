import { InlineText } from './rich-text.tsx';

/** A block of code under its title. It can be scrolled by keyboard, and the page's script gives it a copy button. */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  return (
    <figure class="code-block">
      <figcaption>
        <InlineText text={title} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls a region by focussing it (WCAG 2.1.1) */}
      <pre tabindex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

/** A JSON value as a block of code, its member names set apart. */
export function JsonBlock({ title, value }: { title: string; value: unknown }) {
  const lines = JSON.stringify(value, null, 2).split(/^(\s*"(?:[^"\\]|\\.)*")(?=:)/m);
  return (
    <figure class="code-block">
      <figcaption>
        <InlineText text={title} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls a region by focussing it (WCAG 2.1.1) */}
      <pre tabindex={0}>
        <code>{lines.map((part, i) => (i % 2 === 1 ? <b>{part}</b> : part))}</code>
      </pre>
    </figure>
  );
}
