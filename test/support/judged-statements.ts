import { createHash, hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../../scripts/settings.ts';
import { type TableFacts, tenantTables } from './tenant-tables.ts';

/*
 * Statements that were judged in an earlier run and found right, for as long as nothing changes by which they are
 * judged: most are the same from run to run, and to judge those of all tests takes a quarter of a minute. One with a
 * fault is judged again each time.
 */

const KEPT = join(ROOT, '.wrangler', 'judged-statements');
/** What decides, beside the facts of the tables. */
const SOURCES = ['judge-statements.ts', 'judged-statements.ts', 'sql-judge.ts', 'sql-scope.ts', 'tenant-exceptions.ts'];
const PARSER = 'sql-parser-cst/package.json';

/** The places in `EXCEPTIONS` of those that a right statement needs, by its digest. */
export type Judged = Map<string, number[]>;

/** What stands for a statement. */
export const digestOf = (statement: string) => hash('sha256', statement, 'base64');

/** Name of what is kept; another one with any change of the judge, its exceptions, its parser or the tables. */
function keptName(tables: Map<string, TableFacts>): string {
  const digest = createHash('sha256').update(process.version);
  for (const source of SOURCES) digest.update(readFileSync(join(import.meta.dirname, source)));
  digest.update(readFileSync(createRequire(import.meta.url).resolve(PARSER)));
  digest.update(
    JSON.stringify([...tables], (_, value) => (value instanceof Set || value instanceof Map ? [...value] : value)),
  );
  return `${digest.digest('hex')}.json`;
}

/** What earlier runs have found right. */
export function readJudged(): Judged {
  const file = join(KEPT, keptName(tenantTables()));
  return new Map(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
}

/** Keeps what is right for further runs, in the place of what was judged otherwise. */
export function keepJudged(judged: Judged): void {
  mkdirSync(KEPT, { recursive: true });
  const name = keptName(tenantTables());
  const written = join(KEPT, `${process.pid}.new`);
  writeFileSync(written, JSON.stringify([...judged]));
  renameSync(written, join(KEPT, name));
  const others = readdirSync(KEPT).filter((other) => other !== name && other.endsWith('.json'));
  for (const other of others) rmSync(join(KEPT, other), { force: true });
}
