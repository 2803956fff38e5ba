import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { Problem } from '../../scripts/settings.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { Round } from '../load.ts';
import { pin, processorMillis } from '../processors.ts';
import { type Results, result } from '../results.ts';
import { alternate, medianRate, quantile, rateRatio } from '../rounds.ts';
import type { BenchOptions } from '../run-options.ts';
import { buildWorker, migrate, type RunningWorkers, startWorkers } from '../workers.ts';
import type { FloorRun } from './floor.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const SUBSCRIPTIONS = [1, 10, 100];
/** Deliveries per round. */
const DELIVERIES = 2_000;
/** As many as one invocation of the service uses; the floor uses the same. */
const CONNECTIONS = 5;
const LAG_SECONDS = 6;
const LAG_STEP_MILLIS = 50;
/** A run logs its work shortly after its last attempt. Don't wait longer than this for one that doesn't. */
const WAITS_MAX = 200;
/** Upper limit for the lag. */
const LAG_MILLIS_MAX = 2_000;
/** A row inserted when an event must be delivered, and updated afterwards. */
const ROWS_LEAST = 2;

const BODY = JSON.stringify({
  identifier: '01980b5e-5b11-7c30-8e42-0242ac120000',
  passId: '01980b5e-5b11-7c30-8e42-0242ac120000',
  uniqueIdentifier: '7K2M9QX4TBW3H8RA',
  createdOn: '2027-01-31 09:30:00',
  passTemplate: 'Night train',
  userProvidedId: 'booking-4711',
  linkToPassPage: 'https://passes.example.com/p/q3Zc0yTtT2u4cXW1nqv0Bg',
  passTemplateGuid: '01980b5e-4a30-7a52-9c11-0242ac120000',
  genericProperties: { Passenger: 'Ada Lovelace', Coach: '21' },
});

/** An account with some subscriptions to one event. */
interface Subscriber {
  accountId: string;
  targets: string[];
}

/**
 * Measures events from their commit to a local receiver's answer, compared with a Worker that only signs and posts over
 * as many connections: deliveries per second of a backlog, and the delay at half that rate.
 */
export async function measureWebhooks(options: BenchOptions): Promise<Results> {
  const { folder, processors, say, rounds } = options;
  say('Measuring webhooks …');
  const [ours, floor] = await Promise.all([
    buildWorker(join(folder, 'webhooks')),
    buildWorker(join(folder, 'webhooks-floor'), 'bench/webhooks/floor.ts'),
  ]);
  const adminToken = randomBytes(32).toString('hex');
  const BASE_URL = 'https://passes.example.com';
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  ours.variables = { BASE_URL, ADMIN_TOKEN: adminToken, ENCRYPTION_KEY, ALLOW_LOCAL_TARGETS: 'true' };
  ours.consumes = true;
  const receiver = await openReceiver();
  const log = new WebhookLog();
  const workers = await startWorkers({ ours, floor }, join(folder, 'webhooks-state'), (line) => log.take(line));
  try {
    await migrate(workers.database);
    pin(workers.pid, processors?.server);
    pin(process.pid, processors?.client);
    const results: Results = {};
    for (const count of SUBSCRIPTIONS) {
      const subscriber = await subscribe(workers.origins.ours, adminToken, receiver, count);
      const bench = new WebhookBench(workers, receiver, subscriber, log);
      const rates = await alternate({ ours: () => bench.burst(), floor: () => bench.floor() }, { rounds, seconds: 0 });
      results[`webhooks_${count}`] = result(
        medianRate(rates.ours),
        medianRate(rates.floor),
        'deliveries/s',
        rateRatio(rates.ours, rates.floor),
      );
      const spent = (list: Round[]) => quantile(list.flatMap((round) => round.processorMillis ?? []));
      if (!Number.isNaN(spent(rates.ours))) {
        results[`webhooks_${count}_cpu`] = result(spent(rates.ours), spent(rates.floor), 'ms/delivery');
      }
      const rows = bench.rowsWritten();
      results[`webhooks_${count}_rows`] = result(rows, ROWS_LEAST, 'rows written/delivery');
      const asked = medianRate(rates.ours) / 2;
      const lags = await bench.lags(asked);
      // If the machine has slowed down meanwhile, the load was more than half, and the lag reflects the machine.
      results[`webhooks_${count}_lag_load`] = result(
        asked,
        (await bench.burst()).rate,
        'asked, of the rate just after',
      );
      results[`webhooks_${count}_lag_median`] = result(quantile(lags), LAG_MILLIS_MAX, 'ms');
      results[`webhooks_${count}_lag_p99`] = result(quantile(lags, 0.99), LAG_MILLIS_MAX, 'ms');
    }
    return results;
  } finally {
    await workers.stop();
    receiver.close();
  }
}

/** Collects what the service's runs log. */
class WebhookLog {
  attempts = 0;
  rowsWritten = 0;

  take(line: string): void {
    if (!line.includes('"event":"webhooks"')) return;
    const { attempts, rowsWritten } = JSON.parse(line) as { attempts: number; rowsWritten: number };
    this.attempts += attempts;
    this.rowsWritten += rowsWritten;
  }
}

async function subscribe(origin: string, adminToken: string, receiver: Receiver, count: number): Promise<Subscriber> {
  const address = { origin, adminToken };
  const account = { name: `Bench ${count}` };
  const { accountId, apiKey } = await runAdminCommand<{ accountId: string; apiKey: string }>(
    address,
    'account create',
    account,
  );
  const targets = Array.from({ length: count }, (_, i) => `${receiver.origin}/${count}/${i}`);
  for (const target_url of targets) {
    const reply = await fetch(`${origin}/api/hook/subscribe`, {
      method: 'POST',
      headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ target_url, event: 'pass_deleted', retryEnabled: true }),
    });
    if (reply.status !== 201) throw new Problem(`subscribe was answered with ${reply.status}: ${await reply.text()}`);
  }
  return { accountId, targets };
}

class WebhookBench {
  #workers: RunningWorkers<'ours' | 'floor'>;
  #receiver: Receiver;
  #subscriber: Subscriber;
  #log: WebhookLog;
  #before: { attempts: number; rowsWritten: number };

  constructor(workers: RunningWorkers<'ours' | 'floor'>, receiver: Receiver, subscriber: Subscriber, log: WebhookLog) {
    this.#workers = workers;
    this.#receiver = receiver;
    this.#subscriber = subscriber;
    this.#log = log;
    this.#before = { attempts: log.attempts, rowsWritten: log.rowsWritten };
  }

  /** Delivers a backlog of events. The last outcomes are written and logged just after the last answer. */
  async burst(): Promise<Round> {
    const { targets } = this.#subscriber;
    this.#receiver.begin();
    await this.#commit(DELIVERIES / targets.length);
    const spent = this.#spent();
    const attempts = this.#log.attempts + DELIVERIES;
    const begin = performance.now();
    await this.#wake();
    await this.#receiver.received(DELIVERIES);
    const round = rateOf(begin);
    for (let waits = 0; this.#log.attempts < attempts && waits < WAITS_MAX; waits++) await delay(LAG_STEP_MILLIS);
    return { ...round, processorMillis: spent() };
  }

  async floor(): Promise<Round> {
    this.#receiver.begin();
    const { targets } = this.#subscriber;
    const secret = randomBytes(32).toString('base64');
    const run: FloorRun = { targets, count: DELIVERIES, connections: CONNECTIONS, body: BODY, secret };
    const spent = this.#spent();
    const begin = performance.now();
    const reply = await fetch(this.#workers.origins.floor, { method: 'POST', body: JSON.stringify(run) });
    if (!reply.ok) throw new Problem(`the floor answered ${reply.status}: ${await reply.text()}`);
    return { ...rateOf(begin), processorMillis: spent() };
  }

  /** Starts measuring the Workers' processor time per delivery, including database and queue. */
  #spent(): () => number | undefined {
    const before = processorMillis(this.#workers.pid);
    return () => {
      const after = processorMillis(this.#workers.pid);
      return before === undefined || after === undefined ? undefined : (after - before) / DELIVERIES;
    };
  }

  /** Returns the rows written per delivery in the bursts, including the event's outbox row. */
  rowsWritten(): number {
    return (this.#log.rowsWritten - this.#before.rowsWritten) / (this.#log.attempts - this.#before.attempts);
  }

  /** Returns the milliseconds from commit to answer of each delivery, at a steady `rate` of deliveries per second. */
  async lags(rate: number): Promise<number[]> {
    const { targets } = this.#subscriber;
    const committed = new Map<string, number>();
    const lags: number[] = [];
    this.#receiver.begin((id) => lags.push(Date.now() - committed.get(id)!));
    const begin = performance.now();
    let events = 0;
    for (let now = 0; now < LAG_SECONDS * 1_000; now = performance.now() - begin) {
      const due = Math.floor((now / 1_000) * (rate / targets.length));
      if (due > events) {
        await this.#commit(due - events, committed);
        events = due;
        await this.#wake();
      }
      await delay(LAG_STEP_MILLIS);
    }
    await this.#receiver.received(events * targets.length);
    return lags;
  }

  /** Stores events like the service, with ascending identifiers, and records the times. */
  async #commit(count: number, committed = new Map<string, number>()): Promise<void> {
    const ids = Array.from({ length: count }, () => uuidv7());
    const now = Date.now();
    for (const id of ids) committed.set(id, now);
    await this.#workers.database
      .prepare(
        `insert into account_events (id, account_id, type, body, created_at, pending)
         select value, ?, 'pass_deleted', ?, ?, 1 from json_each(?)`,
      )
      .bind(this.#subscriber.accountId, BODY, now, JSON.stringify(ids))
      .run();
  }

  async #wake(): Promise<void> {
    await this.#workers.produce.ours('WEBHOOKS', { type: 'fan-out-events' });
  }
}

function rateOf(begin: number) {
  return { rate: (DELIVERIES * 1_000) / (performance.now() - begin), latencies: [] };
}
