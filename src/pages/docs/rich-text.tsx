/** A text of the contract: what stands in backticks becomes code, an empty line starts a paragraph. */
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

/** A text inside a line; what stands in backticks becomes code. */
export function InlineText({ text }: { text: string }) {
  // The parts at odd places are those that the pattern captured.
  return <>{text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}
