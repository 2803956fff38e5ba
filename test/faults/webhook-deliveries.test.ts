import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { AccountContext, Context } from '../../src/domain/context.ts';
import { recordEvent } from '../../src/domain/events/record-event.ts';
import type { DeliveryJob } from '../../src/domain/jobs.ts';
import { getStatistics } from '../../src/domain/statistics/get-statistics.ts';
import { deliver } from '../../src/domain/webhooks/deliver.ts';
import { listSubscriptions } from '../../src/domain/webhooks/manage-subscription.ts';
import { sweepDeliveries } from '../../src/domain/webhooks/purge-deliveries.ts';
import { subscribe } from '../../src/domain/webhooks/subscribe.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { type LocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';
import { d1Around } from '../support/d1-over.ts';
import { queueTo } from '../support/fake-queue.ts';
import { randomRuns } from '../support/random-runs.ts';

/*
 * Each event reaches each subscription with the same identifier, and no other account, whatever fails: consumers crash
 * at any database call, before or after the commit; the queue loses, repeats and reorders messages; receivers reject,
 * disconnect, or accept and then seem to reject.
 */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database?.close());
afterEach(() => vi.unstubAllGlobals());

/** A receiver's answer to a request. `lost`: it accepts, but its answer doesn't arrive. */
type Answer = 'ok' | 'refused' | 'broken' | 'lost';
/** Fewer than a delivery's attempts, so that none fails permanently. */
const BAD_ANSWERS_MAX = 8;

type Step =
  | { kind: 'events'; account: number; count: number }
  | { kind: 'consume'; messages: number; twice: boolean; diesAtCall: number | null; committed: boolean }
  | { kind: 'lose'; messages: number }
  | { kind: 'time passes' }
  | { kind: 'sweep'; times: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('events'), account: fc.nat(1), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constant('consume'),
    messages: fc.integer({ min: 1, max: 5 }),
    twice: fc.boolean(),
    diesAtCall: fc.option(fc.nat(6)),
    committed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('lose'), messages: fc.integer({ min: 1, max: 9 }) }),
  fc.constant({ kind: 'time passes' } as const),
  fc.record({ kind: fc.constant('sweep'), times: fc.integer({ min: 1, max: 3 }) }),
) as fc.Arbitrary<Step>;

interface Received {
  path: string;
  id: string;
  body: string;
}

/** Two accounts with two subscriptions each, sharing a queue and a receiver. */
class World {
  accounts: AccountContext[] = [];
  queue: DeliveryJob[] = [];
  received: Received[] = [];
  /** Bodies of the events by account, by identifier. */
  told: Map<string, string>[] = [new Map(), new Map()];
  #answers: Answer[];

  constructor(answers: Answer[]) {
    this.#answers = [...answers];
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => this.#receive(url, init));
  }

  async open(): Promise<void> {
    for (const account of [0, 1]) {
      const ctx = this.#living(await database.accountContext());
      this.accounts.push(ctx);
      for (const subscription of [0, 1]) {
        const target_url = `https://receiver.example.com/${account}/${subscription}`;
        await subscribe(ctx, { target_url, event: 'pass_deleted', retryEnabled: true });
      }
      ctx.account.hasWebhooks = true;
    }
  }

  /** Returns a context whose messages go to this queue. */
  #living<T extends Context>(ctx: T): T {
    const WEBHOOKS = queueTo<DeliveryJob>((deliveryJobs) => this.queue.push(...deliveryJobs));
    return { ...ctx, env: { ...ctx.env, WEBHOOKS }, waitUntil: () => {} };
  }

  /** Returns the context of a run that crashes at one of its database calls; later calls have no effect. */
  #mortal(diesAtCall: number | null, committed: boolean): Context {
    const ctx = this.#living(database.context());
    if (diesAtCall === null) return ctx;
    let calls = 0;
    const dead = { is: false };
    const d1 = d1Around(database.d1, async (work) => {
      if (dead.is) throw new Error('dead');
      if (calls++ < diesAtCall) return work();
      dead.is = true;
      if (committed) await work();
      throw new Error('dead');
    });
    const opened = openDatabase(d1);
    const WEBHOOKS = queueTo<DeliveryJob>((deliveryJobs) => {
      if (dead.is) throw new Error('dead');
      this.queue.push(...deliveryJobs);
    });
    return { ...ctx, ...opened, env: { ...ctx.env, WEBHOOKS } };
  }

  async #receive(url: string, init: RequestInit): Promise<Response> {
    const answer = this.#answers.shift() ?? 'ok';
    if (answer === 'refused') return new Response('no', { status: 500 });
    if (answer === 'broken') throw new TypeError('Network connection lost.');
    const headers = init.headers as Record<string, string>;
    this.received.push({ path: new URL(url).pathname, id: headers['webhook-id']!, body: String(init.body) });
    return new Response('', { status: answer === 'lost' ? 503 : 200 });
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'events': {
        const ctx = this.accounts[step.account]!;
        for (let i = 0; i < step.count; i++) await this.#happen(ctx, step.account);
        break;
      }
      case 'consume': {
        const messages = this.queue.splice(0, step.messages);
        const runs = (step.twice ? [messages, messages.toReversed()] : [messages]).filter((list) => list.length > 0);
        const consume = (list: DeliveryJob[]) => deliver(this.#mortal(step.diesAtCall, step.committed), list);
        await Promise.all(runs.map((list) => consume(list).catch(() => undefined)));
        break;
      }
      case 'lose':
        this.queue.splice(0, step.messages);
        break;
      case 'time passes':
        await this.letTimePass();
        break;
      case 'sweep':
        await Promise.all(Array.from({ length: step.times }, () => sweepDeliveries(this.#mortal(null, false))));
    }
  }

  async #happen(ctx: AccountContext, account: number): Promise<void> {
    const id = `event-${account}-${crypto.randomUUID()}`;
    const body = { passId: id } as never;
    await recordEvent(ctx, { id, type: 'pass_deleted', body });
    this.told[account]!.set(id, JSON.stringify(body));
  }

  /** Ends leases, and makes retries due. */
  async letTimePass(): Promise<void> {
    await database.d1
      .prepare('update event_deliveries set next_attempt_at = 1 where next_attempt_at is not null')
      .run();
  }

  /** Returns what is still pending or has failed. */
  async unsettled(): Promise<unknown[]> {
    const ids = JSON.stringify(this.told.flatMap((bodies) => [...bodies.keys()]));
    const { results } = await database.d1
      .prepare(
        `select id, 'event' as what from account_events where pending is not null and id in (select value from json_each(?1))
         union all select event_id, state from event_deliveries where state <> 'delivered' and event_id in (select value from json_each(?1))`,
      )
      .bind(ids)
      .all();
    return results;
  }

  /** Returns the deliveries that the webhooks of an account show, and those in its statistics. */
  async counted(account: number): Promise<{ shown: number[]; statistics: number }> {
    const ctx = this.accounts[account]!;
    const shown = (await listSubscriptions(ctx)).map(({ delivered }) => delivered);
    const { counts } = await getStatistics(ctx, ['webhook_delivered'], 0, Date.now());
    return { shown, statistics: counts.reduce((sum, { count }) => sum + count, 0) };
  }

  /** Runs the cron and the queue without faults until nothing is left to do. */
  async settle(): Promise<void> {
    for (let round = 0; round < 30; round++) {
      await this.letTimePass();
      await this.take({ kind: 'sweep', times: 1 });
      if (this.queue.length === 0) return;
      await this.take({
        kind: 'consume',
        messages: this.queue.length,
        twice: false,
        diesAtCall: null,
        committed: false,
      });
      this.queue = [];
    }
    throw new Error('there is always something left to do');
  }
}

test('random faults lose nothing, mix nothing up, and count each delivery once', { timeout: 180_000 }, async () => {
  const answers = fc.array(fc.constantFrom<Answer>('ok', 'ok', 'refused', 'broken', 'lost'), { maxLength: 30 });
  const limited = answers.map((list) => {
    let bad = 0;
    return list.map((answer) => (answer !== 'ok' && ++bad > BAD_ANSWERS_MAX ? 'ok' : answer));
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), limited, async (steps, list) => {
    const world = new World(list);
    await world.open();
    for (const one of steps) await world.take(one);
    await world.settle();
    for (const account of [0, 1]) {
      const { size } = world.told[account]!;
      expect(await world.counted(account)).toEqual({ shown: [size, size], statistics: 2 * size });
      for (const subscription of [0, 1]) {
        const got = world.received.filter(({ path }) => path === `/${account}/${subscription}`);
        expect(new Map(got.map(({ id, body }) => [id, body]))).toEqual(world.told[account]);
      }
    }
    expect(await world.unsettled()).toEqual([]);
  });
  await fc.assert(property, randomRuns(40, 60_000));
  vi.restoreAllMocks();
});
