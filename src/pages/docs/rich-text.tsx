/** A text of the OpenAPI document. Backticks mark code, an empty line starts a paragraph. */
export function RichText({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((paragraph) => (
        <p>
          <InlineText text={paragraph} />
        </p>
      ))}
    </>
  );
}

/** An inline text. Backticks mark code. */
export function InlineText({ text }: { text: string }) {
  // Captured texts are at odd positions.
  return <>{text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}
