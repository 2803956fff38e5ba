import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { smokeTest } from '../../scripts/deploy/smoke-test.ts';
import { memoryD1 } from '../support/memory-d1.ts';

/** Starts a deployment that rejects every request, and returns it with its directory. */
async function refusing() {
  const server = createServer((_, reply) => reply.writeHead(403).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...memoryD1() };
}

const accountsIn = ({ database }: Pick<ReturnType<typeof memoryD1>, 'database'>) =>
  database.prepare('select count(*) as n from accounts').get();

test('reports which step failed, and leaves no account', async () => {
  const { address, d1, database } = await refusing();
  await expect(smokeTest(address, d1 as unknown as D1Database)).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 0 });
});

test('also reports it if its account cannot be deleted; the next run deletes that', async () => {
  const { address, d1, database } = await refusing();
  const run = () => smokeTest(address, d1 as unknown as D1Database);
  database.exec("create trigger stuck before delete on accounts begin select raise(abort, 'stuck'); end");
  await expect(run()).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 1 });
  database.exec('drop trigger stuck');
  await expect(run()).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 0 });
});
