import { request } from 'node:http';

/** Beyond this a Worker may answer before it has read all of a body. */
const LARGE_BYTES = 64 * 1024;

/**
 * `fetch` to the Worker under test, which listens without the platform in front of it: it may answer a large body by a
 * refusal and close while that is still being sent. The reply counts then, as it would behind the platform; `fetch`
 * knows a broken connection only.
 */
export function fetchWorker(
  url: URL,
  init: { method: string; headers: Record<string, string>; body?: string | Uint8Array; redirect?: 'manual' },
): Promise<Response> {
  const { body } = init;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0);
  if (length > LARGE_BYTES) return fetchLarge(url, init, length);
  return fetch(url, init as RequestInit).catch((error: unknown) => {
    // A connection that was kept, and that the Worker closed before it had read this request.
    if (CLOSED.includes(codeOf(error))) return fetchAfresh(url, init, length);
    throw error;
  });
}

/** The code of an error of the system, or of `fetch`. */
function codeOf(error: unknown): string {
  const failed = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return String((failed as NodeJS.ErrnoException).code);
}

const ATTEMPTS_MAX = 5;
/**
 * The Worker has closed the connection, and the reply went with it, if it was not read before. Which of them it is
 * depends on what arrived first: the end of the connection, or the answer of the system to more data.
 */
const CLOSED = ['UND_ERR_SOCKET', 'EPIPE', 'ECONNRESET'];

/** What is refused before it is read has done nothing, so it is sent again until its refusal arrives in one piece. */
async function fetchLarge(...sent: Parameters<typeof fetchAfresh>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchAfresh(...sent);
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !CLOSED.includes(codeOf(error))) throw error;
    }
  }
}

/** By a connection of its own. */
function fetchAfresh(
  url: URL,
  { method, headers, body }: Parameters<typeof fetchWorker>[1],
  length: number,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url.href,
      { method, agent: false, headers: { ...headers, 'Content-Length': length } },
      (reply) => {
        const chunks: Buffer[] = [];
        const end = () => {
          const told = Object.entries(reply.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          const status = reply.statusCode!;
          const content = [101, 204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
          resolve(new Response(content, { status, headers: told }));
        };
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', end);
        reply.on('error', end);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
