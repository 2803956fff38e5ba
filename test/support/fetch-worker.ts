import { request } from 'node:http';

/** Beyond this a Worker may answer before it has read all of a body. */
const LARGE_BYTES = 256 * 1024;

/**
 * `fetch` to the Worker under test, which listens without the platform in front of it: it may answer a large body by a
 * refusal and close while that is still being sent. The reply counts then, as it would behind the platform; `fetch`
 * knows a broken connection only.
 */
export function fetchWorker(
  url: URL,
  init: { method: string; headers: Record<string, string>; body?: string | Uint8Array; redirect?: 'manual' },
): Promise<Response> {
  const { method, headers, body } = init;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0);
  if (length <= LARGE_BYTES) return fetch(url, init as RequestInit);
  return new Promise((resolve, reject) => {
    const sent = request(url.href, { method, headers: { ...headers, 'Content-Length': length } }, (reply) => {
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
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
