/**
 * The internet for the Worker under test. Every outbound request of the Worker arrives here, and reaches either a
 * server that a test opened under a made-up name, or nothing.
 */
export class OutsideWorld {
  #origins = new Map<string, string>();

  /** From now on, the server at `origin` answers `https://<hostname>`; without an origin, nobody does. */
  register(hostname: string, origin?: string): void {
    if (origin) this.#origins.set(hostname, origin);
    else this.#origins.delete(hostname);
  }

  async answer(asked: Request): Promise<Response> {
    // The runtime's request class differs from that of `fetch`.
    const request = new Request(asked.url, asked);
    const url = new URL(request.url);
    const origin = this.#origins.get(url.hostname);
    if (!origin) return new Response(`${url.hostname} is not open in this test run`, { status: 523 });
    const headers = new Headers(request.headers);
    headers.set('X-Forwarded-Host', url.host);
    const body = request.body ? await request.arrayBuffer() : undefined;
    // The Worker must follow or reject redirects, not this process.
    return fetch(new URL(url.pathname + url.search, origin), {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
      signal: request.signal,
    });
  }
}
