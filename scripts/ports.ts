import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Problem } from './settings.ts';

const CONNECT_MS_MAX = 1_000;
const LOOPBACKS = ['127.0.0.1', '::1'];

/**
 * Throws a `Problem` when the service cannot listen on this address and port, or when another program answers there
 * under `localhost`.
 */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await listenError(host, port);
  const answered = await Promise.all(LOOPBACKS.map((address) => isAnswered(address, port)));
  if (code === 'EADDRINUSE' || answered.includes(true)) {
    throw new Problem(
      `Port ${port} is taken by another program: stop it, or choose another port, for example PORT=${port + 1} npm start.`,
    );
  }
  if (code === 'EACCES') {
    throw new Problem(
      `Your user may not listen on port ${port}: choose one above 1023, for example PORT=8787 npm start.`,
    );
  }
  if (code) throw new Problem(`Cannot listen on ${host}, port ${port} (${code}): choose another address with HOST.`);
}

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACKS[0]);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Listens for a moment; the error's code when that fails. */
async function listenError(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
  server.close();
  await once(server, 'close');
  return undefined;
}

/** Some systems let two programs listen on one port at addresses that overlap; then only a connection tells. */
async function isAnswered(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const answered = once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS_MAX) });
  return answered
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
