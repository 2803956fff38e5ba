import { slicesOf } from '../../platform/chunks.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { SharedTimeLimit } from '../../platform/time-limit.ts';
import type { Context } from '../context.ts';
import { recordAtHome } from '../databases/follow-moves.ts';
import { moveRefusal } from '../moved.ts';
import { ATTEMPT_TIMEOUT_MS, attempt, GONE } from './attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { Connections } from './connections.ts';
import type { PayloadSigner } from './payload-signers.ts';
import type { Attempt, Subscription } from './table.ts';
import { DeliveryTally, type FinishedAttempt } from './write-health.ts';
import { writeOutcomes } from './write-outcomes.ts';

/** Maximum number of connections for a receiver that was unhealthy before this run, until it has answered quickly. */
const CONNECTIONS_UNPROVEN_MAX = 2;
/** Maximum for one receiver while others wait. */
const CONNECTIONS_SHARED_MAX = 3;
/** A receiver that takes longer than this gets no further connection in this run, so that it doesn't delay others. */
const SLOW_MS = 1_000;
const TICK_MS = 250;
/**
 * Maximum number of attempts in one write, including the earlier ones of the same deliveries: statements are limited in
 * size.
 */
const WRITTEN_TOGETHER_MAX = 300;
/** Maximum number of deliveries that one write gives back: a run can claim a hundred for each of many subscriptions. */
const GIVEN_BACK_TOGETHER_MAX = 500;

/** Claimed deliveries of one subscription. */
interface Lane {
  subscription: Subscription;
  queue: ClaimedDelivery[];
  /** Number of requests in progress, and of those that take longer than `SLOW_MS`. */
  running: number;
  slow: number;
  /** Whether its receiver was healthy before, or has answered quickly in this run. */
  isProven: boolean;
  /** Whether its receiver has ended the subscription with status 410. */
  isGone: boolean;
}

/**
 * Sends claimed deliveries, several at a time, and writes their outcomes. Subscriptions take turns; one with a slow
 * receiver loses its turns. If slow receivers occupy all connections, those of other senders included, the sender gives
 * back unsent deliveries to another invocation.
 */
export class Sender {
  #ctx: Context;
  #deadlineAt: number;
  #connections: Connections;
  #lanes = new Map<string, Lane>();
  /** Lanes with queued deliveries, in the order of their turns. */
  #turns: Lane[] = [];
  #queued = 0;
  #running = new Map<ClaimedDelivery, { lane: Lane; startedAt: number; isSlow: boolean }>();
  #signers = new Map<string, PayloadSigner>();
  #finished: FinishedAttempt[] = [];
  /** Number of attempts of these deliveries, including earlier ones. */
  #attemptsToWrite = 0;
  #unused: ClaimedDelivery[] = [];
  /** Subscriptions that get their own job once the next outcomes are written. */
  #lookAgain = new Set<Subscription>();
  #writes = new Set<Promise<void>>();
  #limits = new SharedTimeLimit(ATTEMPT_TIMEOUT_MS);
  #ticker: ReturnType<typeof setInterval>;
  #watchers: { holds: () => boolean; resolve: () => void }[] = [];
  /** Whether it sends no more, and gives back added deliveries. */
  isClosed = false;
  /** Number of finished attempts. */
  attempts = 0;
  /** Counts of the written outcomes. */
  tally = new DeliveryTally();

  /** Takes its connections from `connections`, which other senders of the invocation share. */
  constructor(ctx: Context, deadlineAt: number, connections: Connections) {
    this.#ctx = ctx;
    this.#deadlineAt = deadlineAt;
    this.#connections = connections;
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Adds deliveries. Gives back those that can't be sent in this run. */
  add(list: ClaimedDelivery[], signers: Map<string, PayloadSigner>): void {
    for (const [accountId, signer] of signers) this.#signers.set(accountId, signer);
    for (const claimed of list) {
      const lane = this.#laneOf(claimed);
      if (lane.queue.length === 0) this.#turns.push(lane);
      lane.queue.push(claimed);
      this.#queued += 1;
      if (lane.slow > 0 || lane.isGone) this.#giveBack(lane);
    }
    if (this.isClosed) this.#close();
    this.#pump();
  }

  /** Whether a subscription gets no more deliveries in this run, because its receiver is slow or gone. */
  isBarred(subscriptionId: string): boolean {
    const lane = this.#lanes.get(subscriptionId);
    return lane !== undefined && (lane.slow > 0 || lane.isGone);
  }

  /** Resolves when at most `queued` deliveries are in the queue. */
  waitForRoom(queued: number): Promise<void> {
    return this.#when(() => this.#queued <= queued);
  }

  /** Resolves when every delivery was sent or given back, and the outcomes are written. */
  async end(): Promise<void> {
    await this.#when(() => this.#running.size === 0 && this.#queued === 0);
    clearInterval(this.#ticker);
    this.#limits.close();
    this.#write();
    await Promise.all(this.#writes);
  }

  #laneOf({ subscription }: ClaimedDelivery): Lane {
    const known = this.#lanes.get(subscription.id);
    if (known) return known;
    const isProven = subscription.failingSinceAt === null && subscription.delivered > 0;
    const lane = { subscription, queue: [], running: 0, slow: 0, isProven, isGone: false };
    this.#lanes.set(subscription.id, lane);
    return lane;
  }

  #pump = (): void => {
    for (;;) {
      const at = this.#turns.findIndex((lane) => lane.running < this.#connectionsOf(lane));
      if (at < 0 || !this.#connections.take(this.#pump)) break;
      const [lane] = this.#turns.splice(at, 1) as [Lane];
      const claimed = lane.queue.shift()!;
      this.#queued -= 1;
      if (lane.queue.length > 0) this.#turns.push(lane);
      void this.#send(lane, claimed);
    }
    this.#notify();
  };

  #connectionsOf(lane: Lane): number {
    if (!lane.isProven) return CONNECTIONS_UNPROVEN_MAX;
    const isShared = this.#turns.length > 1 || this.#connections.isAwaited;
    return isShared ? CONNECTIONS_SHARED_MAX : this.#connections.max;
  }

  async #send(lane: Lane, claimed: ClaimedDelivery): Promise<void> {
    const state = { lane, startedAt: Date.now(), isSlow: false };
    this.#running.set(claimed, state);
    lane.running += 1;
    const result = await this.#attempt(claimed);
    this.#running.delete(claimed);
    lane.running -= 1;
    this.attempts += 1;
    if (state.isSlow) {
      lane.slow -= 1;
      // Deliveries that were given back wait until it is known whether this one failed.
      if (lane.slow === 0) this.#lookAgain.add(lane.subscription);
    } else {
      lane.isProven = true;
    }
    if (result.outcome === GONE && !lane.isGone) {
      lane.isGone = true;
      this.#lookAgain.add(lane.subscription);
      this.#giveBack(lane);
    }
    this.#finished.push({ claimed, attempt: result });
    this.#attemptsToWrite += claimed.attempts.length + 1;
    if (this.#attemptsToWrite >= WRITTEN_TOGETHER_MAX) this.#write();
    this.#connections.release(state.isSlow);
    this.#pump();
  }

  async #attempt(claimed: ClaimedDelivery): Promise<Attempt> {
    const at = Date.now();
    try {
      return await attempt(this.#ctx, claimed, this.#signers.get(claimed.subscription.accountId), this.#limits.now());
    } catch (error) {
      logLine('error', { event: 'webhook-attempt', requestId: this.#ctx.requestId, error: describeError(error) });
      return { at, outcome: 'internal_error', durationMs: Date.now() - at };
    }
  }

  #tick(): void {
    const now = Date.now();
    for (const state of this.#running.values()) {
      if (state.isSlow || now - state.startedAt < SLOW_MS) continue;
      state.isSlow = true;
      state.lane.slow += 1;
      this.#connections.noteSlow();
      this.#giveBack(state.lane);
    }
    if (this.#connections.isStuck || now >= this.#deadlineAt) this.#close();
    if (this.#finished.length > 0 || this.#unused.length > 0) this.#write();
  }

  /** Gives back all queued deliveries, so that another run can send them at once. */
  #close(): void {
    this.isClosed = true;
    for (const lane of [...this.#turns]) {
      if (lane.slow === 0) this.#lookAgain.add(lane.subscription);
      this.#giveBack(lane);
    }
  }

  #giveBack(lane: Lane): void {
    this.#unused.push(...lane.queue);
    this.#queued -= lane.queue.length;
    lane.queue = [];
    this.#turns = this.#turns.filter((other) => other !== lane);
    this.#notify();
  }

  #write(): void {
    const [finished, unused, again] = [this.#finished, this.#unused, [...this.#lookAgain]];
    if (finished.length + unused.length + again.length === 0) return;
    this.#finished = [];
    this.#attemptsToWrite = 0;
    this.#unused = [];
    this.#lookAgain.clear();
    const work = this.#writeInPages(finished, unused, again).finally(() => this.#writes.delete(work));
    this.#writes.add(work);
  }

  /** Subscriptions of `again` get their jobs with the last page, once all deliveries are given back. */
  async #writeInPages(finished: FinishedAttempt[], unused: ClaimedDelivery[], again: Subscription[]): Promise<void> {
    const [first = [], ...more] = slicesOf(unused, GIVEN_BACK_TOGETHER_MAX);
    for (const page of more) await this.#writeNow([], page, []);
    await this.#writeNow(finished, first, again);
  }

  /** Writes outcomes. If this fails, the deliveries are due again when their lease ends. */
  async #writeNow(finished: FinishedAttempt[], unused: ClaimedDelivery[], again: Subscription[]): Promise<void> {
    try {
      this.tally.add(await writeOutcomes(this.#ctx, finished, unused, again));
    } catch (error) {
      if (moveRefusal(error)) return this.#writeByAccount(finished, unused, again);
      logLine('error', { event: 'webhook-outcomes', requestId: this.#ctx.requestId, error: describeError(error) });
    }
  }

  /** Writes per account: while one of the accounts moves to another database, a combined write is refused. */
  async #writeByAccount(finished: FinishedAttempt[], unused: ClaimedDelivery[], again: Subscription[]): Promise<void> {
    const claimed = [...finished.map((one) => one.claimed), ...unused];
    const ids = new Set([...claimed.map(({ subscription }) => subscription), ...again].map((one) => one.accountId));
    const write = async (accountId: string) => {
      const isItsOwn = ({ subscription }: ClaimedDelivery) => subscription.accountId === accountId;
      const own = finished.filter((one) => isItsOwn(one.claimed));
      const rest = again.filter((subscription) => subscription.accountId === accountId);
      const note = (home: Context) => writeOutcomes(home, own, unused.filter(isItsOwn), rest);
      this.tally.add(await recordAtHome(this.#ctx, accountId, note));
    };
    for (const ended of await Promise.allSettled([...ids].map(write))) {
      if (ended.status === 'fulfilled') continue;
      const error = describeError(ended.reason);
      logLine('error', { event: 'webhook-outcomes', requestId: this.#ctx.requestId, error });
    }
  }

  #when(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ holds, resolve }));
  }

  #notify(): void {
    if (this.#watchers.length === 0) return;
    const ready = this.#watchers.filter(({ holds }) => holds());
    this.#watchers = this.#watchers.filter((watcher) => !ready.includes(watcher));
    for (const { resolve } of ready) resolve();
  }
}
