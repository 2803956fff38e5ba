import { type SQL, sql } from 'drizzle-orm';
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
  releasePage,
  repeatedValues,
} from '../passes/unique-values.ts';
import { ALL, PAGE_ROWS, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import {
  abandonClaims,
  areClaimed,
  beginClaims,
  type ClaimRun,
  endClaims,
  endRelease,
  keepClaims,
  listChanges,
  listDueChanges,
} from '../templates/unique-property-changes.ts';

/*
 * A property of a template with many passes becomes unique in pages, so that no statement blocks other requests. From
 * the first page on, writes of passes claim their value. The definition changes once all passes have claimed theirs.
 */

/** Returns the number of passes whose values for this many properties one statement writes. */
export function passesOfPage(properties: number): number {
  return Math.max(1, Math.floor(PAGE_ROWS / Math.max(1, properties)));
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
   * Claims the values of all passes for properties that become unique. Returns false after a concurrent change; the
   * caller retries. Throws `invalid` with the properties whose values repeat, and `conflict` while another edit makes
   * one of them unique.
   */
  async claim(templateId: string, definition: StoredDefinition, propertyIds: string[]): Promise<boolean> {
    const left = propertyIds.filter((id) => !this.#claimed.has(id));
    if (left.length === 0) return true;
    await freeProperties(this.#ctx, templateId, left);
    this.#run ??= { templateId, run: crypto.randomUUID() };
    const [begun] = await this.#ctx.db.batch(beginClaims(this.#ctx, this.#run, left));
    if (begun.length < left.length) return false;
    const page: PassPage = { after: '', passes: passesOfPage(left.length) };
    for (;;) {
      const end = await this.#claimPage(definition, left, page);
      if (end === 'lost') {
        await this.end();
        return false;
      }
      if (end === 'free') continue;
      if (end.count < page.passes) break;
      page.after = end.last!;
    }
    for (const id of left) this.#claimed.add(id);
    return true;
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

  /** Abandons claims that no definition took over; the cron removes them. */
  async end(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    this.#claimed.clear();
    if (!run) return;
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
  for (const { propertyId, run, dueAt } of await listChanges(ctx, templateId, propertyIds)) {
    if (run !== null && dueAt > Date.now()) {
      throw new DomainError('conflict', 'Another request is making this property unique; try again once it has ended');
    }
    if (run !== null) await abandonClaims(ctx, { templateId, run });
    await runInPages(() => releasePage(ctx, templateId, propertyId), ALL);
    await endRelease(ctx, templateId, propertyId);
  }
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
