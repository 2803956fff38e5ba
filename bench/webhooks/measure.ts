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
/** Deliveries of one round. */
const DELIVERIES = 2_000;
/** As many as an invocation of the service uses, and one of the floor too. */
const CONNECTIONS = 5;
const LAG_SECONDS = 6;
const LAG_STEP_MILLIS = 50;
/** A run says what it has done a moment after its last attempt; one that says nothing is not waited for. */
const WAITS_MAX = 200;
/** What the lag is to stay below. */
const LAG_MILLIS_MAX = 2_000;
/** A row that is inserted when an event is to be told, and updated when it was. */
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

/** An account with a number of subscriptions to one event. */
interface Subscriber {
  accountId: string;
  targets: string[];
}

/**
 * Measures the way of an event from its commit to the answer of a local receiver, beside a Worker that does nothing but
 * sign and post with as many connections: deliveries a second when events wait, and at half of that rate how late they
 * are.
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
      // A machine that has become slower meanwhile was asked for more than half: then the lags tell of the machine.
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

/** What the runs of the service say of themselves. */
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

  /** Events that wait all at once. The last outcomes are written, and told of, just after the last answer. */
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

  /** Begins to count what the Workers take of the processor for a delivery, database and queue included. */
  #spent(): () => number | undefined {
    const before = processorMillis(this.#workers.pid);
    return () => {
      const after = processorMillis(this.#workers.pid);
      return before === undefined || after === undefined ? undefined : (after - before) / DELIVERIES;
    };
  }

  /** Rows that the service has written for each delivery of the bursts, that of the events' mark included. */
  rowsWritten(): number {
    return (this.#log.rowsWritten - this.#before.rowsWritten) / (this.#log.attempts - this.#before.attempts);
  }

  /** Milliseconds from commit to answer of each delivery, when events come steadily at `rate` deliveries a second. */
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

  /** Stores events as the service does, with identifiers that rise, and notes when. */
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
