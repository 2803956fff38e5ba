import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local receiver that counts requests and answers each with an empty 200. */
export interface Receiver {
  origin: string;
  /** Resolves when `count` requests have been answered since `begin`. */
  received(count: number): Promise<void>;
  /** Resets the count; from now on `onRequest` is called for each request. */
  begin(onRequest?: (webhookId: string) => void): void;
  close(): void;
}

export async function openReceiver(): Promise<Receiver> {
  let seen = 0;
  let told: ((webhookId: string) => void) | undefined;
  let wanted = { count: Number.POSITIVE_INFINITY, resolve: () => {} };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.end();
      seen += 1;
      told?.(String(request.headers['webhook-id']));
      if (seen >= wanted.count) wanted.resolve();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin(onRequest) {
      seen = 0;
      told = onRequest;
      wanted = { count: Number.POSITIVE_INFINITY, resolve: () => {} };
    },
    received(count) {
      if (seen >= count) return Promise.resolve();
      return new Promise((resolve) => {
        wanted = { count, resolve };
      });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
