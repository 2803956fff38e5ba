import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { attempt } from '../../../src/domain/webhooks/attempt.ts';
import type { ClaimedDelivery } from '../../../src/domain/webhooks/claim.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());
afterEach(() => vi.unstubAllGlobals());

const KB = 1_024;

/** Attempts a delivery to a receiver with an endless answer, and returns how much was read. */
async function endless(status: number) {
  let read = 0;
  vi.stubGlobal('fetch', async () => {
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          read += KB;
          controller.enqueue(new Uint8Array(KB).fill(0x61));
          if (read > 10_000 * KB) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status });
  });
  const ctx = await database.accountContext();
  const target_url = 'https://receiver.example.com/';
  const { subscription } = await subscribe(ctx, { target_url, event: 'pass_created' });
  const event = { id: 'event', type: 'pass_created', body: '{}', createdAt: 1 };
  const claimed: ClaimedDelivery = { subscription, event, leaseUntilAt: 1, attemptCount: 0, attempts: [] };
  return { result: await attempt(ctx, claimed, undefined), read };
}

test('no more than 64 KB of an answer are read, and 200 characters of a rejection stored', async () => {
  const refused = await endless(500);
  expect(refused.result).toMatchObject({ outcome: 'status_500', status: 500, answer: 'a'.repeat(200) });
  const delivered = await endless(200);
  expect(delivered.result).toMatchObject({ outcome: 'delivered', status: 200 });
  for (const { read } of [refused, delivered]) expect(read).toBeLessThanOrEqual(66 * KB);
});
