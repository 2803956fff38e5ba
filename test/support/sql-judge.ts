import type { Node } from 'sql-parser-cst';
import { parseStatements } from './parse-sql.ts';
import {
  bare,
  type Confined,
  childrenOf,
  columnOrigin,
  either,
  GIVEN,
  isQuery,
  itemsOf,
  nameOf,
  type Origin,
  type Output,
  resolve,
  type Scope,
  type Source,
  UNKNOWN,
  wordsOf,
} from './sql-scope.ts';
import type { TableFacts } from './tenant-tables.ts';

/** A tenant table in a statement without a condition that limits it to one tenant. */
export interface Fault {
  table: string;
  alias: string;
  /** Columns that the statement compares with given values, which don't prove a tenant. */
  given: string[];
}

/** A condition that holds for each row; in an outer join, only for its right side. */
interface Conjunct {
  expr: Node;
  only?: Source[];
}

/** Functions that return one of their arguments. A literal argument doesn't come from a row. */
const PICKS = ['min', 'max', 'coalesce', 'ifnull', 'nullif'];
const EQUAL = ['=', '==', 'IS', 'IN', 'MATCH'];

type Clauses = Node[];

/**
 * Finds tenant tables that a statement accesses without limiting them to one tenant's rows. A row is limited if its
 * tenant column or a secret equals a given value, or if it is linked to such a row. As in SQLite, `and` adds
 * conditions, `or` needs both sides, and an outer join limits its right side.
 */
export function judge(sql: string, tables: Map<string, TableFacts>): Fault[] {
  return new Judgement(tables).statements(sql);
}

class Judgement {
  #tables: Map<string, TableFacts>;
  #faults: Fault[] = [];
  #given = new Map<Source, Set<string>>();

  constructor(tables: Map<string, TableFacts>) {
    this.#tables = tables;
  }

  statements(sql: string): Fault[] {
    for (const statement of parseStatements(sql)) this.#statement(statement);
    return this.#faults;
  }

  #statement(node: Node): void {
    if (isQuery(node)) this.#query(node, { sources: [], named: new Map() }, new Set(), true);
    else if (node.type === 'update_stmt' || node.type === 'delete_stmt') this.#change(node.clauses);
    else if (node.type === 'insert_stmt') this.#insert(node.clauses);
    // Triggers of a move record and reject rows of the one account they name.
    else if (/^(create|drop)_trigger_stmt$/.test(node.type)) return;
    else if (node.type !== 'empty') throw new Error(`a statement that is not judged: ${node.type}`);
  }

  /** Judges a query if `counts`, and returns what is known about its columns. */
  #query(node: Node, outer: Scope, confined: Confined, counts: boolean): Output[] {
    const query = bare(node);
    if (query.type === 'compound_select_stmt') {
      const left = this.#query(query.left, outer, confined, counts);
      const right = this.#query(query.right, outer, confined, counts);
      return left.map(({ name, origin }, i) => ({ name, origin: either(origin, right[i]?.origin ?? UNKNOWN) }));
    }
    if (query.type !== 'select_stmt') throw new Error(`no query: ${query.type}`);
    const { clauses } = query as { clauses: Clauses };
    const values = clauses.find((clause) => clause.type === 'values_clause');
    const scope = this.#open(clauses, outer, confined, counts);
    if (values?.type === 'values_clause') return this.#values(values, scope, confined, counts);
    const settled = this.#settle(scope, confined);
    if (counts) this.#judge(clauses, scope, settled);
    const select = clauses.find((clause) => clause.type === 'select_clause');
    if (select?.type !== 'select_clause') throw new Error('a query without columns');
    return (select.columns?.items ?? []).flatMap((item) => this.#outputs(item, scope, settled));
  }

  #values(values: Node, scope: Scope, confined: Confined, counts: boolean): Output[] {
    if (counts) this.#subqueries(values, scope, confined);
    const rows = childrenOf(values).flatMap((child) => (child.type === 'list_expr' ? child.items : []));
    const origins = rows.map((row) => itemsOf(row).map((item) => this.#origin(item, scope, confined)));
    return (origins[0] ?? []).map((origin, i) => ({
      name: `column${i + 1}`,
      origin: origins.reduce((known, row) => either(known, row[i] ?? UNKNOWN), origin),
    }));
  }

  #outputs(item: Node, scope: Scope, confined: Confined): Output[] {
    const isAll = item.type === 'all_columns' || (item.type === 'member_expr' && item.property.type === 'all_columns');
    if (isAll) {
      const wanted = item.type === 'member_expr' ? nameOf(item.object) : undefined;
      return scope.sources
        .filter(({ alias }) => wanted === undefined || alias === wanted)
        .flatMap((source) =>
          [...(source.facts?.columns ?? source.columns?.keys() ?? [])].map((name) => ({
            name,
            origin: columnOrigin(source, name, confined),
          })),
        );
    }
    const expr = item.type === 'alias' ? item.expr : item;
    const name = item.type === 'alias' ? item.alias.name : resolve(expr, scope)?.column;
    return [{ name, origin: this.#origin(expr, scope, confined) }];
  }

  /** Judges an update or delete. */
  #change(clauses: Clauses): void {
    const scope = this.#open(clauses, { sources: [], named: new Map() }, new Set(), true);
    this.#judge(clauses, scope, this.#settle(scope, new Set()));
  }

  #insert(clauses: Clauses): void {
    const none = { sources: [], named: new Map() };
    const named = this.#named(clauses, none, new Set(), true);
    const scope: Scope = { sources: [], named };
    const rows = clauses.find((clause) => clause.type === 'values_clause' || isQuery(bare(clause)));
    const outputs =
      rows?.type === 'values_clause'
        ? this.#values(rows, scope, new Set(), true)
        : rows
          ? this.#query(rows, scope, new Set(), true)
          : [];
    const insert = clauses.find((clause) => clause.type === 'insert_clause');
    if (insert?.type !== 'insert_clause') throw new Error('an insert without a table');
    const target = this.#source(insert.table, scope, new Set(), false)[0]!;
    const columns = insert.columns ? itemsOf(insert.columns).map(nameOf) : [...(target.facts?.columns ?? [])];
    const excluded = new Map(columns.map((column, i) => [column, outputs[i]?.origin ?? UNKNOWN]));
    if (wordsOf(insert.insertKw) === 'REPLACE' || wordsOf(insert.orAction?.actionKw) === 'REPLACE') {
      if (target.facts?.hasUniqueIndex) throw new Error('a replacement in a table with further unique values');
      const confined = this.#inTheWay(target, target.facts?.key ?? [], excluded);
      this.#judge([], { ...scope, sources: [target] }, confined);
    }
    for (const clause of clauses) {
      if (clause.type === 'upsert_clause') this.#upsert(clause, target, excluded, scope);
      if (clause.type === 'returning_clause') this.#subqueries(clause, { ...scope, sources: [target] }, new Set());
    }
  }

  /** A row that conflicts with a new one has the same values in the unique columns. */
  #inTheWay(target: Source, columns: string[], values: Map<string, Origin>): Confined {
    const confined: Confined = new Set();
    for (const column of columns) this.#tie(target, column, values.get(column) ?? UNKNOWN, confined);
    return confined;
  }

  #upsert(clause: Node, target: Source, excluded: Map<string, Origin>, around: Scope): void {
    if (clause.type !== 'upsert_clause' || clause.action.type !== 'upsert_action_update') return;
    const scope: Scope = { ...around, sources: [target, { alias: 'excluded', columns: excluded }] };
    const columns = clause.conflictTarget
      ? itemsOf(clause.conflictTarget).map((item) => nameOf(childrenOf(item)[0] ?? item))
      : [];
    const confined = this.#inTheWay(target, columns, excluded);
    const { set, where } = clause.action;
    const settled = where ? this.#reach([{ expr: where.expr }], scope, confined) : confined;
    this.#judge([set, ...(where ? [where] : [])], scope, settled, [target]);
  }

  /** Builds the scope of a select, update or delete, with the conditions of its joins and its WHERE. */
  #open(clauses: Clauses, outer: Scope, confined: Confined, counts: boolean): Scope & { conjuncts: Conjunct[] } {
    const named = this.#named(clauses, outer, confined, counts);
    const around: Scope = { ...outer, named };
    const conjuncts: Conjunct[] = [];
    const sources: Source[] = [];
    for (const clause of clauses) {
      if (clause.type === 'update_clause' && wordsOf(clause.orAction?.actionKw) === 'REPLACE') {
        throw new Error('an update that replaces other rows');
      }
      if (clause.type === 'update_clause' || clause.type === 'delete_clause') {
        sources.push(...clause.tables.items.flatMap((item) => this.#source(item, around, confined, counts)));
      } else if (clause.type === 'from_clause') {
        sources.push(...this.#source(clause.expr, around, confined, counts, conjuncts));
      } else if (clause.type === 'where_clause') conjuncts.push({ expr: clause.expr });
    }
    return { sources, outer, named, conjuncts };
  }

  #named(clauses: Clauses, outer: Scope, confined: Confined, counts: boolean): Map<string, Output[]> {
    const named = new Map(outer.named);
    for (const clause of clauses) {
      if (clause.type !== 'with_clause') continue;
      for (const { table, columns, expr } of clause.tables.items) {
        const names = columns?.expr.items.map(nameOf);
        const rename = (outputs: Output[]) =>
          outputs.map((output, i) => ({ name: names?.[i] ?? output.name, origin: output.origin }));
        const query = bare(expr);
        // A recursive query starts with its first part; each iteration can only reduce what is known about its columns.
        if (clause.recursiveKw && query.type === 'compound_select_stmt') {
          let known = rename(this.#query(query.left, { ...outer, named }, confined, false));
          for (let before = ''; before !== JSON.stringify(known); ) {
            before = JSON.stringify(known);
            named.set(table.name, known);
            known = rename(this.#query(query, { ...outer, named }, confined, false));
          }
        }
        named.set(table.name, rename(this.#query(query, { ...outer, named }, confined, counts)));
      }
    }
    return named;
  }

  /** Returns the sources of a FROM; join conditions are added to `conjuncts`. */
  #source(node: Node, outer: Scope, confined: Confined, counts: boolean, conjuncts: Conjunct[] = []): Source[] {
    const again = (inner: Node) => this.#source(inner, outer, confined, counts, conjuncts);
    if (node.type === 'join_expr') {
      const left = again(node.left);
      // A function may use the sources before it.
      const seen = { ...outer, sources: [...left, ...outer.sources] };
      const right = this.#source(node.right, seen, confined, counts, conjuncts);
      const operator = wordsOf(node.operator);
      if (/RIGHT|FULL|NATURAL/.test(operator)) throw new Error(`a join that is not judged: ${operator}`);
      const only = operator.includes('LEFT') ? right : undefined;
      if (node.specification?.type === 'join_on_specification') {
        conjuncts.push({ expr: node.specification.expr, only });
      } else if (node.specification) throw new Error('a join that is not judged: USING');
      return [...left, ...right];
    }
    if (node.type === 'alias') return again(node.expr).map((source) => ({ ...source, alias: node.alias.name }));
    if (node.type === 'indexed_table' || node.type === 'not_indexed_table') return again(node.table);
    if (node.type === 'func_call') {
      if (node.args) this.#subqueries(node.args, outer, confined, counts);
      return [{ alias: nameOf(node.name), ...this.#made(node, outer, confined) }];
    }
    if (node.type === 'paren_expr' && !isQuery(bare(node))) return again(node.expr);
    if (node.type === 'paren_expr') return [this.#derived('', this.#query(node, outer, confined, counts))];
    const name = nameOf(node);
    const outputs = outer.named.get(name);
    if (outputs) return [this.#derived(name, outputs)];
    const facts = this.#tables.get(name);
    if (!facts) throw new Error(`a table that test/support/tenant-tables.ts does not know: ${name}`);
    return [{ alias: name, facts }];
  }

  /**
   * Returns what is known about the rows of a table function: given for given arguments, a column's values for a
   * column, otherwise nothing.
   */
  #made(call: Node, scope: Scope, confined: Confined): Partial<Source> {
    if (this.#isGiven(call, scope, confined)) return {};
    const [first] = call.type === 'func_call' && call.args ? call.args.expr.args.items : [];
    const unpacked = first && resolve(first, scope);
    if (unpacked) return { unpacks: unpacked };
    return { columns: new Map(['key', 'value'].map((column) => [column, UNKNOWN])) };
  }

  #derived(alias: string, outputs: Output[]): Source {
    return { alias, columns: new Map(outputs.map(({ name = '', origin }) => [name, origin])) };
  }

  #settle(scope: Scope & { conjuncts: Conjunct[] }, confined: Confined): Confined {
    return this.#reach(scope.conjuncts, scope, confined);
  }

  /** Returns all sources that the conditions confine, including those in `confined`. */
  #reach(conjuncts: Conjunct[], scope: Scope, confined: Confined): Confined {
    const reached = new Set(confined);
    for (let before = -1; before < reached.size; ) {
      before = reached.size;
      for (const { expr, only } of conjuncts) this.#confine(expr, scope, reached, only);
    }
    return reached;
  }

  #confine(node: Node, scope: Scope, confined: Confined, only?: Source[]): void {
    const expr = bare(node);
    const add = (source: Source) => {
      if (!only || only.includes(source)) confined.add(source);
    };
    if (expr.type === 'boolean_literal' && !expr.value) {
      // There are no rows at all.
      for (const source of scope.sources) add(source);
    } else if (expr.type === 'binary_expr') {
      const operator = wordsOf(expr.operator);
      if (operator === 'AND') for (const side of [expr.left, expr.right]) this.#confine(side, scope, confined, only);
      else if (operator === 'OR') {
        const [left, right] = [expr.left, expr.right].map((side) =>
          this.#reach([{ expr: side, only }], scope, confined),
        );
        for (const source of left!) if (right!.has(source)) add(source);
      } else if (EQUAL.includes(operator)) {
        this.#equal(expr.left, expr.right, scope, confined, add);
      }
    } else if (expr.type === 'prefix_op_expr' && wordsOf(expr.operator) === 'EXISTS') {
      const query = bare(expr.expr);
      if (query.type !== 'select_stmt' || isAggregate(query)) return;
      const inner = this.#open(query.clauses as Clauses, scope, confined, false);
      for (const source of this.#settle(inner, confined)) if (!inner.sources.includes(source)) add(source);
    } else if (expr.type === 'postfix_op_expr' && wordsOf(expr.operator) === 'ISNULL') {
      this.#equal(expr.expr, { type: 'null_literal' } as Node, scope, confined, add);
    }
  }

  #equal(left: Node, right: Node, scope: Scope, confined: Confined, add: (source: Source) => void): void {
    const sides = [left, right].map((side) => this.#row(side, scope, confined));
    const [lefts, rights] = sides as [Side[], Side[]];
    // `x in (?, ?)`: the left value may be any of the right ones.
    const paired =
      lefts.length === 1 ? rights.map((side) => [lefts[0]!, side]) : lefts.map((side, i) => [side, rights[i]!]);
    const tie = (to: Side, from: Side | undefined) => {
      if (!to.source || !from) return;
      const reached: Confined = new Set();
      this.#tie(to.source, to.column!, from.origin, reached);
      for (const source of reached) add(source);
    };
    if (lefts.length === 1 && rights.length > 1) {
      tie(lefts[0]!, { origin: rights.map(({ origin }) => origin).reduce(either) });
      return;
    }
    for (const [one, other] of paired as [Side, Side | undefined][]) {
      tie(one, other);
      if (other) tie(other, one);
    }
  }

  /** Confines a source if one of its columns equals a value. */
  #tie(source: Source, column: string, value: Origin, confined: Confined): void {
    const { facts } = source;
    if (!facts) return;
    if (value.given) this.#given.set(source, (this.#given.get(source) ?? new Set()).add(column));
    const isProof = facts.tenant.has(column) || facts.secrets.has(column);
    const named = facts.references.get(column);
    const isOwn = value.confined && named !== undefined && named === value.names;
    // A value with two possible origins must be valid for both.
    if ((isProof || !value.given) && (isOwn || !value.stored)) confined.add(source);
  }

  /** Returns the values of `(a, b)`, of a query's columns, or a single value. */
  #row(node: Node, scope: Scope, confined: Confined): Side[] {
    const expr = bare(node);
    if (isQuery(expr)) return this.#query(expr, scope, confined, false).map(({ origin }) => ({ origin }));
    return itemsOf(expr).map((item) => {
      const found = resolve(bare(item), scope);
      return { ...found, origin: this.#origin(item, scope, confined) };
    });
  }

  #origin(node: Node, scope: Scope, confined: Confined): Origin {
    const expr = bare(node);
    if (isQuery(expr)) return this.#query(expr, scope, confined, false)[0]?.origin ?? UNKNOWN;
    const found = resolve(expr, scope);
    if (found) return columnOrigin(found.source, found.column, confined);
    if (expr.type === 'func_call' && expr.args && PICKS.includes(nameOf(expr.name).toLowerCase())) {
      const { args } = expr.args.expr;
      const picked = args.items.filter(({ type }) => !type.endsWith('_literal'));
      const [first, ...others] = picked.map((item) => this.#origin(item, scope, confined));
      return others.reduce(either, first ?? UNKNOWN);
    }
    return this.#isGiven(expr, scope, confined) ? GIVEN : UNKNOWN;
  }

  /** Whether a value only depends on the statement's parameters and literals. */
  #isGiven(node: Node, scope: Scope, confined: Confined): boolean {
    if (isQuery(node)) return this.#query(node, scope, confined, false).every(({ origin }) => !origin.stored);
    if (node.type === 'identifier' || node.type === 'member_expr') {
      const found = resolve(node, scope);
      return found !== undefined && !columnOrigin(found.source, found.column, confined).stored;
    }
    return childrenOf(node).every((child) => this.#isGiven(child, scope, confined));
  }

  /** Records the sources that nothing confines, and judges the subqueries in the clauses. */
  #judge(clauses: Clauses, scope: Scope, confined: Confined, sources = scope.sources): void {
    for (const source of sources) if (!confined.has(source)) this.#blame(source);
    for (const clause of clauses) {
      if (clause.type !== 'with_clause' && clause.type !== 'from_clause') this.#subqueries(clause, scope, confined);
      if (clause.type === 'from_clause') for (const on of conditionsIn(clause)) this.#subqueries(on, scope, confined);
    }
  }

  #blame(source: Source): void {
    const { facts, alias } = source;
    if (!facts || facts.isOpen) return;
    this.#faults.push({ table: facts.name, alias, given: [...(this.#given.get(source) ?? [])] });
  }

  #subqueries(node: Node, scope: Scope, confined: Confined, counts = true): void {
    if (!counts) return;
    if (isQuery(node)) this.#query(node, scope, confined, true);
    else for (const child of childrenOf(node)) this.#subqueries(child, scope, confined);
  }
}

/** Whether a query can return a row without finding any: `select count(*) …`. */
function isAggregate(query: Node): boolean {
  const calls = (node: Node): boolean => node.type === 'func_call' || (!isQuery(node) && childrenOf(node).some(calls));
  return childrenOf(query).some((clause) => clause.type === 'select_clause' && calls(clause));
}

/** A side of an equation: what is known about it, and its place if it is a column. */
interface Side {
  origin: Origin;
  source?: Source;
  column?: string;
}

/** Returns the conditions of a FROM's joins; those of its subqueries are judged with them. */
function conditionsIn(node: Node): Node[] {
  if (node.type === 'join_on_specification') return [node];
  return isQuery(node) ? [] : childrenOf(node).flatMap(conditionsIn);
}
