import type { Node } from 'sql-parser-cst';
import type { TableFacts } from './tenant-tables.ts';

/** What is known about a value in a statement. */
export interface Origin {
  /** It may come from the statement: a parameter, a literal, or a function of them. */
  given: boolean;
  /** It may come from a row, or be derived from one. */
  stored: boolean;
  /** The table of the row that it identifies, if any. */
  names?: string;
  /** Whether only one tenant can have that row. */
  confined: boolean;
}

/** A result column. */
export interface Output {
  name?: string;
  origin: Origin;
}

/**
 * A source in a FROM: a table, or (without `facts`) rows that the statement creates, whose columns are known or all
 * given.
 */
export interface Source {
  alias: string;
  facts?: TableFacts;
  columns?: Map<string, Origin>;
  /** The column whose list it unpacks: its values have that column's origin. */
  unpacks?: { source: Source; column: string };
}

/** Sources visible to an expression, nearest first, and the named subqueries. */
export interface Scope {
  sources: Source[];
  outer?: Scope;
  named: Map<string, Output[]>;
}

/** The sources whose rows belong to one tenant. */
export type Confined = Set<Source>;

export const GIVEN: Origin = { given: true, stored: false, confined: false };
export const UNKNOWN: Origin = { given: false, stored: true, confined: false };

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const children = new WeakMap<Node, Node[]>();

/** Returns a node's direct children in text order, without names of functions and types. */
export function childrenOf(node: Node): Node[] {
  const known = children.get(node) ?? findChildren(node);
  children.set(node, known);
  return known;
}

function findChildren(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if ((node.type === 'func_call' && key === 'name') || key === 'dataType') return [];
    return [value].flat().filter(isNode);
  });
}

/** Returns a node without its parentheses, or the plus that keeps a condition from choosing an index. */
export function bare(node: Node): Node {
  if (node.type === 'prefix_op_expr' && node.operator === '+') return bare(node.expr);
  return node.type === 'paren_expr' ? bare(node.expr) : node;
}

/** Returns a list's members, or the node alone. */
export function itemsOf(node: Node): Node[] {
  const inner = bare(node);
  return inner.type === 'list_expr' ? inner.items : [inner];
}

/** Returns an operator or keyword in capitals: `NOT IN`, `=`. */
export function wordsOf(operator: unknown): string {
  return [operator]
    .flat()
    .map((part) => (isNode(part) ? (part as { name?: string }).name : String(part)))
    .join(' ');
}

/** Returns `passes` for `passes` and `main.passes`. */
export function nameOf(node: Node): string {
  if (node.type === 'identifier') return node.name;
  if (node.type === 'member_expr') return nameOf(node.property);
  throw new Error(`no name: ${node.type}`);
}

export function isQuery(node: Node): boolean {
  return node.type === 'select_stmt' || node.type === 'compound_select_stmt';
}

/** Returns the source and column of an identifier; undefined if it is neither. */
export function resolve(node: Node, scope: Scope): { source: Source; column: string } | undefined {
  const qualifier = node.type === 'member_expr' && node.object.type === 'identifier' ? node.object.name : undefined;
  if (node.type !== 'identifier' && qualifier === undefined) return undefined;
  if (node.type === 'member_expr' && node.property.type !== 'identifier') return undefined;
  const column = nameOf(node);
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const source = at.sources.find((one) => (qualifier ? one.alias === qualifier : hasColumn(one, column)));
    if (source) return { source, column };
  }
  return undefined;
}

const JSON_COLUMNS = ['key', 'value', 'type', 'atom', 'id', 'parent', 'fullkey', 'path'];

function hasColumn({ facts, columns }: Source, column: string): boolean {
  return facts ? facts.columns.has(column) : columns ? columns.has(column) : JSON_COLUMNS.includes(column);
}

/** Returns what is known about a source's column. */
export function columnOrigin(source: Source, column: string, confined: Confined): Origin {
  if (source.unpacks) return columnOrigin(source.unpacks.source, source.unpacks.column, confined);
  if (source.columns) return source.columns.get(column) ?? UNKNOWN;
  if (!source.facts) return GIVEN;
  return {
    given: false,
    stored: true,
    names: source.facts.references.get(column),
    confined: source.facts.isOpen || confined.has(source),
  };
}

/** Returns what is known about a value that is one of two. */
export function either(a: Origin, b: Origin): Origin {
  const given = a.given || b.given;
  if (!a.stored) return { ...b, given };
  if (!b.stored) return { ...a, given };
  const names = a.names === b.names ? a.names : undefined;
  return { given, stored: true, names, confined: a.confined && b.confined };
}
