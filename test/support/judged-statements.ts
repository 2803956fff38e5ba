import { createHash, hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../../scripts/settings.ts';
import { type TableFacts, tenantTables } from './tenant-tables.ts';

/*
 * Statements that an earlier run found correct, valid as long as the rules don't change. Most stay the same, and
 * judging those of all tests takes a quarter of a minute. Faulty ones are judged again each time.
 */

const KEPT = join(ROOT, '.wrangler', 'judged-statements');
/** Files that affect the verdict, besides the facts of the tables. */
const SOURCES = [
  'judge-statements.ts',
  'judged-statements.ts',
  'parse-sql.ts',
  'sql-judge.ts',
  'sql-scope.ts',
  'tenant-exceptions.ts',
];
const PARSER = 'sql-parser-cst/package.json';

/** The positions in `EXCEPTIONS` that a correct statement needs, by its digest. */
export type Judged = Map<string, number[]>;

/** Identifies a statement. */
export const digestOf = (statement: string) => hash('sha256', statement, 'base64');

/** Returns the file name, which changes with the judge, its exceptions, its parser or the tables. */
function keptName(tables: Map<string, TableFacts>): string {
  const digest = createHash('sha256').update(process.version);
  for (const source of SOURCES) digest.update(readFileSync(join(import.meta.dirname, source)));
  digest.update(readFileSync(createRequire(import.meta.url).resolve(PARSER)));
  digest.update(
    JSON.stringify([...tables], (_, value) => (value instanceof Set || value instanceof Map ? [...value] : value)),
  );
  return `${digest.digest('hex')}.json`;
}

/** Reads what earlier runs found correct. */
export function readJudged(): Judged {
  const file = join(KEPT, keptName(tenantTables()));
  return new Map(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
}

/** Stores the correct statements for later runs, and replaces those judged by other rules. */
export function keepJudged(judged: Judged): void {
  mkdirSync(KEPT, { recursive: true });
  const name = keptName(tenantTables());
  const written = join(KEPT, `${process.pid}.new`);
  writeFileSync(written, JSON.stringify([...judged]));
  renameSync(written, join(KEPT, name));
  const others = readdirSync(KEPT).filter((other) => other !== name && other.endsWith('.json'));
  for (const other of others) rmSync(join(KEPT, other), { force: true });
}
