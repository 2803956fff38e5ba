import { DurableObject } from 'cloudflare:workers';
import { useDevClock } from '../../dev/clock.ts';
import { machineTime } from '../../platform/clock.ts';
import type { Env } from '../../platform/env.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { contextOfAccount } from '../context.ts';
import { ensureMap } from '../databases/follow-moves.ts';
import { enqueue } from '../enqueue.ts';
import type { Job } from '../jobs.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { ErasedItems } from './held-values.ts';
import { findApplied, pruneLedger } from './ledger.ts';
import { mirrorProcess } from './mirror-process.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import { dumpProcess, loadProcess, type ProcessPage } from './process-dump.ts';
import type { SelectedPage } from './process-row.ts';
import type { CanceledProcess, ProcessFacts, ProcessItem, ProcessState } from './process-state.ts';
import { ProcessStore } from './process-store.ts';
import type { Range } from './range-store.ts';
import { Watchers } from './watchers.ts';

/** A claimed range. JSON texts, because they only pass through. */
export interface ClaimedRange {
  claim: number;
  /** JSON of `ProcessFacts`. */
  facts: string;
  /** JSON of `ProcessItem[]`. */
  items: string;
}

/** The next part of the selection. */
export interface OpenSelection {
  /** JSON of `ProcessFacts`. */
  facts: string;
  /** Identifier of the last selected pass; null: none yet. */
  afterId: string | null;
}

/**
 * One object per process, named by its identifier. It stores the items and sends their ranges as queue messages;
 * consumers claim a range, apply it in D1 and report back. The alarm resends overdue ranges, so messages, consumers and
 * this object may be lost at any time.
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
    // An alarm can be lost with the machine, so the object sets it again when it starts.
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

  /** Returns the state as lines of JSON, one per change; ends with the process. Undefined if too many are watching. */
  watch(): ReadableStream<Uint8Array> | undefined {
    return this.#watchers.open(this.#store.state().finishedAt !== null);
  }

  /** Claims a range; undefined if there is nothing left to do for it, or another consumer has it. */
  claim(range: Range): ClaimedRange | undefined {
    const claimed = this.#store.claim(range, Date.now());
    return claimed && { ...claimed, facts: this.#store.facts };
  }

  /** Stores the counts of a claimed range's items, before the work on them. `noted` is JSON of `NotedOutcome`. */
  note(range: Range, claim: number, noted: string): void {
    this.#store.note(range, claim, JSON.parse(noted) as NotedOutcome);
  }

  /** Records that a claimed range was applied, except for the failed items. */
  async report(range: Range, claim: number, failed: FailedItem[], outcome?: Outcome): Promise<void> {
    await this.#change((now) => this.#store.report(range, claim, failed, now, outcome));
  }

  /** Records that a claimed range couldn't be applied. */
  async giveBack(range: Range, claim: number): Promise<void> {
    await this.#change((now) => this.#store.giveBack(range, claim, now));
  }

  /** Makes a claimed range wait while its account is suspended; this doesn't count as an attempt. */
  async pause(range: Range, claim: number): Promise<void> {
    await this.#change((now) => this.#store.pause(range, claim, now));
  }

  /** Claims the selection at its current position; undefined if there is nothing to select. */
  selection(): OpenSelection | undefined {
    const afterId = this.#store.selection.claim();
    return afterId === undefined ? undefined : { afterId, facts: this.#store.facts };
  }

  /** Adds a page of passes after `afterId`; false if another consumer has added it. */
  async addSelected(afterId: string | null, ids: string[], page: SelectedPage): Promise<boolean> {
    return this.#change((now) => this.#store.addSelected(afterId, ids, page, now));
  }

  /** Sends the next message of the selection. */
  async continueSelection(): Promise<void> {
    await this.#change((now) => this.#store.selection.continue(now));
  }

  /** Ends a selection that can't continue. */
  async failSelection(message: string): Promise<void> {
    await this.#change((now) => this.#store.failSelection(message, now));
  }

  /** Drops everything that hasn't started. */
  async cancel(): Promise<CanceledProcess> {
    const hadEnded = this.#store.state().finishedAt !== null;
    const stopped = await this.#change((now) => this.#store.cancel(now));
    return { ...this.#store.state(), hadEnded, stopped };
  }

  /** Retries the failed items and returns their number; repeated with the same `id`, the number of the first time. */
  async retry(id: string): Promise<number> {
    return this.#change((now) => this.#store.retry(id, now));
  }

  /**
   * Removes failed items with one of the names or folded values, because their passes were deleted. Returns the removed
   * items, and whether others may still fail. With `dryRun` it removes nothing.
   */
  async erase(names: string[], values: string[], { dryRun }: { dryRun: boolean }): Promise<ErasedItems> {
    const erased = this.#store.erase(new Set(names), new Set(values), { dryRun, now: Date.now() });
    if (this.#store.exists) await this.#proceed();
    return erased;
  }

  /** Returns the folded texts that the process holds. */
  textsIn(texts: string[]): string[] {
    return this.#store.exists ? this.#store.held.textsIn(new Set(texts)) : [];
  }

  /** Returns the names of the files that the process made, in the order of its passes. */
  files(): string[] {
    return this.#store.outcomes.files();
  }

  /**
   * Deletes the state of a process that ended before a time (UTC milliseconds). Returns false if it didn't, for example
   * because of a retry since; then it rewrites its totals, which were outdated.
   */
  async expire(before: number): Promise<boolean> {
    const finishedAt = this.#store.exists ? this.#store.state().finishedAt : 0;
    const hasEnded = finishedAt !== null && finishedAt < before;
    await (hasEnded ? this.destroy() : this.wake());
    return hasEnded;
  }

  /** Ends the process and deletes its state, because its account was deleted. */
  async destroy(): Promise<void> {
    this.#watchers.end();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    // A late message must find an empty object, not one without tables.
    this.#store = new ProcessStore(this.ctx.storage);
  }

  /** Returns a page of the process's state for a backup, starting at `place` (null: the beginning). */
  dump(place: string | null): ProcessPage {
    return dumpProcess(this.ctx.storage.sql, place);
  }

  /** Stores a page of `dump`; the process resumes with the last one. */
  async load(rows: string, isFirst: boolean, isLast: boolean): Promise<void> {
    loadProcess(this.ctx.storage, rows, isFirst);
    this.#store = new ProcessStore(this.ctx.storage);
    if (isLast) await this.#schedule();
  }

  /** Does the work that is due and rewrites the totals; for the cron, in case either was lost. */
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

  /** Changes the state, then does the work that follows. */
  async #change<T>(change: (now: number) => T): Promise<T> {
    const result = change(Date.now());
    await this.#proceed();
    return result;
  }

  /** Sends due jobs, updates the watchers, and sets the next alarm. */
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

  /** Reads the ledger before an item fails because all its attempts were interrupted. */
  async #endInterrupted(): Promise<void> {
    const rows = this.#store.interrupted(Date.now());
    if (rows.length === 0) return;
    try {
      const items = rows.map(({ first }) => first);
      this.#store.endInterrupted(rows, await findApplied(await this.#db(), this.#store.id, items), Date.now());
    } catch (error) {
      // They are sent once more, and the ledger is read again after that.
      this.#logFailure('interrupted', error);
    }
  }

  async #send(jobs: Job[]): Promise<void> {
    try {
      await enqueue({ env: this.env }, jobs);
    } catch (error) {
      // They count as sent, and are resent if no result arrives.
      this.#logFailure('send', error);
    }
  }

  async #schedule(): Promise<void> {
    await useDevClock(this.env);
    const alarmAt = machineTime(this.#store.nextDueAt() ?? Number.POSITIVE_INFINITY);
    if (alarmAt >= this.#alarmAt) return;
    this.#alarmAt = alarmAt;
    await this.ctx.storage.setAlarm(alarmAt);
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
