import { type SQL, sql } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { type Context, ownSession } from '../context.ts';
import { passes } from '../passes/table.ts';
import { ALL, purge } from '../purge.ts';
import { joinFacts } from './facts.ts';
import { passFacts } from './table.ts';

/** Characters from which on a row gets no further facts. */
const ROW_CHARS_MAX = 2_000;
/** Time that a row covers at most, so that it can be deleted soon after its facts are too old. */
export const ROW_SPAN_MS = 30 * 24 * 3_600_000;

/** A fact of a pass as it is stored. */
export interface PassFact {
  passId: string;
  /** From `encodeFact`; or several, joined by commas. */
  fact: string;
}

/**
 * The statement that adds facts to passes of the account, for the batch of what they are about; those of passes that
 * are gone are left out. `facts` is SQL for a query of the columns `pass_id` and `facts`, a row for a pass. They join
 * its newest row, or begin one where that is full.
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

/** SQL for `appendFacts`: facts that are known, as a query of its columns. */
export function listedFacts(facts: PassFact[]): SQL {
  const rows = [...Map.groupBy(facts, ({ passId }) => passId)].map(([passId, ofPass]) => [
    passId,
    ofPass.map(({ fact }) => fact).join(),
  ]);
  return sql`select listed.value ->> 0 as pass_id, listed.value ->> 1 as facts from json_each(${JSON.stringify(rows)}) as listed`;
}

/** The statement for a batch that adds such facts, or none where there are none. */
export function factStatements(ctx: Pick<Context, 'db'>, accountId: string, facts: PassFact[]) {
  return facts.length === 0 ? [] : [appendFacts(ctx, accountId, listedFacts(facts))];
}

/** Adds facts behind the reply, for what changes nothing else: nobody waits for it, and a failure is logged. */
export function appendFactsSoon(ctx: Context, accountId: string, facts: PassFact[]): void {
  if (facts.length === 0) return;
  // A session of its own: it may end after the figures of the request are logged.
  const db = ownSession(ctx);
  ctx.waitUntil(
    appendFacts({ db }, accountId, listedFacts(facts)).then(undefined, (error: unknown) => {
      logLine('error', { event: 'pass-facts', requestId: ctx.requestId, error: describeError(error) });
    }),
  );
}

/** SQL for a column beside `passes`: whether the pass has more rows of facts than this. */
export function hasMoreFacts(rows: number): SQL<number> {
  return sql<number>`exists (select 1 from ${passFacts} as fact where fact.pass_key = passes.key limit 1 offset ${rows})`;
}

/**
 * Deletes the facts of passes of the account that are about to be deleted, where they are too many for the batch: page
 * by page. They go first, because a later pass may get the key.
 */
export async function deleteManyFacts(ctx: Pick<Context, 'db'>, accountId: string, passIds: string[]): Promise<void> {
  const named = sql`(select value from json_each(${JSON.stringify(passIds)}))`;
  const keys = sql`(select ${passes.key} from ${passes} where ${passes.id} in ${named} and +${passes.accountId} = ${accountId})`;
  await purge(ctx, passFacts, sql`${passFacts.passKey} in ${keys}`, ALL);
}

/** The statement that deletes the facts of passes, for the batch that deletes them; `keys` is SQL for a query. */
export function deleteFacts(ctx: Pick<Context, 'db'>, keys: SQL) {
  return ctx.db.delete(passFacts).where(sql`${passFacts.passKey} in ${keys}`);
}
