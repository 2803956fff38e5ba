import { type ESTree, Visitor } from 'vite';
import type { Rule } from './house-rules.ts';
import type { SourceFile } from './source-file.ts';

const TABLE_FILE = /^src\/(?:domain|dev)\/([^/]+)\/([a-z-]+-)?table\.ts$/;
const WRITING_METHODS = new Set(['insert', 'update', 'delete']);
/** Matches a statement that writes, up to its table name. */
const WRITING_SQL = /\b(?:insert(?: or \w+)? into|replace into|update|delete from)\s+$/i;
const WRITING_SQL_WITH_NAME = /\b(?:insert(?: or \w+)? into|replace into|update|delete from)\s+"?([a-z_]+)"?/gi;

/**
 * Only the feature whose folder declares a table may write it, through the query builder or SQL text. Anyone may read.
 */
export const featuresWriteTheirOwnTables: Rule = ({ sources }) => {
  const owners = ownersOf(sources);
  return sources.filter(({ path }) => path.startsWith('src/')).flatMap((source) => foreignWrites(source, owners));
};

/** Maps names of database tables to their features. */
function ownersOf(sources: SourceFile[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { path, program } of sources) {
    const feature = TABLE_FILE.exec(path)?.[1];
    if (!feature) continue;
    new Visitor({
      CallExpression({ callee, arguments: [name] }) {
        if (callee.type !== 'Identifier' || callee.name !== 'sqliteTable') return;
        if (name?.type === 'Literal') owners.set(String(name.value), feature);
      },
    }).visit(program);
  }
  return owners;
}

function foreignWrites(source: SourceFile, owners: Map<string, string>): string[] {
  const own = /^src\/(?:domain|dev)\/([^/]+)\//.exec(source.path)?.[1];
  const featureOfName = new Map<string, string>();
  for (const { target, names } of source.imports) {
    const feature = TABLE_FILE.exec(target)?.[1];
    if (feature) for (const name of names) featureOfName.set(name, feature);
  }
  const found: string[] = [];
  const note = (owner: string | undefined, table: string, offset: number) => {
    if (owner && owner !== own) {
      found.push(`${source.path}:${source.lineAt(offset)}: writes ${table}, which belongs to ${owner}`);
    }
  };
  const noteNode = (node: ESTree.Node | undefined) => {
    const name = node && rootName(node);
    if (name) note(featureOfName.get(name), name, node.start);
  };
  new Visitor({
    CallExpression({ callee, arguments: [table] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (WRITING_METHODS.has(callee.property.name)) noteNode(table);
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (rootName(tag) !== 'sql') return;
      for (const [i, { value, start }] of quasi.quasis.entries()) {
        if (WRITING_SQL.test(value.raw)) noteNode(quasi.expressions[i]);
        for (const [, table = ''] of value.raw.matchAll(WRITING_SQL_WITH_NAME)) note(owners.get(table), table, start);
      }
    },
  }).visit(source.program);
  return found;
}

/** Returns `passes` for `passes`, `tables` for `tables.passes`. */
function rootName(node: ESTree.Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? rootName(node.object) : undefined;
}
