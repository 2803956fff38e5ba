import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from '../../scripts/settings.ts';

/** Bytes of the pages of each table with its indexes, by the name of the table. */
export type StoredBytes = Record<string, number>;

/** Parts of the search index, which SQLite keeps in tables of its own. */
const SEARCH = /^(pass_documents|pass_terms)/;

/**
 * What the tables of a stopped service take in its database file, from SQLite's table `dbstat`. Free pages are not
 * counted. Throws a `Problem` when the folder has no database.
 */
export function storedBytes(stateDir: string): StoredBytes {
  // A copy, with its log: to open the file would change it.
  const folder = mkdtempSync(join(tmpdir(), 'pass-bytes-'));
  try {
    const path = databaseFile(stateDir);
    for (const ending of ['', '-wal', '-shm']) {
      try {
        cpSync(path + ending, join(folder, `copy${ending}`));
      } catch {
        // A database that was closed has no log.
      }
    }
    const database = new DatabaseSync(join(folder, 'copy'));
    const pages = database
      .prepare(
        `select coalesce(tbl_name, dbstat.name) as name, sum(pgsize) as bytes
         from dbstat left join sqlite_master on sqlite_master.name = dbstat.name group by 1`,
      )
      .all() as { name: string; bytes: number }[];
    database.close();
    const bytes: StoredBytes = {};
    for (const { name, bytes: own } of pages) {
      const table = SEARCH.test(name) ? 'search index' : name;
      bytes[table] = (bytes[table] ?? 0) + own;
    }
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The largest database file below the folder: that of the binding `DB`. */
function databaseFile(stateDir: string): string {
  const names = readdirSync(stateDir, { recursive: true, encoding: 'utf8' });
  const [found] = names.filter((name) => /d1.*\.sqlite$/.test(name) && !name.endsWith('metadata.sqlite'));
  if (!found) throw new Problem(`There is no database below ${stateDir}.`);
  return join(stateDir, found);
}

/** What was added, table by table, and in all. */
export function added(before: StoredBytes, after: StoredBytes): { bytes: StoredBytes; total: number } {
  const bytes = Object.fromEntries(
    Object.entries(after)
      .map(([name, all]): [string, number] => [name, all - (before[name] ?? 0)])
      .filter(([, more]) => more > 0)
      .sort(([, a], [, b]) => b - a),
  );
  return { bytes, total: Object.values(bytes).reduce((sum, more) => sum + more, 0) };
}
