import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { control, eventually } from './control.ts';

/** A request from the Worker to an outside server. */
export interface OutsideRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

export interface OutsideReply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Closes the connection instead of answering. */
  breaks?: boolean;
  /** Never answers. */
  hangs?: boolean;
}

/** An outside server that the Worker under test reaches under a public name. */
export interface OutsideServer {
  /** `https://<random name>`, without a trailing slash. */
  origin: string;
  /** Address it listens on, for registering more names. */
  address: string;
  /** Requests from the Worker so far, oldest first. */
  requests: OutsideRequest[];
  /** Waits for `count` matching requests and returns them; fails at the deadline. */
  received(count?: number, matches?: (request: OutsideRequest) => boolean): Promise<OutsideRequest[]>;
  close(): Promise<void>;
}

export type Answer = (request: OutsideRequest) => OutsideReply | Promise<OutsideReply>;

/** Opens an outside server. `answer` decides each reply; the default is an empty 200. */
export async function openOutsideServer(answer: Answer = () => ({})): Promise<OutsideServer> {
  const server = await openServer(answer);
  const hostname = `${randomBytes(6).toString('hex')}.example.com`;
  await control('registerHost', { hostname, origin: server.address });
  return {
    ...server,
    origin: `https://${hostname}`,
    async close() {
      await control('registerHost', { hostname });
      await server.close();
    },
  };
}

/** Opens a server for code in the test's own process, which reaches it by its address. */
export async function openServer(answer: Answer): Promise<OutsideServer> {
  const requests: OutsideRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming).catch(() => undefined);
    // The client disconnected midway, so the request doesn't count.
    if (!body) return;
    const request: OutsideRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body,
      at: Date.now(),
    };
    requests.push(request);
    send(response, await answer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: address,
    address,
    requests,
    received: (count = 1, matches = () => true) =>
      eventually(() => {
        const found = requests.filter(matches);
        return found.length >= count && found.slice(0, count);
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '', breaks, hangs }: OutsideReply): void {
  if (hangs) return;
  if (breaks) {
    response.destroy();
    return;
  }
  response.writeHead(status, headers).end(body);
}
