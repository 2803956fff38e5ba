import { afterEach, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually, runScheduled, sendDeliveryJobs, skippableLimits } from '../support/control.ts';
import { type OutsideReply, type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { deliveriesOf, deliveriesWhen, hurry, subscribed, timesTold, told } from '../support/webhooks.ts';

/*
 * Faults between a change and its receivers. In each case, every event is delivered at least once, duplicates have the
 * same `webhook-id`, and none reaches another account. See webhook-restart.test.ts for a Worker
 * that is killed, and test/faults/webhook-deliveries.test.ts for faults in random order.
 */

/** An attempt's time limit, and what it may take longer. */
const ATTEMPT_MILLIS_MAX = 10_250;

const servers: OutsideServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function receiver(answer?: (turn: number) => OutsideReply | Promise<OutsideReply>): Promise<OutsideServer> {
  let turn = 0;
  const server = await openOutsideServer(answer && (() => answer(turn++)));
  servers.push(server);
  return server;
}

interface Scene {
  client: Client;
  templateId: string;
  identifier: string;
  server: OutsideServer;
}

/** Creates an account that subscribes to `pass_created` at a receiver. */
async function scene(server: OutsideServer, options: Record<string, unknown> = { retryEnabled: true }): Promise<Scene> {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const { identifier } = await subscribed(client, `${server.origin}/hook`, options);
  return { client, templateId, identifier, server };
}

/** Creates passes and returns their identifiers. */
async function create({ client, templateId }: Scene, count: number): Promise<string[]> {
  const passes = await Promise.all(Array.from({ length: count }, () => client.createPass(templateId)));
  return passes.map(({ identifier }) => identifier);
}

const allDelivered = ({ client, identifier }: Scene, count: number) =>
  deliveriesWhen(
    client,
    identifier,
    (list) => list.length === count && list.every(({ state }) => state === 'delivered'),
  );

describe('the queue', () => {
  test('delivers every message twice, and more', async () => {
    const one = await scene(await receiver());
    const deliveryJobs = [
      { type: 'fan-out-events' as const },
      { type: 'deliver-webhooks' as const, subscriptionId: one.identifier },
    ];
    const created = create(one, 30);
    for (let i = 0; i < 20; i++) await sendDeliveryJobs([...deliveryJobs, ...deliveryJobs], one.client);
    const ids = await created;
    await allDelivered(one, 30);
    await sendDeliveryJobs([...deliveryJobs, ...deliveryJobs], one.client);
    expect(timesTold(one.server)).toEqual(new Map(ids.map((id) => [id, 1])));
  });

  test('loses messages: the cron finds their work', async () => {
    const one = await scene(await receiver());
    const [id] = await create(one, 1);
    await allDelivered(one, 1);
    // The state after a lost message: an event that awaits its fan-out, and a delivery that was claimed and never
    // attempted.
    const [event] = await d1<{ id: string }>('select id from account_events where pass_id = ?', [id!]);
    await d1('delete from event_deliveries where event_id = ?', [event!.id]);
    await d1('update account_events set pending = 1 where id = ?', [event!.id]);
    await runScheduled();
    await one.server.received(2);
    await d1("update event_deliveries set state = 'waiting', next_attempt_at = 1 where event_id = ?", [event!.id]);
    await runScheduled();
    await one.server.received(3);
    expect(timesTold(one.server)).toEqual(new Map([[id!, 3]]));
  });

  test('is swept twice at once, and by several: each delivery is attempted once', async () => {
    let refuses = true;
    const one = await scene(await receiver(() => ({ status: refuses ? 500 : 200 })));
    const ids = await create(one, 20);
    await deliveriesWhen(
      one.client,
      one.identifier,
      (list) => list.length === 20 && list.every(({ attempts }) => attempts.length === 1),
    );
    refuses = false;
    await d1('update event_deliveries set next_attempt_at = 1 where subscription_id = ?', [one.identifier]);
    await Promise.all(Array.from({ length: 5 }, () => runScheduled()));
    await allDelivered(one, 20);
    expect(timesTold(one.server)).toEqual(new Map(ids.map((id) => [id, 2])));
  });
});

describe('the receiver', () => {
  test('answers 500 three times', async () => {
    const one = await scene(await receiver((turn) => ({ status: turn < 3 ? 500 : 200 })));
    const [id] = await create(one, 1);
    for (let attempts = 1; attempts <= 3; attempts++) {
      await deliveriesWhen(one.client, one.identifier, ([delivery]) => delivery?.attempts.length === attempts);
      await hurry(one.identifier);
    }
    const [delivery] = await allDelivered(one, 1);
    expect(delivery!.attempts.map(({ outcome }) => outcome)).toEqual([
      'status_500',
      'status_500',
      'status_500',
      'delivered',
    ]);
    expect(timesTold(one.server)).toEqual(new Map([[id!, 4]]));
  });

  test('hangs, and others get their deliveries without delay', async () => {
    let hangs = true;
    const skip = await skippableLimits();
    const slow = await scene(await receiver(() => ({ hangs })));
    const quick = await scene(await receiver());
    // In the same account, too, and for the same events.
    const beside = await receiver();
    const { identifier } = await subscribed(slow.client, `${beside.origin}/beside`, { retryEnabled: true });
    const [slowIds, quickIds] = await Promise.all([create(slow, 40), create(quick, 10)]);
    await Promise.all([beside.received(40), quick.server.received(10)]);
    // Attempts at the hanging receiver have not timed out when all others are delivered.
    const waiting = await deliveriesOf(slow.client, slow.identifier);
    expect(waiting.every(({ attempts }) => attempts.length === 0)).toBe(true);
    expect(timesTold(quick.server)).toEqual(new Map(quickIds.map((id) => [id, 1])));
    expect(
      await deliveriesWhen(slow.client, identifier, (list) => list.every(({ state }) => state === 'delivered')),
    ).toHaveLength(40);
    await skip(ATTEMPT_MILLIS_MAX);
    const [delivery] = await deliveriesWhen(
      slow.client,
      slow.identifier,
      (list) => list.some(({ attempts }) => attempts.length > 0),
      20_000,
    ).then((list) => list.filter(({ attempts }) => attempts.length > 0));
    expect(delivery!.attempts[0]).toMatchObject({ outcome: 'timeout' });
    expect(delivery!.attempts[0]!.durationMillis).toBeGreaterThanOrEqual(9_900);
    hangs = false;
    const isTold = (list: { state: string }[]) => list.every(({ state }) => state === 'delivered');
    // Skipping waits removes the claims of attempts in progress, so let those end before the next one.
    for (let told = false; !told; ) {
      await skip(ATTEMPT_MILLIS_MAX);
      await hurry(slow.identifier);
      told = await deliveriesWhen(slow.client, slow.identifier, isTold, 4_000).then(
        () => true,
        () => false,
      );
    }
    expect([...timesTold(slow.server).keys()].sort()).toEqual(slowIds.sort());
  });

  test.each([
    'http://127.0.0.1:9/',
    'https://169.254.169.254/latest/meta-data/',
    'http://[::1]:9/',
    'http://localhost:9/',
  ])('redirects to the private address %s, which is not followed', async (location) => {
    const one = await scene(
      await receiver((turn) => (turn === 0 ? { status: 307, headers: { Location: location } } : {})),
    );
    const [id] = await create(one, 1);
    await deliveriesWhen(one.client, one.identifier, ([delivery]) => delivery?.attempts.length === 1);
    await hurry(one.identifier);
    const [delivery] = await allDelivered(one, 1);
    expect(delivery!.attempts.map(({ outcome }) => outcome)).toEqual(['redirect', 'delivered']);
    expect(timesTold(one.server)).toEqual(new Map([[id!, 2]]));
  });
});

test('a subscription deleted while deliveries are pending gets nothing more, and leaves nothing behind', async () => {
  const one = await scene(await receiver(() => ({ status: 500 })));
  const other = await scene(one.server, { retryEnabled: false });
  const ids = await create(one, 5);
  await deliveriesWhen(
    one.client,
    one.identifier,
    (list) => list.length === 5 && list.every(({ attempts }) => attempts.length === 1),
  );
  await one.client.delete(`/api/hook/${one.identifier}`);
  const requests = one.server.requests.length;
  await create(one, 2);
  await hurry(one.identifier);
  await eventually(async () => {
    const left = await d1('select 1 from event_deliveries where subscription_id = ? and next_attempt_at is not null', [
      one.identifier,
    ]);
    return left.length === 0;
  });
  const [theirs] = await create(other, 1);
  await one.server.received(requests + 1);
  expect(one.server.requests.slice(requests).map((request) => told(request).identifier)).toEqual([theirs]);
  expect(ids).toHaveLength(5);
});
