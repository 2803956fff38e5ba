/**
 * Converts JSON lines to server-sent events of a type, with the result of `show` as data. Converts blank lines to
 * comments, which keep the connection open.
 */
export function toServerSentEvents(
  type: string,
  show: (line: unknown) => unknown,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const event = line === '' ? ':\n\n' : `event: ${type}\ndata: ${JSON.stringify(show(JSON.parse(line)))}\n\n`;
        controller.enqueue(encoder.encode(event));
      }
    },
  });
}

/** Headers of a reply with server-sent events. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
};
