import { type Node, parse } from 'sql-parser-cst';

/*
 * Parses statements in parts: the parser's time grows with the depth of parentheses, and most long statements consist
 * of parts of others. A part is a subquery or an expression: what an operator has in parentheses, or a call of a common
 * function.
 */

const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/;
const QUERY = /(?<query>\( ?(?=select ))/;
const CALL = /(?<call>\b(?:coalesce|iif|instr)\()/;
const AFTER_OPERATOR = /(?<operator>\b(?:and|or|then|else) |\|\| )\(/;
/** Parentheses outside of quoted texts and names, with what shows that they enclose a part. */
const TOKENS = new RegExp([QUOTED, QUERY, CALL, AFTER_OPERATOR, /[()]/].map(({ source }) => source).join('|'), 'gi');

type Kind = 'query' | 'expression';
/** The name that represents a part in the text around it. */
const PART = /^(query|expression)_(\d+)_parsed$/;

/** A parenthesis that isn't closed yet, and the text after it, with names for parts. */
interface Open {
  kind?: Kind;
  start: string;
  text: string;
}

/** Names of parts by their texts, and nodes by names. */
const names = new Map<string, string>();
const nodes = new Map<string, Node>();

let last: { sql: string; statements: Node[] } | undefined;

/** Returns the statements of a text. Statements share the nodes of equal parts. Throws if the text can't be parsed. */
export function parseStatements(sql: string): Node[] {
  if (last?.sql !== sql) last = { sql, statements: parsed(withoutParts(sql)) };
  return last.statements;
}

/** Replaces each part with its name. */
function withoutParts(sql: string): string {
  const outermost: Open = { start: '', text: '' };
  const open = [outermost];
  let end = 0;
  for (const { 0: token, index, groups } of sql.matchAll(TOKENS)) {
    const around = open.at(-1)!;
    around.text += sql.slice(end, index);
    end = index + token.length;
    const { query, call, operator = '' } = groups!;
    if (query) open.push({ kind: 'query', start: '', text: '' });
    else if (call || operator) {
      around.text += operator;
      open.push({ kind: 'expression', start: token.slice(operator.length), text: '' });
    } else if (token === '(') open.push({ start: token, text: '' });
    else if (token === ')') {
      if (open.length === 1) throw new Error('a parenthesis that is not opened');
      open.pop();
      open.at(-1)!.text += closed(around);
    } else around.text += token;
  }
  if (open.length > 1) throw new Error('a parenthesis that is not closed');
  return outermost.text + sql.slice(end);
}

/** Returns what represents a text in parentheses. */
function closed({ kind, start, text }: Open): string {
  if (kind === 'query') return `(select ${nameOf(text, kind)})`;
  if (kind === 'expression') return nameOf(`select ${start}${text})`, kind);
  return `${start}${text})`;
}

/** Parses a part, unless it is known. */
function nameOf(query: string, kind: Kind): string {
  const key = `${kind}: ${query}`;
  const name = names.get(key) ?? `${kind}_${names.size}_parsed`;
  if (names.has(key)) return name;
  const [node] = parsed(query);
  names.set(key, name);
  nodes.set(name, kind === 'query' ? node! : columnOf(node!)!);
  return name;
}

function parsed(sql: string): Node[] {
  const { statements } = parse(sql, { dialect: 'sqlite', paramTypes: ['?', '?nr', ':name'] });
  return statements.map(withParts);
}

/** Puts the parts back into a node, or a member of one. */
function withParts<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  const part = partIn(value as Partial<Node>);
  if (part) return part as Value;
  const members = value as Record<string, unknown>;
  for (const [key, member] of Object.entries(members)) members[key] = withParts(member);
  return value;
}

/** Returns the part for which a node stands, if any. */
function partIn(node: Partial<Node>): Node | undefined {
  const [column, wanted] = node.type === 'select_stmt' ? [columnOf(node), 'query'] : [node, 'expression'];
  if (column?.type !== 'identifier') return undefined;
  const [name, kind] = column.name!.match(PART) ?? [];
  return kind === wanted ? nodes.get(name!) : undefined;
}

/** Returns what a query selects, if it consists of nothing else. */
function columnOf(query: Partial<Node>): Node | undefined {
  const [clause, ...others] = query.type === 'select_stmt' ? query.clauses! : [];
  return others.length === 0 && clause?.type === 'select_clause' ? clause.columns?.items[0] : undefined;
}
