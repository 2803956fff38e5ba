import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range of outgoing connections, which might take the port first. */
const FIRST = 15_000;
const COUNT = 15_000;

/** Returns a free port of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + randomInt(COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
