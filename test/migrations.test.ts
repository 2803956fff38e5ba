import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXEMPT, type Migration, migrationFaults, releasesOf } from './support/migration-rules.ts';

const ROOT = join(import.meta.dirname, '..');
const CHANGELOG = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const MIGRATIONS: Migration[] = readdirSync(join(ROOT, 'migrations'))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => ({ name, sql: readFileSync(join(ROOT, 'migrations', name), 'utf8') }));

test('migrations keep what the previous release reads', () => {
  expect(MIGRATIONS.length).toBeGreaterThan(10);
  expect(MIGRATIONS.flatMap((migration) => migrationFaults(migration, releasesOf(CHANGELOG)))).toEqual([]);
});

test('exempt ones exist, and would be rejected', () => {
  for (const name of Object.keys(EXEMPT)) {
    const migration = MIGRATIONS.find((one) => one.name === name);
    expect(migration && migrationFaults(migration, [], {})).toHaveLength(1);
  }
});

describe('a migration', () => {
  const faultsOf = (sql: string) => migrationFaults({ name: '0099_next.sql', sql }, ['0.3.0']);

  test.each([
    ['drops a table', 'DROP TABLE `segments`;'],
    ['drops a column', 'ALTER TABLE `templates` DROP COLUMN `name`;'],
    ['renames a column', 'ALTER TABLE `templates` RENAME COLUMN `name` TO `title`;'],
    ['renames a table', 'ALTER TABLE `templates` RENAME TO `forms`;'],
    ['drops an index that a statement may name', 'DROP INDEX `events_pending`;'],
    ['adds a column that must be filled', 'ALTER TABLE `templates` ADD `title` text NOT NULL;'],
    [
      'does so behind another statement',
      'CREATE TABLE `a` (\n\t`b` text\n);\n--> statement-breakpoint\nDROP TABLE `c`;',
    ],
    ['does so on one line with another', 'ALTER TABLE `a` ADD `b` text;--> statement-breakpoint\nDROP TABLE `c`;'],
    [
      'says so of another statement',
      '-- Not read since 0.3.0.\nDROP TABLE `a`;--> statement-breakpoint\nDROP TABLE `b`;',
    ],
    ['names a release that is under way', '-- Not read since 0.4.0.\nDROP TABLE `segments`;'],
  ])('that %s is rejected', (_, sql) => {
    expect(faultsOf(sql)).toHaveLength(1);
  });

  test('a fault says what would allow the statement', () => {
    const faults = faultsOf('ALTER TABLE `a` ADD `b` text NOT NULL;--> statement-breakpoint\nDROP TABLE `c`;');
    expect(faults).toEqual([
      expect.stringContaining('so make it nullable or give it a default: ALTER TABLE `a`'),
      expect.stringContaining('and no comment says "-- Not read since <release>": DROP TABLE `c`'),
    ]);
  });

  test('that recreates a table is rejected', () => {
    const anew = [
      'PRAGMA foreign_keys=OFF;',
      'CREATE TABLE `__new_segments` (\n\t`id` text PRIMARY KEY NOT NULL\n);\n',
      'INSERT INTO `__new_segments`("id") SELECT "id" FROM `segments`;',
      'DROP TABLE `segments`;',
      'ALTER TABLE `__new_segments` RENAME TO `segments`;',
    ];
    expect(faultsOf(anew.join('--> statement-breakpoint\n'))).toHaveLength(3);
  });

  test.each([
    [
      'adds',
      "ALTER TABLE `a` ADD `b` text;--> statement-breakpoint\nALTER TABLE `a` ADD `c` text DEFAULT '' NOT NULL;",
    ],
    ['drops what no release reads any more', '-- Not read since 0.3.0: counts are kept by template.\nDROP TABLE `a`;'],
  ])('that %s is accepted', (_, sql) => {
    expect(faultsOf(sql)).toEqual([]);
  });
});

test('an unreleased version does not count as a release', () => {
  expect(releasesOf('# Changelog\n\n## 0.4.0 (unreleased)\n\n## 0.3.0\n\nText\n')).toEqual(['0.3.0']);
});
