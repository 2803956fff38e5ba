/**
 * The Internet as the Worker under test sees it. Every outbound request of the Worker arrives here; it either reaches a
 * server that a test has opened under a made-up name, or nothing.
 */
export class OutsideWorld {
  #origins = new Map<string, string>();

  /** From now on `https://<hostname>` is answered by the server at `origin`; without an origin, by nobody. */
  register(hostname: string, origin?: string): void {
    if (origin) this.#origins.set(hostname, origin);
    else this.#origins.delete(hostname);
  }

  async answer(asked: Request): Promise<Response> {
    // The runtime's class of requests is not that of `fetch`.
    const request = new Request(asked.url, asked);
    const url = new URL(request.url);
    const origin = this.#origins.get(url.hostname);
    if (!origin) return new Response(`${url.hostname} is not open in this test run`, { status: 523 });
    const headers = new Headers(request.headers);
    headers.set('X-Forwarded-Host', url.host);
    const body = request.body ? await request.arrayBuffer() : undefined;
    // A redirect is the Worker's to follow or refuse, never this process's.
    return fetch(new URL(url.pathname + url.search, origin), {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
      signal: request.signal,
    });
  }
}
