import { DurableObject } from 'cloudflare:workers';
import { useDevClock } from '../../dev/clock.ts';
import { machineTime } from '../../platform/clock.ts';
import type { Env } from '../../platform/env.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { contextOfAccount } from '../context.ts';
import { ensureMap } from '../databases/read-map.ts';
import { enqueue } from '../enqueue.ts';
import type { Job } from '../jobs.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { ErasedItems } from './held-values.ts';
import { findApplied, pruneLedger } from './ledger.ts';
import { mirrorProcess } from './mirror-process.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import { dumpProcess, loadProcess, type ProcessPage } from './process-dump.ts';
import type { SelectedPage } from './process-selection.ts';
import type { ProcessFacts, ProcessItem, ProcessState } from './process-state.ts';
import { ProcessStore } from './process-store.ts';
import type { Range } from './range-store.ts';
import { Watchers } from './watchers.ts';

/** A range as it is handed out. JSON texts, because they only pass through. */
export interface ClaimedRange {
  claim: number;
  /** JSON of `ProcessFacts`. */
  facts: string;
  /** JSON of `ProcessItem[]`. */
  items: string;
}

/** What to select next. */
export interface OpenSelection {
  /** JSON of `ProcessFacts`. */
  facts: string;
  /** Identifier of the last pass that was selected; null: none yet. */
  afterId: string | null;
}

/**
 * One object for each process, named by its identifier. It keeps the items and hands them out in ranges: queue messages
 * name a range, their consumers claim it here, apply it in D1 and report back. What is not reported in time is sent
 * again by the alarm, so a message, a consumer or this object itself may be lost at any moment.
 */
export class ProcessObject extends DurableObject<Env> {
  #store: ProcessStore;
  #watchers: Watchers<ProcessState>;
  #alarmAt = Number.POSITIVE_INFINITY;
  #accountId?: string;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new ProcessStore(ctx.storage);
    this.#watchers = new Watchers(
      () => this.#store.state(),
      (watching) => logLine('info', { event: 'process-watcher-left', process: this.#store.id, watching }),
    );
    // An alarm can be lost with the machine, so an object that wakes up sets it anew.
    ctx.blockConcurrencyWhile(() => this.#schedule());
  }

  /**
   * Starts the process and returns its first state. `facts` and `items` are JSON of `ProcessFacts` and `ProcessItem[]`.
   */
  async start(facts: string, items: string, expected: number): Promise<ProcessState> {
    const list = JSON.parse(items) as ProcessItem[];
    this.#store.start(JSON.parse(facts) as ProcessFacts, list, expected, Date.now());
    const state = this.#store.state();
    await this.#proceed();
    return state;
  }

  state(): ProcessState {
    return this.#store.state();
  }

  /** The state as lines of JSON whenever it changes; ends when the process does. */
  watch(): ReadableStream<Uint8Array> {
    return this.#watchers.open(this.#store.state().finishedAt !== null);
  }

  /** Takes a range up; undefined when there is nothing to do for it (any more), or another consumer has it. */
  claim(range: Range): ClaimedRange | undefined {
    const claimed = this.#store.claim(range, Date.now());
    return claimed && { ...claimed, facts: this.#store.facts };
  }

  /** Keeps what the items of a claimed range come to, before they are worked on. `noted` is JSON of `NotedOutcome`. */
  note(range: Range, claim: number, noted: string): void {
    this.#store.note(range, claim, JSON.parse(noted) as NotedOutcome);
  }

  /** Notes that a claimed range has been applied, but for the items that failed. */
  async report(range: Range, claim: number, failed: FailedItem[], outcome?: Outcome): Promise<void> {
    this.#store.report(range, claim, failed, Date.now(), outcome);
    await this.#proceed();
  }

  /** Notes that a claimed range could not be applied. */
  async giveBack(range: Range, claim: number): Promise<void> {
    this.#store.giveBack(range, claim, Date.now());
    await this.#proceed();
  }

  /** Lets a claimed range wait while its account is suspended; this is no attempt at it. */
  async pause(range: Range, claim: number): Promise<void> {
    this.#store.pause(range, claim, Date.now());
    await this.#proceed();
  }

  /** Takes the selection up where it stands; undefined when there is nothing to select. */
  selection(): OpenSelection | undefined {
    const afterId = this.#store.selection.claim();
    return afterId === undefined ? undefined : { afterId, facts: this.#store.facts };
  }

  /** Adds a page of passes that come after `afterId`; false when another has added it. */
  async addSelected(afterId: string | null, ids: string[], page: SelectedPage): Promise<boolean> {
    const added = this.#store.addSelected(afterId, ids, page, Date.now());
    await this.#proceed();
    return added;
  }

  /** Sends the next message of the selection. */
  async continueSelection(): Promise<void> {
    this.#store.selection.continue(Date.now());
    await this.#proceed();
  }

  /** Ends a selection that cannot go on. */
  async failSelection(message: string): Promise<void> {
    this.#store.failSelection(message, Date.now());
    await this.#proceed();
  }

  /** Drops what has not started. */
  async cancel(): Promise<ProcessState> {
    this.#store.cancel(Date.now());
    await this.#proceed();
    return this.#store.state();
  }

  /** Runs the failed items again; returns how many. Asked again under the same identifier, the number of then. */
  async retry(id: string): Promise<number> {
    const count = this.#store.retry(id, Date.now());
    await this.#proceed();
    return count;
  }

  /**
   * Removes failed items that one of the names names or that have one of the values, folded, because their passes were
   * deleted. Returns which, and whether others may still fail. With `dryRun` it removes nothing.
   */
  async erase(names: string[], values: string[], { dryRun }: { dryRun: boolean }): Promise<ErasedItems> {
    const erased = this.#store.erase(new Set(names), new Set(values), { dryRun, now: Date.now() });
    if (this.#store.exists) await this.#proceed();
    return erased;
  }

  /** Those of the texts, folded, that it holds. */
  textsIn(texts: string[]): string[] {
    return this.#store.exists ? this.#store.held.textsIn(new Set(texts)) : [];
  }

  /** Names of the files that it has made, in the order of its passes. */
  files(): string[] {
    return this.#store.outcomes.files();
  }

  /**
   * Deletes all that is kept of a process that ended before a time (UTC milliseconds). Returns false if it did not, say
   * because it was retried since; then it writes its totals again, which said so.
   */
  async expire(before: number): Promise<boolean> {
    const finishedAt = this.#store.exists ? this.#store.state().finishedAt : 0;
    const hasEnded = finishedAt !== null && finishedAt < before;
    await (hasEnded ? this.destroy() : this.wake());
    return hasEnded;
  }

  /** Ends the process with all that is kept of it, because its account was deleted. */
  async destroy(): Promise<void> {
    this.#watchers.end();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    // A late message must find an object that knows of nothing, not one without tables.
    this.#store = new ProcessStore(this.ctx.storage);
  }

  /** A page of all that is kept of the process, from `place` on (null: the beginning), for a backup. */
  dump(place: string | null): ProcessPage {
    return dumpProcess(this.ctx.storage.sql, place);
  }

  /** Takes over a page of `dump`; the process goes on with the last one. */
  async load(rows: string, isFirst: boolean, isLast: boolean): Promise<void> {
    loadProcess(this.ctx.storage, rows, isFirst);
    this.#store = new ProcessStore(this.ctx.storage);
    if (isLast) await this.#schedule();
  }

  /** Does what is due, and writes its totals once more; for the cron, in case an alarm was lost, or they were. */
  async wake(): Promise<void> {
    if (!this.#store.exists) return;
    this.#store.upkeep.mirrorLater(Date.now());
    await this.#prune();
    await this.#proceed();
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    if (!this.#store.exists) return;
    await this.#mirror();
    await this.#prune();
    await this.#proceed();
  }

  /** Sends what is due, updates the watchers, and sets the alarm for what comes next. */
  async #proceed(): Promise<void> {
    await this.#endInterrupted();
    const now = Date.now();
    const processId = this.#store.id;
    // Read once: the facts can be large.
    const accountId = this.#accountOf();
    const jobs: Job[] = this.#store
      .takeRanges(now)
      .map(({ first, last }) => ({ type: 'apply-process-range', accountId, processId, first, last }));
    if (this.#store.takeSelection(now)) jobs.push({ type: 'select-process-passes', accountId, processId });
    if (this.#store.isFinished) this.#watchers.end();
    else this.#watchers.announce();
    await this.#schedule();
    await this.#send(jobs);
  }

  /** Before an item is called failed whose every attempt was interrupted, the ledger is asked. */
  async #endInterrupted(): Promise<void> {
    const rows = this.#store.interrupted(Date.now());
    if (rows.length === 0) return;
    try {
      const items = rows.map(({ first }) => first);
      this.#store.endInterrupted(rows, await findApplied(await this.#db(), this.#store.id, items), Date.now());
    } catch (error) {
      // They are sent once more, and the ledger is asked again after that.
      this.#logFailure('interrupted', error);
    }
  }

  async #send(jobs: Job[]): Promise<void> {
    try {
      await enqueue({ env: this.env }, jobs);
    } catch (error) {
      // They count as sent, and are sent again when nothing comes of them.
      this.#logFailure('send', error);
    }
  }

  async #schedule(): Promise<void> {
    await useDevClock(this.env);
    const ringsAt = machineTime(this.#store.nextDueAt() ?? Number.POSITIVE_INFINITY);
    if (ringsAt >= this.#alarmAt) return;
    this.#alarmAt = ringsAt;
    await this.ctx.storage.setAlarm(ringsAt);
  }

  async #mirror(): Promise<void> {
    if (!this.#store.upkeep.takeMirror(Date.now())) return;
    try {
      await mirrorProcess(await this.#db(), JSON.parse(this.#store.facts) as ProcessFacts, this.#store.state());
    } catch (error) {
      this.#store.upkeep.mirrorLater(Date.now());
      this.#logFailure('mirror', error);
    }
  }

  async #prune(): Promise<void> {
    if (!this.#store.upkeep.takePrune(Date.now())) return;
    try {
      await pruneLedger(await this.#db(), this.#store.id);
      this.#store.upkeep.pruned();
    } catch (error) {
      this.#logFailure('prune', error);
    }
  }

  #accountOf(): string {
    this.#accountId ??= (JSON.parse(this.#store.facts) as ProcessFacts).account.id;
    return this.#accountId;
  }

  async #db() {
    const origin = { requestId: this.#store.id, waitUntil: (work: Promise<unknown>) => this.ctx.waitUntil(work) };
    await ensureMap({ ...origin, env: this.env });
    return contextOfAccount(this.env, this.#accountOf(), origin).db;
  }

  #logFailure(step: string, error: unknown): void {
    logLine('error', { event: 'process', process: this.#store.id, step, error: describeError(error) });
  }
}
