/** A call in a batch request to Google. */
export interface BatchedCall {
  method: string;
  /** Path and query. */
  path: string;
  body: string;
}

export interface BatchedReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const PART =
  /^Content-Type: application\/http\r\n(?:.+\r\n)*?Content-ID: <(.+)>\r\n\r\n(GET|POST|PUT|PATCH) (\S+) HTTP\/1\.1\r\ncontent-type: application\/json\r\n\r\n(.*)\r\n/;

function partsOf(contentType: string, text: string): { id: string; call: BatchedCall }[] | undefined {
  const [, boundary] = /^multipart\/mixed; boundary=(\S+)$/.exec(contentType) ?? [];
  if (!boundary || !text.endsWith(`\r\n--${boundary}--\r\n`)) return undefined;
  const parts = text.split(`--${boundary}\r\n`).slice(1);
  const found = parts.flatMap((part) => {
    const [, id, method, path, body] = (PART.exec(part) ?? []) as unknown as string[];
    return id === undefined ? [] : [{ id, call: { method: method!, path: path!, body: body! } }];
  });
  return found.length === parts.length ? found : undefined;
}

/**
 * Answers the calls of a batch request one after the other. Returns the replies in the reverse order, as Google may.
 */
export async function answerBatch(
  contentType: string,
  text: string,
  answer: (call: BatchedCall) => BatchedReply | Promise<BatchedReply>,
): Promise<BatchedReply> {
  const parts = partsOf(contentType, text);
  if (!parts) return { status: 400, headers: {}, body: 'not a batch' };
  const answered: string[] = [];
  for (const { id, call } of parts) {
    const { status, headers, body } = await answer(call);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `Content-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\n`;
    answered.push(`--batch_reply\r\n${head}HTTP/1.1 ${status} Reason\r\n${lines.join('')}\r\n${body}\r\n`);
  }
  return {
    status: 200,
    headers: { 'Content-Type': 'multipart/mixed; boundary=batch_reply' },
    body: `${answered.reverse().join('')}--batch_reply--\r\n`,
  };
}

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/** Returns a `fetch` that answers the calls of batch requests to Google like single calls. */
export function answeringBatches(answer: Answer): Answer {
  return async (url, init) => {
    if (url !== 'https://walletobjects.googleapis.com/batch') return answer(url, init);
    const { authorization, 'content-type': contentType } = init.headers as Record<string, string>;
    const reply = await answerBatch(contentType!, String(init.body), async ({ method, path, body }) => {
      const headers = { authorization: authorization!, 'content-type': 'application/json' };
      const single = await answer(new URL(path, url).href, { ...init, method, headers, body });
      return { status: single.status, headers: Object.fromEntries(single.headers), body: await single.text() };
    });
    return new Response(reply.body, { status: reply.status, headers: reply.headers });
  };
}
