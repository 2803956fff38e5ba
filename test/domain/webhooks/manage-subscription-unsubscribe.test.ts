import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import { fanOut } from '../../../src/domain/webhooks/fan-out.ts';
import { deleteSubscription } from '../../../src/domain/webhooks/manage-subscription.ts';
import { listPayloads } from '../../../src/domain/webhooks/pull-payloads.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

test('a pull subscription whose removal failed midway can be removed again, and leaves no payload behind', async () => {
  const { subscription } = await subscribe(ctx, { pullMode: true, event: 'pass_deleted' });
  await recordEvent(ctx, { type: 'pass_deleted', body: { passId: 'one' } as never });
  await fanOut(ctx);
  const trigger = "create trigger stuck before delete on webhook_payloads begin select raise(abort, 'stuck'); end";
  await database.d1.prepare(trigger).run();
  await expect(deleteSubscription(ctx, subscription.id)).rejects.toThrow();
  await database.d1.prepare('drop trigger stuck').run();
  await deleteSubscription(ctx, subscription.id);
  expect(await listPayloads(ctx, { limit: 10 })).toEqual({ payloads: [], total: 0 });
  await expect(deleteSubscription(ctx, subscription.id)).rejects.toMatchObject({ kind: 'not_found' });
});
