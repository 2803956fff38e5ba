import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { migrateDatabases, migrationNames } from '../../scripts/local-migrations.ts';
import { Problem } from '../../scripts/settings.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'local-migrations-'));
afterAll(() => rmSync(stateDir, { recursive: true }));

/** Runs `work` on each database file of the state. */
function onEach<T>(work: (database: DatabaseSync) => T): T[] {
  const files = globSync(join(stateDir, 'v3/d1/*/*.sqlite')).filter((file) => !file.endsWith('metadata.sqlite'));
  return files.map((file) => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  });
}

const noted = (database: DatabaseSync) =>
  database.prepare('select name from d1_migrations order by id').all() as { name: string }[];

test('each database gets its missing migrations, and nothing of one that fails', async () => {
  const begun: string[] = [];
  const begins = (binding: string) => begun.push(binding);
  await migrateDatabases(stateDir, ['DB', 'DB_1'], begins);
  expect(begun).toEqual(['DB', 'DB_1']);
  const names = migrationNames().map((name) => ({ name }));
  expect(onEach(noted)).toEqual([names, names]);
  expect(onEach((database) => database.prepare('select count(*) as n from passes').get())).toEqual([
    { n: 0 },
    { n: 0 },
  ]);

  // Running the first one again would fail, because its tables exist.
  const { name } = names[0]!;
  onEach((database) => database.exec(`delete from d1_migrations where name = '${name}'; drop table account_contacts`));
  const failing = migrateDatabases(stateDir, ['DB'], begins);
  await expect(failing).rejects.toThrow(Problem);
  await expect(failing).rejects.toThrow(`The migrations could not be applied to DB.\n${name}: `);
  const kept = onEach((database) => [
    noted(database),
    database.prepare("select 1 from sqlite_master where name = 'account_contacts'").all(),
  ]);
  expect(kept).toEqual([
    [names.slice(1), []],
    [names.slice(1), []],
  ]);
});
