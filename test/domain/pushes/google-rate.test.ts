import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { Context } from '../../../src/domain/context.ts';
import { enqueue, later } from '../../../src/domain/enqueue.ts';
import { RateLimitWait, waitForCapacity } from '../../../src/domain/google-rate-limit/wait-for-capacity.ts';
import type { Job, JobOf } from '../../../src/domain/jobs.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { fanOutJobs } from '../../../src/domain/pushes/begin-fan-out.ts';
import { claimPage, settlePage } from '../../../src/domain/pushes/claim-page.ts';
import { pushJobs } from '../../../src/domain/pushes/push-jobs.ts';
import { requestPushes } from '../../../src/domain/pushes/request-pushes.ts';
import { resumePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { walkFanOut } from '../../../src/domain/pushes/walk-fan-out.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import type { Env } from '../../../src/platform/env.ts';
import { RateLimiter } from '../../../src/platform/rate-limiter.ts';
import { pushPassToGoogle } from '../../../src/wallets/google/push.ts';
import { pushPage } from '../../../src/wallets/push-page.ts';
import { memoryD1 } from '../../support/memory-d1.ts';
import { SimulatedClock } from '../../support/simulated-clock.ts';
import { SimulatedQueue } from '../../support/simulated-queue.ts';

/* Pushes to Google with simulated time. The limiter, pages, claims and the cron are the product's own. */

const CALLS_PER_SECOND = 20;
const CRON_MS = 60_000;
/** Duration of a call to Google, in milliseconds. */
const CALL_MS = 400;
const ACCOUNT = 'account';
const TEMPLATE = 'template';

interface Scene {
  objects: number;
  /** Calls per object. */
  calls?: number;
  isLost?: (job: Job) => boolean;
  /**
   * Omits the passes' rows in `requested_pushes`, because 100,000 take minutes. Pages, delays and turns are still the
   * product's. Google answers immediately, too.
   */
  withoutRows?: boolean;
}

class Service {
  clock = new SimulatedClock(Date.now());
  memory = memoryD1();
  limiter = new RateLimiter(CALLS_PER_SECOND);
  /** Times of the calls to Google, and how often each pass was sent. */
  calls: number[] = [];
  sends = new Map<string, number>();
  sentAt = new Map<string, number>();
  queue: SimulatedQueue;
  ctx: Context;
  #scene: Required<Scene>;

  constructor(scene: Scene) {
    this.#scene = { calls: 1, isLost: () => false, withoutRows: false, ...scene };
    this.queue = new SimulatedQueue(this.clock, (job) => this.#consume(job), this.#scene.isLost);
    const take = async (calls: number, patienceMs: number) => this.limiter.take(calls, patienceMs, Date.now());
    const book = async (calls: number) => this.limiter.book(calls, Date.now());
    const GOOGLE_PACE = { idFromName: (name: string) => name, get: () => ({ take, book }) };
    const env = { DB: this.memory.d1, PUSHES: this.queue.binding, GOOGLE_PACE } as unknown as Env;
    this.ctx = { env, ...openDatabase(env.DB), baseUrl: '', requestId: 'r', waitUntil: () => {} };
    this.#fill();
  }

  /** Inserts passes with only what fan-outs read, so that 100,000 take a moment. */
  #fill(): void {
    this.memory.database.exec(`
      alter table passes rename to whole;
      create table passes as select * from whole;
      drop table whole;
      insert into passes (key, id, account_id, template_id, template_version, number_of_active, google_published_at)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${this.#scene.objects})
        select n, 'pass-' || n, '${ACCOUNT}', '${TEMPLATE}', 1, 0, 1 from numbers where n <= ${this.#scene.objects};
      create unique index passes_by_id on passes (id);
      create unique index passes_by_key on passes (key);
      create index passes_at_google_by_template on passes (template_id, key) where google_published_at is not null;
      insert into accounts (id, name, created_at) values ('${ACCOUNT}', 'Account', 0);
      insert into google_issuers (id, account_id, issuer_id, client_email, private_key_sealed, development, created_at)
        values ('issuer', '${ACCOUNT}', '1', 'a@example.com', 'sealed', 0, 0);`);
  }

  /** Adds passes of another template, also saved at Google. */
  addPasses(templateId: string, first: number, last: number): void {
    const insert = this.memory.database.prepare(
      'insert into passes (key, id, account_id, template_id, template_version, number_of_active, google_published_at) values (?, ?, ?, ?, 1, 0, 1)',
    );
    for (let key = first; key <= last; key++) insert.run(key, `pass-${key}`, ACCOUNT, templateId);
  }

  /** Requests a push for a change of one pass. */
  beginPush(passId: string): void {
    void commit(this.ctx, [
      requestPushes(this.ctx, { selected: sql`${passes.id} = ${passId} and ${passes.accountId} = ${ACCOUNT}` }),
    ]);
  }

  beginFanOut(id: string, templateId = TEMPLATE): void {
    const now = this.clock.now;
    this.memory.database
      .prepare(
        `insert into push_fan_outs (id, account_id, kind, template_id, version, version_before, cursor, created_at, due_at)
         values (?, ?, 'google', ?, 2, 1, 0, ?, ?)`,
      )
      .run(id, ACCOUNT, templateId, now, now + CRON_MS);
    void this.queue.binding.sendBatch(fanOutJobs([{ id, accountId: ACCOUNT }]).map((body) => ({ body })));
  }

  /** Runs until nothing is pending. Returns the seconds until the last call. */
  async run(): Promise<number> {
    const startedAt = this.clock.now;
    let isDone = false;
    const cron = async () => {
      await resumePushes(this.ctx);
      const [left] = this.memory.database
        .prepare('select (select count(*) from push_fan_outs) + (select count(*) from requested_pushes) as n')
        .all() as { n: number }[];
      isDone = left!.n === 0 && (!this.#scene.withoutRows || this.sends.size === this.#scene.objects);
      this.clock.after(CRON_MS, cron);
    };
    this.clock.after(CRON_MS, cron);
    await this.clock.run(() => isDone || this.clock.now > startedAt + 48 * 3_600_000);
    return (this.calls.at(-1)! - startedAt) / 1_000;
  }

  async #consume(job: Job): Promise<void> {
    if (job.type === 'walk-push-fan-out') return walkFanOut(this.ctx, job, async () => false);
    if (job.type === 'push-page') return this.#scene.withoutRows ? this.#pageWithoutRows(job) : pushPage(this.ctx, job);
    if (job.type !== 'push-to-google') throw new Error(`unexpected ${job.type}`);
    if (this.#scene.withoutRows) return this.#sendOrWait(job);
    return pushPassToGoogle(this.ctx, job, () => this.#send(job));
  }

  async #send({ passId }: JobOf<'push-to-google'>): Promise<undefined> {
    await waitForCapacity(this.ctx, 'issuer', this.#scene.calls);
    for (let call = 0; call < this.#scene.calls; call++) this.calls.push(this.clock.now);
    this.sends.set(passId, (this.sends.get(passId) ?? 0) + 1);
    if (!this.#scene.withoutRows) this.sentAt.set(passId, this.clock.now);
    if (!this.#scene.withoutRows) await new Promise((resolve) => setTimeout(resolve, CALL_MS));
  }

  async #pageWithoutRows({ accountId, fanOutId, page }: JobOf<'push-page'>): Promise<void> {
    const claim = { accountId, fanOutId, page, claim: 'c' };
    const [row] = this.memory.database
      .prepare('select keys from push_pages where fan_out_id = ? and number = ?')
      .all(fanOutId, page) as { keys: string }[];
    const [held] = await claimPage(this.ctx, claim);
    if (!held) return;
    const keys = JSON.parse(row!.keys) as number[];
    const asked = keys.map((key) => ({ accountId, passId: `pass-${key}`, wallet: 'google' as const }));
    void enqueue(this.ctx, pushJobs(asked));
    await settlePage(this.ctx, claim);
  }

  async #sendOrWait(job: JobOf<'push-to-google'>): Promise<void> {
    try {
      await this.#send(job);
    } catch (error) {
      if (!(error instanceof RateLimitWait)) throw error;
      await enqueue(this.ctx, [later(job, error.afterSeconds)]);
    }
  }

  /** The maximum number of calls within a second. */
  get callsOfASecond(): number {
    let first = 0;
    let most = 0;
    for (const [i, at] of this.calls.entries()) {
      while (this.calls[first]! <= at - 1_000) first++;
      most = Math.max(most, i - first + 1);
    }
    return most;
  }
}

describe('a fan-out to Google', () => {
  test.each([
    [
      '100,000 objects that take ten calls each, without a row for each object',
      { objects: 100_000, calls: 10, withoutRows: true },
    ],
    ['six thousand objects, each with its row', { objects: 6_000 }],
    ['objects that take two calls each', { objects: 4_000, calls: 2 }],
  ])(
    'of %s takes the time that the rate allows, and none fails',
    async (_, scene: Scene) => {
      const service = new Service(scene);
      service.beginFanOut('fan-out');
      const seconds = await service.run();
      const calls = scene.objects * (scene.calls ?? 1);
      expect(service.sends.size).toBe(scene.objects);
      expect(service.calls).toHaveLength(calls);
      expect(service.queue.deadLetters).toEqual([]);
      expect(service.callsOfASecond).toBeLessThanOrEqual(CALLS_PER_SECOND + 1);
      expect(seconds).toBeLessThanOrEqual((calls / CALLS_PER_SECOND) * 1.05);
    },
    120_000,
  );

  test('leaves room: a push of one pass and a small fan-out do not wait for it', async () => {
    const service = new Service({ objects: 6_000 });
    service.beginFanOut('large');
    const few = { first: 6_001, last: 6_050 };
    service.addPasses('few', few.first, few.last);
    service.addPasses('none', 7_000, 7_000);
    service.clock.after(100_000, () => service.beginPush('pass-7000'));
    service.clock.after(100_000, () => service.beginFanOut('small', 'few'));
    const startedAt = service.clock.now;
    await service.run();
    const secondsTo = (passId: string) => (service.sentAt.get(passId)! - startedAt) / 1_000 - 100;
    expect(secondsTo('pass-7000')).toBeLessThan(5);
    expect(secondsTo(`pass-${few.last}`)).toBeLessThan(120);
    expect([service.sends.size, service.queue.deadLetters]).toEqual([6_051, []]);
  });

  test('books only its own calls: a hundred fan-outs of ten objects end in less than a minute', async () => {
    const [fanOuts, each] = [100, 10];
    const service = new Service({ objects: 0 });
    for (let i = 0; i < fanOuts; i++) {
      service.addPasses(`few-${i}`, i * each + 1, (i + 1) * each);
      service.beginFanOut(`fan-out-${i}`, `few-${i}`);
    }
    const seconds = await service.run();
    expect(seconds).toBeLessThan(((fanOuts * each) / CALLS_PER_SECOND) * 1.15);
    expect([service.sends.size, service.calls.length]).toEqual([fanOuts * each, fanOuts * each]);
    expect(service.queue.deadLetters).toEqual([]);
    expect(service.callsOfASecond).toBeLessThanOrEqual(CALLS_PER_SECOND + 1);
  });

  test('reaches every object once, whatever messages are lost', async () => {
    let seed = 7;
    const isLost = () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed % 10 < 2;
    };
    const service = new Service({ objects: 2_500, isLost });
    service.beginFanOut('fan-out');
    await service.run();
    expect(service.queue.lost).toBeGreaterThan(300);
    expect(service.sends.size).toBe(2_500);
    expect(service.calls).toHaveLength(2_500);
    expect(service.queue.deadLetters).toEqual([]);
  });
});

test('many simultaneous pushes of individual passes wait for their turns without failing', async () => {
  const service = new Service({ objects: 0 });
  service.addPasses('many', 1, 5_000);
  for (let i = 1; i <= 5_000; i++) service.clock.after(0, () => service.beginPush(`pass-${i}`));
  const seconds = await service.run();
  expect([service.sends.size, service.calls.length, service.queue.deadLetters]).toEqual([5_000, 5_000, []]);
  expect(seconds).toBeLessThanOrEqual((5_000 / CALLS_PER_SECOND) * 1.05);
  // Each is requested, deferred and sent.
  expect(service.queue.sent).toBeLessThanOrEqual(5_000 * 2.2);
});
