import { fillPlaceholders, QueryPromise } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Db } from './db.ts';
import { rowReader, type SelectedField } from './row-reader.ts';

/** A query to await, or to put into a batch with others. */
export interface PreparedQuery<T> extends QueryPromise<T> {
  /** A mark of drizzle's for types; no value has it. */
  readonly _: { readonly dialect: 'sqlite'; readonly result: T };
}

/** A query as drizzle compiles it: the text, the parameters with their placeholders, and how rows are read. */
interface Plan {
  getQuery(): { sql: string; params: unknown[] };
  mapResult(result: unknown, isFromBatch: boolean): unknown;
  executeMethod?: string;
  fields?: SelectedField[];
  customResultMapper?: unknown;
  /** By table of a join: whether its columns are there in every row. */
  joinsNotNullableMap?: Record<string, boolean>;
}

/** Builds queries and runs none. */
const builder = drizzle({ prepare: () => ({}) as D1PreparedStatement } as Partial<D1Database> as D1Database);

/**
 * A query that is built once an isolate instead of once a request; building one of many columns takes about 0.2 ms,
 * which is most of what this service adds to a read (`npm run bench`). `build` puts `sql.placeholder(name)` where calls
 * differ; the function that is returned takes their values and the database to ask.
 */
export function prepareQuery<T>(
  build: (db: Db) => PromiseLike<T> & { prepare(): unknown },
): (db: Db, values: Record<string, unknown>) => PreparedQuery<T> {
  let plan: Plan | undefined;
  return (db, values) => {
    plan ??= withRowReader(build(builder).prepare() as Plan);
    const { $client } = db as Db & { $client: D1Database };
    return new PlannedQuery<T>($client, plan, values);
  };
}

/** Reads rows faster than drizzle where that gives the same: for lists of rows without tables that may be missing. */
function withRowReader(plan: Plan): Plan {
  const { executeMethod, fields, customResultMapper, joinsNotNullableMap = {} } = plan;
  const isPlain = executeMethod === 'all' && !customResultMapper && !Object.values(joinsNotNullableMap).includes(false);
  const read = isPlain && fields ? rowReader(fields) : undefined;
  if (!read) return plan;
  return {
    getQuery: () => plan.getQuery(),
    mapResult: (result) => (result as D1Result<Record<string, unknown>>).results.map(read),
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

  /** The method that drizzle's `batch` calls on each of its queries. */
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
