import { type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import {
  claimAllOf,
  duplicatesRefusal,
  isTakenValue,
  type PassPage,
  pageEndQuery,
  passesOfPage,
  releasePage,
  repeatedValues,
} from '../passes/unique-values.ts';
import { ALL, PAGE_ROWS, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import {
  abandonClaims,
  areClaimed,
  beginClaims,
  type Change,
  type ClaimRun,
  endClaims,
  endRelease,
  keepClaims,
  listChanges,
  listDueChanges,
  newProcessRun,
  processRunOf,
} from '../templates/unique-property-changes.ts';
import { claimInProcess } from './claim-process.ts';

/*
 * A property of a template with many passes becomes unique in pages, so that no statement blocks other requests. From
 * the first page on, writes of passes claim their value. The definition changes once all passes have claimed theirs.
 * The request itself claims few pages, and a process claims more.
 */

/** Pages that a request claims itself. */
const REQUEST_PAGES = 5;
/** Attempts at these pages: some are repeated, and passes are created meanwhile. */
const REQUEST_ATTEMPTS_MAX = 3 * REQUEST_PAGES;

/** Properties that become unique, and the number of the template's passes. */
interface Begun {
  definition: StoredDefinition;
  propertyIds: string[];
  passes: number;
}

/** Claims of one edit of a template. `end` abandons those that its definition didn't make unique. */
export class PagedClaims {
  #ctx: AccountContext;
  #run?: ClaimRun;
  #claimed = new Set<string>();

  constructor(ctx: AccountContext) {
    this.#ctx = ctx;
  }

  /**
   * Claims the values of all passes for properties that become unique. Returns false after a concurrent change, or if
   * there are too many passes for the request; the caller retries. Throws `invalid` with the properties whose values
   * repeat, `conflict` while another edit makes one of them unique, and the errors of `claimInProcess`.
   */
  async claim(templateId: string, begun: Begun): Promise<boolean> {
    const propertyIds = begun.propertyIds.filter((id) => !this.#claimed.has(id));
    if (propertyIds.length === 0) return this.#isHeld(begun.propertyIds);
    const left = { ...begun, propertyIds };
    const isLarge = begun.passes > REQUEST_PAGES * passesOfPage(propertyIds.length);
    const hasProcess = this.#run && processRunOf(this.#run.run) !== undefined;
    // The process of a run can't begin again.
    const isClaimed =
      !hasProcess && (await (isLarge ? this.#claimInProcess(templateId, left) : this.#claimPages(templateId, left)));
    if (isClaimed) for (const id of propertyIds) this.#claimed.add(id);
    else await this.end();
    return isClaimed;
  }

  /** Whether the claims are still those of the run; otherwise gives the run up. */
  async #isHeld(propertyIds: string[]): Promise<boolean> {
    const held = areClaimed(this.#ctx, this.#run!, propertyIds);
    const [state] = await rawStatement<{ held: number }>(this.#ctx.db, sql`select ${held} as held`);
    if (!state?.held) await this.end();
    return Boolean(state?.held);
  }

  /** Has a process claim the values, or joins the process of another edit. */
  async #claimInProcess(templateId: string, { definition, propertyIds, passes }: Begun): Promise<boolean> {
    const ctx = this.#ctx;
    const changes = await listChanges(ctx, templateId, propertyIds);
    const other = changes.find(isUnderWay);
    const joined = processRunOf(other?.run ?? null);
    if (other && !(joined && changes.filter(({ run }) => run === other.run).length === propertyIds.length)) {
      throw beingChanged();
    }
    const processId = joined?.processId ?? uuidv7(shardOf(ctx.account.id));
    if (!joined) {
      for (const { run } of changes) if (run !== null) await abandonClaims(ctx, { templateId, run });
      const [begun] = await ctx.db.batch(beginClaims(ctx, { templateId, run: newProcessRun(processId) }, propertyIds));
      if (begun.length < propertyIds.length) return false;
    }
    const names = new Map(definition.additionalProperties.map(({ id, name }) => [id, name]));
    const properties = propertyIds.map((id) => ({ id, name: names.get(id) ?? id }));
    this.#run = await claimInProcess(ctx, { processId, templateId, properties, passes });
    return this.#run !== undefined;
  }

  async #claimPages(templateId: string, { definition, propertyIds }: Begun): Promise<boolean> {
    await freeProperties(this.#ctx, templateId, propertyIds);
    this.#run ??= { templateId, run: crypto.randomUUID() };
    const [begun] = await this.#ctx.db.batch(beginClaims(this.#ctx, this.#run, propertyIds));
    if (begun.length < propertyIds.length) return false;
    const page: PassPage = { after: '', passes: passesOfPage(propertyIds.length) };
    for (let attempt = 0; attempt < REQUEST_ATTEMPTS_MAX; attempt++) {
      const end = await this.#claimPage(definition, propertyIds, page);
      if (end === 'lost') return false;
      if (end === 'free') continue;
      if (end.count < page.passes) return true;
      page.after = end.last!;
    }
    return false;
  }

  async #claimPage(definition: StoredDefinition, propertyIds: string[], page: PassPage) {
    const ctx = this.#ctx;
    const run = this.#run!;
    const held = areClaimed(ctx, run, propertyIds);
    try {
      const [[end], , , [state]] = await ctx.db.batch([
        pageEndQuery(ctx, run.templateId, page),
        keepClaims(ctx, run),
        claimAllOf(ctx, run.templateId, propertyIds, held, page),
        rawStatement<{ held: number }>(ctx.db, sql`select ${held} as held`),
      ]);
      return state?.held ? end! : 'lost';
    } catch (error) {
      if (!isTakenValue(error)) throw error;
      const repeated = await repeatedValues(ctx, run.templateId, propertyIds, page);
      if (repeated.size > 0) throw duplicatesRefusal(definition, repeated);
      return 'free';
    }
  }

  /** Builds the condition that all values of the properties are claimed; see `claim`. */
  stand(propertyIds: string[]): SQL[] {
    return this.#run ? [areClaimed(this.#ctx, this.#run, propertyIds)] : [];
  }

  /** Builds the statement that turns the claims into those of a definition, after the statements that store it. */
  keep(propertyIds: string[], isWritten: SQL) {
    return this.#run ? [endClaims(this.#ctx, this.#run, propertyIds, isWritten)] : [];
  }

  /**
   * Abandons claims that no definition took over; the cron removes them. After a failure of the service (`error`),
   * those of a process stay for a repeat of the request.
   */
  async end(error?: unknown): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    this.#claimed.clear();
    const hasFailed = error !== undefined && !(error instanceof DomainError);
    if (!run || (hasFailed && processRunOf(run.run))) return;
    await abandonClaims(this.#ctx, run).catch((error: unknown) => {
      logLine('error', { event: 'abandon-claims', template: run.templateId, error: describeError(error) });
    });
  }

  /** Whether there are claims that no definition took over. */
  get isUnderWay(): boolean {
    return this.#run !== undefined;
  }
}

/** Removes claims on properties that earlier edits left. Throws `conflict` while another edit claims their values. */
export async function freeProperties(ctx: AccountContext, templateId: string, propertyIds: string[]): Promise<void> {
  if (propertyIds.length === 0) return;
  const changes = await listChanges(ctx, templateId, propertyIds);
  if (changes.some(isUnderWay)) throw beingChanged();
  for (const { propertyId, run } of changes) {
    if (run !== null) await abandonClaims(ctx, { templateId, run });
    await runInPages(() => releasePage(ctx, templateId, propertyId), ALL);
    await endRelease(ctx, templateId, propertyId);
  }
}

function isUnderWay({ run, dueAt }: Change): boolean {
  return run !== null && dueAt > Date.now();
}

function beingChanged(): DomainError {
  return new DomainError('conflict', 'Another request is making this property unique; try again once it has ended');
}

/** Properties per run of the cron; the next run continues a minute later. */
const CHANGES_MAX = 10;

/** Cron task: releases values of properties that aren't unique, including claims of requests that died. */
export async function releaseUniqueProperties(ctx: Context, now = Date.now()): Promise<void> {
  let pagesLeft = RUN_PAGES_MAX;
  for (const { accountId, templateId, propertyId, run } of await listDueChanges(ctx, now, CHANGES_MAX)) {
    const acting = { ...ctx, account: { id: accountId } };
    if (run !== null) await abandonClaims(acting, { templateId, run });
    for (; pagesLeft > 0; pagesLeft--) {
      if ((await releasePage(acting, templateId, propertyId)) === PAGE_ROWS) continue;
      await endRelease(acting, templateId, propertyId);
      break;
    }
  }
}
