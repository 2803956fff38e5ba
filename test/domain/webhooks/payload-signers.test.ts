import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const quiet = <C extends Context>(ctx: C): C => ({ ...ctx, env: { ...ctx.env, WEBHOOKS: queueTo() } });

/** Creates an account that subscribes to signed payloads, with a pending event. */
async function asking(name: string): Promise<AccountContext> {
  const ctx = quiet(await database.accountContext());
  await subscribe(ctx, { target_url: `https://${name}.example.com`, event: 'pass_deleted', signPayload: true });
  await recordEvent(ctx, { type: 'pass_deleted', body: { passId: name } as never });
  return ctx;
}

test('an account whose signing key cannot be decrypted gets nothing, and delays no other', async () => {
  const [broken] = [await asking('broken'), await asking('sound')];
  await database.d1
    .prepare("update signing_keys set private_key_sealed = 'v1.damaged' where account_id = ?")
    .bind(broken.account.id)
    .run();
  const told: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    told.push(new URL(url).hostname);
    return new Response('');
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await deliver(quiet(database.context()), [{ type: 'fan-out-events', accountId: '' }]);
  expect(told).toEqual(['sound.example.com']);
  const { results } = await database.d1
    .prepare("select attempts ->> '$[0].outcome' as outcome from event_deliveries order by outcome")
    .all();
  expect(results).toEqual([{ outcome: 'delivered' }, { outcome: 'not_signed' }]);
});
