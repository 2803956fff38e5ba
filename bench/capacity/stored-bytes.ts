import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from '../../scripts/settings.ts';

/** Bytes of each table's pages, including its indexes, by table name. */
export type StoredBytes = Record<string, number>;

/** Parts of the search index, which SQLite keeps in separate tables. */
const SEARCH = /^(pass_documents|pass_terms)/;

/**
 * Returns the bytes of a stopped service's tables, from SQLite's table `dbstat`. Free pages don't count. Throws a
 * `Problem` if the folder has no database.
 */
export function storedBytes(stateDir: string): StoredBytes {
  // Copies it with its log, because opening the file would change it.
  const folder = mkdtempSync(join(tmpdir(), 'pass-bytes-'));
  try {
    const path = databaseFile(stateDir);
    for (const ending of ['', '-wal', '-shm']) {
      try {
        cpSync(path + ending, join(folder, `copy${ending}`));
      } catch {
        // A closed database has no log.
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

/** Returns the largest database file below the folder: the binding `DB`. */
function databaseFile(stateDir: string): string {
  const names = readdirSync(stateDir, { recursive: true, encoding: 'utf8' });
  const [found] = names.filter((name) => /d1.*\.sqlite$/.test(name) && !name.endsWith('metadata.sqlite'));
  if (!found) throw new Problem(`There is no database below ${stateDir}.`);
  return join(stateDir, found);
}

/** Returns the added bytes by table and in total. */
export function added(before: StoredBytes, after: StoredBytes): { bytes: StoredBytes; total: number } {
  const bytes = Object.fromEntries(
    Object.entries(after)
      .map(([name, all]): [string, number] => [name, all - (before[name] ?? 0)])
      .filter(([, more]) => more > 0)
      .sort(([, a], [, b]) => b - a),
  );
  return { bytes, total: Object.values(bytes).reduce((sum, more) => sum + more, 0) };
}
