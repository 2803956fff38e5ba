import { type SQL, sql } from 'drizzle-orm';

/**
 * The values that a query compares with, bound as one JSON parameter: D1 takes 100 parameters a statement. A statement
 * that uses them names the common table `operands`, which is read once for each use and not for each row.
 */
export class Operands {
  #values: unknown[] = [];

  /** SQL for one value, with its type. */
  one(value: string | number): SQL {
    return sql.raw(`(select list ->> ${this.#add(value)} from operands)`);
  }

  /** SQL for the values of a list, as a table for `in`. */
  list(values: unknown[]): SQL {
    return sql.raw(`(select value from operands, json_each(list, '$[${this.#add(values)}]'))`);
  }

  /** SQL for a table with a row for each value: `key`, its place in the list, and `value`. */
  each(values: unknown[]): SQL {
    return sql.raw(`(select key, value from operands, json_each(list, '$[${this.#add(values)}]'))`);
  }

  /** SQL for the member of a list or object at a JSON path, which each row makes anew. */
  member(value: object, path: SQL): SQL {
    return sql`(select list ->> (${sql.raw(`'$[${this.#add(value)}]'`)} || ${path}) from operands)`;
  }

  /** The query of the common table, with the values so far: put the rest of a statement together before. */
  get rows(): SQL {
    return sql`select ${JSON.stringify(this.#values)} as list`;
  }

  /** SQL that begins a statement and makes the common table; see `rows`. */
  get common(): SQL {
    return sql`with operands as (${this.rows})`;
  }

  #add(value: unknown): number {
    return this.#values.push(value) - 1;
  }
}

/** SQL for all of the conditions; joined as a balanced tree, because D1 takes expressions up to a depth of 100. */
export function every(conditions: SQL[]): SQL {
  return joined(conditions, sql`true`, sql` and `);
}

/** SQL for one of the conditions at least; see `every`. */
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
