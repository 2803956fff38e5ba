import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Problem } from './settings.ts';

/** Throws a `Problem` when the service cannot listen on this address and port. */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await tryPort(host, port);
  if (code === undefined) return;
  if (code === 'EADDRINUSE') {
    throw new Problem(`Port ${port} is taken by another program: stop it, or choose another port, for example PORT=${port + 1} npm start.`);
  }
  if (code === 'EACCES') {
    throw new Problem(`Your user may not listen on port ${port}: choose one above 1023, for example PORT=8787 npm start.`);
  }
  throw new Problem(`Cannot listen on ${host} port ${port} (${code}): choose another address with HOST.`);
}

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Listens for a moment; the error's code when that fails. */
async function tryPort(host: string, port: number): Promise<string | undefined> {
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
