import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { smokeTest } from '../../scripts/deploy/smoke-test.ts';
import worker from '../../src/index.ts';
import type { Env } from '../../src/platform/env.ts';
import { memoryD1 } from '../support/memory-d1.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/** Starts a deployment that rejects every request, and returns it with its directory. */
async function refusing() {
  const server = createServer((_, reply) => reply.writeHead(403).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...memoryD1() };
}

type LocalD1 = ReturnType<typeof memoryD1>['d1'];
const boundTo = (DB: LocalD1, others: Record<string, LocalD1> = {}) =>
  new Map(Object.entries({ DB, ...others })) as ReadonlyMap<string, unknown> as ReadonlyMap<string, D1Database>;

/** Starts the Worker over two databases, `DB_1` closed for new accounts. */
async function deployed() {
  const service = new ServiceInProcess();
  vi.useRealTimers();
  const [first, second] = [memoryD1(), memoryD1()];
  const env = { ...service.env, BASE_URL: '', DB: first.d1, DB_1: second.d1 } as unknown as Env;
  const execution = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
  const server = createServer(async (asked, reply) => {
    const { method, url, headers } = asked;
    const body = await buffer(asked);
    const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) };
    const replied = await worker.fetch(new Request(`http://${headers.host}${url}`, init) as never, env, execution);
    reply.writeHead(replied.status, Object.fromEntries(replied.headers));
    reply.end(Buffer.from(await replied.arrayBuffer()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    service.close();
  });
  first.database.exec("insert into databases (name, is_open, added_at) values ('DB_1', 0, 1)");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, first, second, run: () => smokeTest(address, boundTo(first.d1, { DB_1: second.d1 })) };
}

test('creates a pass in each database that the service uses, and leaves no account', async () => {
  const { first, second, run } = await deployed();
  expect(await run()).toEqual({ databases: ['DB', 'DB_1'], hasPassFile: false });
  for (const { database } of [first, second]) {
    expect(accountsIn({ database })).toEqual({ n: 0 });
    expect(database.prepare('select count(*) as n from account_deletions').get()).toEqual({ n: 1 });
  }
});

test('names the database in which a pass cannot be created', async () => {
  const { second, run } = await deployed();
  second.database.exec("create trigger full before insert on passes begin select raise(abort, 'full'); end");
  await expect(run()).rejects.toThrow(/^DB_1: The service answered 500/);
  expect(accountsIn(second)).toEqual({ n: 0 });
});

const accountsIn = ({ database }: Pick<ReturnType<typeof memoryD1>, 'database'>) =>
  database.prepare('select count(*) as n from accounts').get();

test('reports which step failed, and leaves no account', async () => {
  const { address, d1, database } = await refusing();
  await expect(smokeTest(address, boundTo(d1))).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 0 });
});

test('also reports it if its account cannot be deleted; the next run deletes that', async () => {
  const { address, d1, database } = await refusing();
  const run = () => smokeTest(address, boundTo(d1));
  database.exec("create trigger stuck before delete on accounts begin select raise(abort, 'stuck'); end");
  await expect(run()).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 1 });
  database.exec('drop trigger stuck');
  await expect(run()).rejects.toThrow(/403/);
  expect(accountsIn({ database })).toEqual({ n: 0 });
});
