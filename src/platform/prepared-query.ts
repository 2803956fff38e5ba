import { fillPlaceholders, QueryPromise } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Db } from './db.ts';
import './row-reader.ts';

/** A query to await or to add to a batch. */
export interface PreparedQuery<T> extends QueryPromise<T> {
  /** Drizzle's type marker; no value has it. */
  readonly _: { readonly dialect: 'sqlite'; readonly result: T };
}

/** A query that drizzle compiled: its text, its parameters with placeholders, and how its rows are read. */
interface Plan {
  getQuery(): { sql: string; params: unknown[] };
  mapResult(result: unknown, isFromBatch: boolean): unknown;
}

/** Builds queries without running them. */
const builder = drizzle({ prepare: () => ({}) as D1PreparedStatement } as Partial<D1Database> as D1Database);

/**
 * Prepares a query once per isolate instead of once per request. Building one with many columns takes about 0.2 ms,
 * most of what this service adds to a read (`npm run bench`). `build` uses `sql.placeholder(name)`; the returned
 * function takes the values and the database.
 */
export function prepareQuery<T>(
  build: (db: Db) => PromiseLike<T> & { prepare(): unknown },
): (db: Db, values: Record<string, unknown>) => PreparedQuery<T> {
  let plan: Plan | undefined;
  return (db, values) => {
    plan ??= build(builder).prepare() as Plan;
    const { $client } = db as Db & { $client: D1Database };
    return new PlannedQuery<T>($client, plan, values);
  };
}

class PlannedQuery<T> extends QueryPromise<T> implements PreparedQuery<T> {
  declare readonly _: PreparedQuery<T>['_'];
  #client: D1Database;
  #plan: Plan;
  #values: Record<string, unknown>;

  constructor(client: D1Database, plan: Plan, values: Record<string, unknown>) {
    super();
    this.#client = client;
    this.#plan = plan;
    this.#values = values;
  }

  async execute(): Promise<T> {
    const { stmt, getQuery, mapResult } = this._prepare();
    return mapResult(await stmt.bind(...getQuery().params).all(), true) as T;
  }

  /** Drizzle's `batch` calls this method on each query. */
  _prepare() {
    const { sql, params } = this.#plan.getQuery();
    const filled = fillPlaceholders(params, this.#values);
    return {
      stmt: this.#client.prepare(sql),
      getQuery: () => ({ sql, params: filled }),
      mapResult: (result: unknown, isFromBatch: boolean) => this.#plan.mapResult(result, isFromBatch),
    };
  }
}
