import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { uuidv7 } from '../../src/platform/ids.ts';
import { DATABASES, databaseNamedIn, databaseOf, homeOf } from './database-of.ts';

describe('accounts of test files', () => {
  test('are spread evenly over all databases', () => {
    const files = globSync('test/{api,mcp,admin,pages,jobs,wallets,browser}/**/*.test.{ts,tsx}');
    const homes = Map.groupBy(files, homeOf);
    expect([...homes.keys()].sort()).toEqual(process.env.ACCOUNTS_IN ? [process.env.ACCOUNTS_IN] : DATABASES);
    for (const list of homes.values()) expect(list.length).toBeGreaterThan(files.length / 6);
  });

  test('are in the same database in each run', () => {
    expect(homeOf('test/api/keys.test.ts')).toBe(homeOf('test/api/keys.test.ts'));
    expect(databaseOf({ accountId: uuidv7(3) })).toBe('DB_3');
  });
});

describe('a statement of a test', () => {
  test.each([
    ['a value', 'select * from passes where id = ?', [uuidv7(2)], 'DB_2'],
    ['values of one database', 'select * from passes where id in (?, ?)', [uuidv7(1), uuidv7(1)], 'DB_1'],
    ['a list', 'select * from passes where id in (select value from json_each(?))', [`["${uuidv7(3)}"]`], 'DB_3'],
    ['its text', `drop trigger deaf_${uuidv7(2).replaceAll('-', '_')}`, [], 'DB_2'],
    ['a table of the directory', 'select * from memberships where account_id = ?', [uuidv7(2)], 'DB'],
  ])('uses the database of %s', (_, statement, values, database) => {
    expect(databaseNamedIn(statement, values)).toBe(database);
  });

  test.each([
    ['none', [crypto.randomUUID()]],
    ['several', [uuidv7(1), uuidv7(2)]],
  ])('must name its database if it contains %s', (which, values) => {
    expect(() => databaseNamedIn('select 1 from passes where id in (?, ?)', values)).toThrow(`name ${which}`);
  });
});
