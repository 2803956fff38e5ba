import { pathToFileURL } from 'node:url';
import { digestOf, type Judged, keepJudged, readJudged } from './judged-statements.ts';
import { largeFaults } from './large-changes.ts';
import { type Fault, judge } from './sql-judge.ts';
import { recordedChanges, recordedStatements } from './statement-record.ts';
import { EXCEPTIONS, type Exception } from './tenant-exceptions.ts';
import { type TableFacts, tenantTables } from './tenant-tables.ts';

/** Maximum number of characters shown of a statement. */
const SHOWN_CHARS = 1_200;

const HELP = 'See docs/development.md: "When the judge finds a statement" and "Change many rows"';

/** The conditions in `src/domain/moved.ts` exclude rows of accounts that have moved away or are being moved. */
const LEAVES_OUT_COPIES =
  / (?:and|where) (?:\S+ not in \(select id from "?accounts"? indexed by accounts_copies where lives_in is not null\)|not exists \(select 1 from "?accounts"? as copied indexed by accounts_copies where copied\.id = .+? and copied\.lives_in is not null\)|not exists \(select 1 from "?account_moves"? where "?account_moves"?\."?account_id"? = \S+ and \(.+?\)\))/g;

/**
 * Returns the faults of statements, one text each. With `isAll`, the statements are those of all tests, so an exception
 * without a statement is a fault, too. Skips those in `judged`, and adds correct ones to it.
 */
export function faultsOf(
  statements: string[],
  isAll: boolean,
  exceptions = EXCEPTIONS,
  judged: Judged = new Map(),
): string[] {
  const tables = tenantTables();
  const used = new Set<Exception>();
  const faults = statements.flatMap((recorded) => {
    const digest = digestOf(recorded);
    const known = judged.get(digest);
    for (const place of known ?? []) used.add(exceptions[place]!);
    if (known) return [];
    const statement = recorded.replaceAll(LEAVES_OUT_COPIES, '');
    const needed = new Set<Exception>();
    const problem = problemOf(statement, tables, exceptions, needed);
    for (const exception of needed) used.add(exception);
    if (problem !== undefined) return [`${problem}\n  ${plain(statement).slice(0, SHOWN_CHARS)}`];
    judged.set(
      digest,
      [...needed].map((exception) => exceptions.indexOf(exception)),
    );
    return [];
  });
  const unused = isAll ? exceptions.filter((exception) => !used.has(exception)) : [];
  return [...faults, ...unused.map(({ statement }) => `an exception that no statement needs: ${statement}`)];
}

/** Returns a statement's fault, or undefined. A statement that can't be parsed is a fault, too. */
function problemOf(
  statement: string,
  tables: Map<string, TableFacts>,
  exceptions: Exception[],
  used: Set<Exception>,
): string | undefined {
  try {
    const faults = judgeWithExceptions(statement, tables, exceptions, used);
    return faults.length > 0 ? [...new Set(faults.map(described))].join('; ') : undefined;
  } catch (error) {
    return `the judge does not understand: ${(error as Error).message.split('\n')[0]}`;
  }
}

function judgeWithExceptions(
  statement: string,
  tables: Map<string, TableFacts>,
  exceptions: Exception[],
  used: Set<Exception>,
): Fault[] {
  const faults = judge(statement, tables);
  if (faults.length === 0) return [];
  const applying = exceptions.filter((exception) => exception.statement.test(plain(statement)));
  for (const exception of applying) {
    const others = applying.filter((other) => other !== exception);
    // An exception that changes nothing isn't used.
    const without = judge(statement, withExceptions(tables, others)).length;
    if (judge(statement, withExceptions(tables, applying)).length < without) used.add(exception);
  }
  return judge(statement, withExceptions(tables, applying));
}

function withExceptions(tables: Map<string, TableFacts>, exceptions: Exception[]): Map<string, TableFacts> {
  const changed = new Map(tables);
  for (const { open = [], trusts = {} } of exceptions) {
    for (const name of open) changed.set(name, { ...changed.get(name)!, isOpen: true });
    for (const [name, columns] of Object.entries(trusts)) {
      const facts = changed.get(name)!;
      changed.set(name, { ...facts, tenant: new Set([...facts.tenant, ...columns]) });
    }
  }
  return changed;
}

/** Returns a statement as exceptions match it, without quotes around names. */
export function plain(statement: string): string {
  return statement.replaceAll('"', '').replaceAll('`', '');
}

function described({ table, alias, given }: Fault): string {
  const name = table === alias || alias === '' ? table : `${table} as ${alias}`;
  return `${name} is restricted by ${given.length > 0 ? given.join(' and ') : 'nothing'}, which is no account and no secret`;
}

/**
 * `node test/support/judge-statements.ts <all|some> <folder>...`; exits with 1 if there are faults or no recorded
 * statements.
 */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [scope, ...folders] = process.argv.slice(2);
  const statements = recordedStatements(folders);
  const judged = readJudged();
  const faults = faultsOf(statements, scope === 'all', EXCEPTIONS, judged);
  faults.push(...largeFaults(recordedChanges(folders)));
  keepJudged(judged);
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) console.log(HELP);
  console.log(`${statements.length} statements`);
  process.exitCode = faults.length > 0 || statements.length === 0 ? 1 : 0;
}
