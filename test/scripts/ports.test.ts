import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checkPort, freePort } from '../../scripts/ports.ts';

test('accepts a port that is free', async () => {
  await expect(checkPort('127.0.0.1', await freePort())).resolves.toBeUndefined();
});

test.each(['127.0.0.1', '0.0.0.0'])('names a port that a program on %s holds, and the way out', async (host) => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(checkPort('127.0.0.1', port)).rejects.toThrow(
    `Port ${port} is taken by another program: stop it, or choose another port, for example PORT=${port + 1} npm start.`,
  );
  server.close();
});

test('names an address that this machine does not have', async () => {
  const port = await freePort();
  await expect(checkPort('192.0.2.1', port)).rejects.toThrow(
    `Cannot listen on 192.0.2.1, port ${port} (EADDRNOTAVAIL)`,
  );
});
