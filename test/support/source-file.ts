import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';

/** A file of this repository. Paths are relative to its root and use `/`. */
export interface TextFile {
  path: string;
  text: string;
}

export interface Import {
  /** Path of the imported file, or name of a package, such as `node:path` or `hono/tiny`. */
  target: string;
  isFile: boolean;
  isType: boolean;
  /** Its names in the importing file. */
  names: string[];
}

/** A comment, or consecutive lines of `//`. */
export interface SourceComment {
  /** Including its delimiters. */
  text: string;
  /** Its first line, counted from 1. */
  line: number;
}

/** A parsed TypeScript file. */
export interface SourceFile extends TextFile {
  imports: Import[];
  comments: SourceComment[];
  program: ESTree.Program;
  /** Number of lines; a final line break starts no new one. */
  lines: number;
  /** Returns the line, counted from 1, of a character offset. */
  lineAt(offset: number): number;
}

const ROOT = join(import.meta.dirname, '..', '..');
/** Files that are built, installed or written by runs, and never committed. */
const NOT_OURS = new Set([
  'node_modules',
  'coverage',
  'dist',
  'results',
  'peers',
  '.git',
  '.wrangler',
  '.local',
  '.artifacts',
]);

/** Returns the names in the root directory, except generated ones. */
export function rootEntries(): string[] {
  return readdirSync(ROOT).filter((name) => !NOT_OURS.has(name));
}

/** Returns all files below some of the root's entries, by default of the whole repository. */
export function readFiles(...entries: string[]): TextFile[] {
  const found: TextFile[] = [];
  const walk = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (NOT_OURS.has(entry.name)) continue;
      if (entry.isDirectory()) walk(child);
      else if (entry.isFile()) {
        found.push({ path: relative(ROOT, child).replaceAll('\\', '/'), text: readFileSync(child, 'utf8') });
      }
    }
  };
  for (const entry of entries.length > 0 ? entries : ['.']) walk(join(ROOT, entry));
  return found;
}

export function isTypeScript({ path }: TextFile): boolean {
  return /\.tsx?$/.test(path) && !path.endsWith('.d.ts');
}

/** Parses a TypeScript file. Throws for syntax errors. */
export function parse({ path, text }: TextFile): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (specifier: string, isType: boolean, names: string[] = []) => {
    const isFile = specifier.startsWith('.');
    imports.push({ target: isFile ? posix.join(dirname(path), specifier) : specifier, isFile, isType, names });
  };
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    const names = entries.map((entry) => entry.localName.value);
    add(moduleRequest.value, isType, names);
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest) add(moduleRequest.value, isType);
  }
  new Visitor({
    ImportExpression: ({ source }) => add(literalText(source, path), false),
    TSImportType: ({ source }) => add(source.value, true),
  }).visit(program);

  const starts = [0, ...Array.from(text.matchAll(/\n/g), (found) => found.index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  return {
    path,
    text,
    imports,
    comments: joined(text, comments).map(({ start, end }) => ({ text: text.slice(start, end), line: lineAt(start) })),
    program,
    lines: text.endsWith('\n') ? starts.length - 1 : starts.length,
    lineAt,
  };
}

/** Joins `//` comments that only whitespace and a single line break separate. */
function joined(text: string, comments: { type: string; start: number; end: number }[]) {
  const found: { type: string; start: number; end: number }[] = [];
  for (const comment of comments) {
    const last = found.at(-1);
    const goesOn = last?.type === 'Line' && comment.type === 'Line';
    if (goesOn && /^ *\n *$/.test(text.slice(last.end, comment.start))) last.end = comment.end;
    else found.push({ ...comment });
  }
  return found;
}

function literalText(node: ESTree.Expression, path: string): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  throw new Error(`${path}: import() of something that is not a plain text`);
}
