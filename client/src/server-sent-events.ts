/** An event of a stream, for example of `watchProcess`. */
export interface StreamEvent<Data = unknown> {
  type: string;
  data: Data;
}

/** Yields the server-sent events of a reply. Their data is JSON. */
export async function* readEvents<Data = unknown>(response: Response): AsyncGenerator<StreamEvent<Data>> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = fieldsOf(block, 'data').join('\n');
        if (data) yield { type: fieldsOf(block, 'event')[0] ?? 'message', data: JSON.parse(data) as Data };
      }
    }
  } finally {
    await reader.cancel();
  }
}

function fieldsOf(block: string, name: string): string[] {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).replace(/^ /, ''));
}
