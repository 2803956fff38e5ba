import { Agent, request } from 'node:http';

/** With a body larger than this, a Worker may answer before it has read everything. */
const LARGE_BYTES = 64 * 1024;
/** The address of callers. The Worker under test would add the same, but must copy each request for that. */
const LOCAL = { 'CF-Connecting-IP': '127.0.0.1' };
/** Headers that `fetch` sends. */
const OF_FETCH = { Accept: '*/*', 'Accept-Language': '*', 'Sec-Fetch-Mode': 'cors', 'User-Agent': 'node' };
/** Keeps connections for less time than workerd does; see `short-keep-alive.ts`. */
const KEPT = new Agent({ keepAlive: true, timeout: 1_500 });

/**
 * `fetch` for the Worker under test, which runs without the platform in front: it may reject a large body and close the
 * connection during the upload. As behind the platform, that reply counts, although `fetch` only sees a broken
 * connection. Without redirects to follow, it uses `node:http`, which takes half the time.
 */
export function fetchWorker(
  url: URL,
  init: { method: string; headers: Record<string, string>; body?: string | Uint8Array; redirect?: 'manual' },
): Promise<Response> {
  const { body } = init;
  const sent = { ...init, headers: { ...LOCAL, ...init.headers } };
  const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0);
  if (length > LARGE_BYTES) return fetchLarge(url, sent, length);
  const reply =
    init.redirect === 'manual'
      ? exchange(url, { ...sent, headers: { ...OF_FETCH, ...sent.headers } }, length, KEPT)
      : fetch(url, sent as RequestInit);
  return reply.catch((error: unknown) => {
    // The Worker closed a kept-alive connection before reading this request.
    if (CLOSED.includes(codeOf(error))) return fetchAfresh(url, sent, length);
    throw error;
  });
}

/** Returns the code of a system error, or of an error of `fetch`. */
function codeOf(error: unknown): string {
  const failed = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return String((failed as NodeJS.ErrnoException).code);
}

const ATTEMPTS_MAX = 5;
/**
 * Codes when the Worker has closed the connection and its unread reply was lost. The code depends on what came first:
 * the end of the connection, or the system's answer to more data.
 */
const CLOSED = ['UND_ERR_SOCKET', 'EPIPE', 'ECONNRESET'];

/** A request rejected before it was read had no effect, so repeat it until the rejection arrives completely. */
async function fetchLarge(...sent: Parameters<typeof fetchAfresh>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchAfresh(...sent);
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !CLOSED.includes(codeOf(error))) throw error;
    }
  }
}

type Sent = Parameters<typeof fetchWorker>[1];

/** Uses a new connection. What arrived before it broke counts. */
function fetchAfresh(url: URL, sent: Sent, length: number): Promise<Response> {
  return exchange(url, sent, length, false);
}

function exchange(url: URL, { method, headers, body }: Sent, length: number, agent: Agent | false): Promise<Response> {
  const size = body === undefined && /^(GET|HEAD|DELETE)$/.test(method) ? {} : { 'Content-Length': length };
  return new Promise((resolve, reject) => {
    const sent = request(url.href, { method, agent, headers: { ...headers, ...size } }, (reply) => {
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
      reply.on('error', agent ? reject : end);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
