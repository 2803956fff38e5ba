import { type SQL, sql } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { type Context, ownSession } from '../context.ts';
import { passes } from '../passes/table.ts';
import { ALL, purge } from '../purge.ts';
import { joinFacts } from './facts.ts';
import { passFacts } from './table.ts';

/** A row with this many characters gets no further facts. */
const ROW_CHARS_MAX = 2_000;
/** Longest time that a row covers, so that it can be deleted soon after its facts are too old. */
export const ROW_SPAN_MS = 30 * 24 * 3_600_000;

/** A stored fact of a pass. */
export interface PassFact {
  passId: string;
  /** From `encodeFact`; or several, joined by commas. */
  fact: string;
}

/**
 * Builds the statement that adds facts to passes of the account, for the batch they are about; skips passes that are
 * gone. `facts` is an SQL query with the columns `pass_id` and `facts`, one row per pass. They join the newest row of
 * the pass, or begin one if that is full.
 */
export function appendFacts(ctx: Pick<Context, 'db'>, accountId: string | SQL, facts: SQL, now = Date.now()) {
  const newest = sql.raw('newest.began_at');
  const place = sql`select iif(length(newest.facts) < ${ROW_CHARS_MAX} and ${newest} > ${now - ROW_SPAN_MS}, ${newest},
    max(${newest} + 1, ${now})) from ${passFacts} as newest where newest.pass_key = ${passes.key} order by ${newest} desc limit 1`;
  return rawStatement(
    ctx.db,
    sql`insert into ${passFacts} (pass_key, began_at, facts)
      select ${passes.key}, coalesce((${place}), ${now}), new.facts
      from (${facts}) as new cross join ${passes} on ${passes.id} = new.pass_id and +${passes.accountId} = ${accountId}
      where true
      on conflict (pass_key, began_at) do update set facts = ${joinFacts(sql.raw('pass_facts.facts'), sql.raw('excluded.facts'))}`,
  );
}

/** Returns SQL for `appendFacts`: a query that lists known facts. */
export function listedFacts(facts: PassFact[]): SQL {
  const rows = [...Map.groupBy(facts, ({ passId }) => passId)].map(([passId, ofPass]) => [
    passId,
    ofPass.map(({ fact }) => fact).join(),
  ]);
  return sql`select listed.value ->> 0 as pass_id, listed.value ->> 1 as facts from json_each(${JSON.stringify(rows)}) as listed`;
}

/** Builds the statement that adds such facts to a batch; empty without facts. */
export function factStatements(ctx: Pick<Context, 'db'>, accountId: string, facts: PassFact[]) {
  return facts.length === 0 ? [] : [appendFacts(ctx, accountId, listedFacts(facts))];
}

/** Adds facts after the reply, for requests that change nothing else. Nobody waits for it, and a failure is logged. */
export function appendFactsSoon(ctx: Context, accountId: string, facts: PassFact[]): void {
  if (facts.length === 0) return;
  // A separate session: it may end after the metrics of the request are logged.
  const db = ownSession(ctx);
  ctx.waitUntil(
    appendFacts({ db }, accountId, listedFacts(facts)).then(undefined, (error: unknown) => {
      logLine('error', { event: 'pass-facts', requestId: ctx.requestId, error: describeError(error) });
    }),
  );
}

/** Returns SQL for a column next to `passes`: whether the pass has more rows of facts than this. */
export function hasMoreFacts(rows: number): SQL<number> {
  return sql<number>`exists (select 1 from ${passFacts} as fact where fact.pass_key = passes.key limit 1 offset ${rows})`;
}

/**
 * Deletes the facts of passes that are about to be deleted, page by page, if they are too many for the batch. They go
 * first, because a later pass may get the key.
 */
export async function deleteManyFacts(ctx: Pick<Context, 'db'>, accountId: string, passIds: string[]): Promise<void> {
  const named = sql`(select value from json_each(${JSON.stringify(passIds)}))`;
  const keys = sql`(select ${passes.key} from ${passes} where ${passes.id} in ${named} and +${passes.accountId} = ${accountId})`;
  await purge(ctx, passFacts, sql`${passFacts.passKey} in ${keys}`, ALL);
}

/** Builds the statement that deletes the facts of passes, for the batch that deletes them; `keys` is an SQL query. */
export function deleteFacts(ctx: Pick<Context, 'db'>, keys: SQL) {
  return ctx.db.delete(passFacts).where(sql`${passFacts.passKey} in ${keys}`);
}
