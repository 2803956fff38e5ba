/**
 * The Internet as the Worker under test sees it. The harness passes every outbound request of the Worker to this
 * process's `fetch`; here it either reaches a server that a test has opened under a made-up name, or nothing.
 */
export class OutsideWorld {
  #fetch = globalThis.fetch;
  #origins = new Map<string, string>();

  /** Puts an outside world in the place of this process's `fetch`. */
  static replaceFetch(): OutsideWorld {
    const world = new OutsideWorld();
    globalThis.fetch = (input, init) => world.#answer(new Request(input, init));
    return world;
  }

  restoreFetch(): void {
    globalThis.fetch = this.#fetch;
  }

  /** From now on `https://<hostname>` is answered by the server at `origin`; without an origin, by nobody. */
  register(hostname: string, origin?: string): void {
    if (origin) this.#origins.set(hostname, origin);
    else this.#origins.delete(hostname);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const origin = this.#origins.get(url.hostname);
    if (!origin) return new Response(`${url.hostname} is not open in this test run`, { status: 523 });
    const headers = new Headers(request.headers);
    headers.set('X-Forwarded-Host', url.host);
    const body = request.body ? await request.arrayBuffer() : undefined;
    // A redirect is the Worker's to follow or refuse, never this process's.
    return this.#fetch(new URL(url.pathname + url.search, origin), {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
      signal: request.signal,
    });
  }
}
