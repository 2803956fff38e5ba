import { type SQL, sql } from 'drizzle-orm';

/** Up to this many alternatives are written out in SQL; more become a table. */
export const WRITTEN_OUT_MAX = 8;

/**
 * The values that a query compares with, bound as one JSON parameter because D1 allows 100 parameters per statement. A
 * statement that uses them needs the common table `operands`, which is read once per use, not once per row.
 */
export class Operands {
  #values: unknown[] = [];

  /** Returns SQL for one value, with its type. */
  one(value: string | number): SQL {
    return sql.raw(`(select list ->> ${this.#add(value)} from operands)`);
  }

  /** Returns SQL for a list of values, as a table for `in`. */
  list(values: unknown[]): SQL {
    return sql.raw(`(select value from operands, json_each(list, '$[${this.#add(values)}]'))`);
  }

  /** Returns SQL for a table with a row per value: `key`, its place in the list, and `value`. */
  each(values: unknown[]): SQL {
    return sql.raw(`(select key, value from operands, json_each(list, '$[${this.#add(values)}]'))`);
  }

  /** Returns SQL for the member of a list or object at a JSON path, which is evaluated for each row. */
  member(value: object, path: SQL): SQL {
    return sql`(select list ->> (${sql.raw(`'$[${this.#add(value)}]'`)} || ${path}) from operands)`;
  }

  /** Query of the common table with the values so far; build the rest of the statement first. */
  get rows(): SQL {
    return sql`select ${JSON.stringify(this.#values)} as list`;
  }

  /** SQL that starts a statement with the common table; see `rows`. */
  get common(): SQL {
    return sql`with operands as (${this.rows})`;
  }

  #add(value: unknown): number {
    return this.#values.push(value) - 1;
  }
}

/** Joins conditions with AND, as a balanced tree because D1 limits the depth of an expression to 100. */
export function every(conditions: SQL[]): SQL {
  return joined(conditions, sql`true`, sql` and `);
}

/** Joins conditions with OR; see `every`. */
export function some(conditions: SQL[]): SQL {
  return joined(conditions, sql`false`, sql` or `);
}

function joined(conditions: SQL[], none: SQL, by: SQL): SQL {
  const [first] = conditions;
  if (!first) return none;
  if (conditions.length === 1) return first;
  const middle = conditions.length >> 1;
  return sql`(${joined(conditions.slice(0, middle), none, by)}${by}${joined(conditions.slice(middle), none, by)})`;
}
