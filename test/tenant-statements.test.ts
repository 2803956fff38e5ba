import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsOf } from './support/judge-statements.ts';
import type { Judged } from './support/judged-statements.ts';
import { judge } from './support/sql-judge.ts';
import { clearRecordings, recordedStatements } from './support/statement-record.ts';
import { shapeOf } from './support/statement-shape.ts';
import type { Exception } from './support/tenant-exceptions.ts';
import { EXCEPTIONS } from './support/tenant-exceptions.ts';
import { tenantTables } from './support/tenant-tables.ts';

/*
 * Tests the judge of the product's D1 statements (`scripts/test.ts` runs it on all statements that the tests prepare).
 * It gets statements that access any tenant's rows, so that a blind judge is noticed.
 */

const tables = tenantTables();
const faulty = (sql: string) => judge(sql, tables).map(({ table }) => table);

const ANYBODYS: [what: string, sql: string, ...tables: string[]][] = [
  ['a select by identifier', 'select * from passes where id = ?', 'passes'],
  ['a select of everything', 'select * from "passes"', 'passes'],
  ['an update by identifier', 'update "passes" set "voided" = ? where "passes"."id" = ?', 'passes'],
  ['a delete by identifier', 'delete from templates where id = ? returning id', 'templates'],
  ['a delete of everything', 'delete from account_events', 'account_events'],
  ['an account on one side of an or', 'select * from passes where account_id = ? or id = ?', 'passes'],
  ['another account than one', 'select * from passes where account_id <> ?', 'passes'],
  ['a negation', 'select * from passes where not (account_id = ?)', 'passes'],
  ['a column for itself', 'select * from passes p where p.account_id = p.account_id', 'passes'],
  ['a join that only finds', 'select * from passes p join templates t on t.id = p.template_id', 'passes', 'templates'],
  ['the account of an outer join', 'select * from passes p left join templates t on t.account_id = ?', 'passes'],
  [
    'a condition of an outer join',
    'select * from passes p left join templates t on p.account_id = ? where t.account_id = ?',
    'passes',
  ],
  [
    'a join by what is no reference',
    'select * from passes p join templates t on t.name = p.barcode_value where p.account_id = ?',
    'templates',
  ],
  ['a subquery', 'select (select name from templates where id = ?) from passes where account_id = ?', 'templates'],
  [
    'a subquery in a list',
    'delete from messages where pass_id in (select id from passes where template_id = ?)',
    'messages',
    'passes',
  ],
  ['a subquery in an insert', 'insert into projects (id) values ((select id from passes where id = ?))', 'passes'],
  ['an insert of what is selected', 'insert into account_events (id) select id from passes where id = ?', 'passes'],
  ['a named subquery', 'with c as (select * from passes) select * from c where account_id = ?', 'passes'],
  ['half of a union', 'select id from passes where account_id = ? union select id from passes', 'passes'],
  [
    'something that exists elsewhere',
    'update passes set voided = 1 where exists (select 1 from templates t where t.account_id = ?)',
    'passes',
  ],
  [
    'a row in the way',
    'insert into passes (id, account_id) values (?, ?) on conflict (id) do update set account_id = excluded.account_id',
    'passes',
  ],
  ['a row that is replaced', 'insert or replace into processes (id, account_id) values (?, ?)', 'processes'],
  [
    'a replacement by an update',
    'update passes set account_id = ? where id in (select id from projects)',
    'passes',
    'projects',
  ],
  [
    'an update that takes values from elsewhere',
    'update passes set voided = 1 from templates t where t.id = passes.template_id',
    'passes',
    'templates',
  ],
  [
    'a list that is half given',
    'select * from passes where id in (select id from passes where account_id = ? union select ?)',
    'passes',
  ],
  [
    'one of two values',
    'select * from passes where account_id = coalesce((select max(name) from projects where account_id = ?), ?)',
    'passes',
  ],
  [
    'a recursion that goes on elsewhere',
    `with recursive c(a, b) as (select id, ? from passes where account_id = ?
      union all select c.b, p.id from c join passes p on p.id = c.a) select count(*) from c`,
    'passes',
  ],
  [
    'a count that exists in any case',
    'select * from passes where exists (select count(*) from templates t where t.account_id = ? and passes.account_id = ?)',
    'passes',
  ],
  ['an account in the wrong place', 'select account_id = ?, id from passes where id = ?', 'passes'],
  ['an account that only groups', 'select count(*) from passes group by account_id having account_id = ?', 'passes'],
  ['an account in the values of an update', 'update passes set account_id = ? where id = ?', 'passes'],
  ['the account of another table', 'select * from passes, templates where templates.account_id = ?', 'passes'],
  [
    'a named subquery that an update reads',
    'with c as (select id from templates) update passes set voided = 1 where account_id = ? and template_id in (select id from c)',
    'templates',
  ],
  [
    'a delete in a named subquery’s rows',
    'with c as (select id from passes where template_id = ?) delete from messages where pass_id in (select id from c)',
    'messages',
    'passes',
  ],
  ['an account that is like one', 'select * from passes where account_id like ?', 'passes'],
  ['an order', 'select id from projects where account_id = ? order by (select count(*) from passes)', 'passes'],
];

const ONES: [what: string, sql: string][] = [
  ['the account', 'select * from "passes" where ("passes"."id" = ? and "passes"."account_id" = ?)'],
  ['the account without the index', 'delete from passes where id = ? and +passes.account_id = ?'],
  ['the account among others', 'select * from signing_keys where account_id in (?, ?)'],
  ['the service’s own', 'select * from certificates where account_id is null or account_id = ?'],
  ['both sides of an or', 'select * from passes where (account_id = ? and id = ?) or (page_token = ? and id = ?)'],
  ['a secret', 'select * from passes where page_token = ?'],
  ['the digest of a secret', 'select * from app_configuration_links where token_digest = ?'],
  ['a value of a list', 'select * from passes p cross join json_each(?) j where p.account_id = j.value ->> 0'],
  ['a join', 'select * from passes p join templates t on t.id = p.template_id where p.account_id = ?'],
  ['a join the other way', 'select * from passes p join templates t on t.id = p.template_id where t.account_id = ?'],
  ['an outer join', 'select * from messages m left join passes p on p.id = m.pass_id where m.account_id = ?'],
  ['a subquery', 'delete from messages where pass_id in (select id from passes where account_id = ?)'],
  [
    'the account of a secret',
    'select * from passes where account_id = (select account_id from api_keys where lookup = ?)',
  ],
  [
    'a subquery of the same row',
    'select (select name from templates where id = p.template_id) from passes p where account_id = ?',
  ],
  [
    'what exists beside it',
    'update passes set voided = 1 where exists (select 1 from templates t where t.id = passes.template_id and t.account_id = ?)',
  ],
  [
    'a row in the way',
    'insert into passes (id, account_id) values (?, ?) on conflict (id) do update set voided = 1 where passes.account_id = excluded.account_id',
  ],
  [
    'a row in the way by the account',
    'insert into bundle_links (account_id, bundle_id) values (?, ?) on conflict (account_id, bundle_id) do update set created_at = 1',
  ],
  [
    'a recursion that stays with one',
    `with recursive tree(id) as (select ? union all select below.id from tree join accounts below
      on below.parent_account_id = tree.id) select * from passes where account_id in (select id from tree)`,
  ],
  [
    'a named subquery',
    'with c as (select id from passes where account_id = ?) delete from messages where pass_id in (select id from c)',
  ],
  [
    'an update that takes values from elsewhere',
    'update passes set voided = 1 from templates t where t.id = passes.template_id and t.account_id = ?',
  ],
  [
    'each half of a union',
    'select id from passes where account_id = ? union all select id from projects where account_id = ?',
  ],
  ['a table that is nobody’s', 'select last_event_id from counted_events'],
  ['nothing', 'select count(*) from passes where false'],
  ['a new row', 'insert into passes (id, account_id) values (?, ?)'],
];

describe('a statement accesses anybody’s rows', () => {
  test.each(ANYBODYS)('by %s', (_, sql, ...expected) => {
    expect([...new Set(faulty(sql))].sort()).toEqual(expected.sort());
  });
});

describe('a statement accesses the rows of one tenant', () => {
  test.each(ONES)('by %s', (_, sql) => expect(faulty(sql)).toEqual([]));
});

describe('an unknown construct', () => {
  const UNKNOWN = [
    'select * from strangers',
    'pragma user_version',
    'select * from passes join templates using (id)',
    'update or replace passes set account_id = ? where account_id = ?',
    'insert or replace into passes (id, account_id) values (?, ?)',
  ];

  test.each(UNKNOWN)('%s is rejected', (sql) => expect(() => faulty(sql)).toThrow());

  test('is a fault of the statement, and the others are judged', () => {
    const faults = faultsOf([...UNKNOWN, 'no statement', 'select * from passes'], false);
    expect(faults.filter((fault) => fault.startsWith('the judge does not understand: '))).toHaveLength(6);
    expect(faults.at(-1)).toMatch(/^passes is restricted by nothing/);
  });
});

describe('exceptions', () => {
  const statement = 'delete from "sessions" where "sessions"."expires_at" <= ?';
  const fitting: Exception = { statement: /^delete from sessions where/, open: ['sessions'], reason: 'Old ones go.' };
  const trusting: Exception = { statement: /^select/, trusts: { passes: ['id'] }, reason: 'A job says so.' };

  test('allow what they name, and nothing else', () => {
    expect(faultsOf([statement], true, [fitting])).toEqual([]);
    expect(faultsOf([statement], true, [{ ...fitting, open: ['users'] }])).toHaveLength(2);
    expect(faultsOf(['select * from passes where id = ?'], true, [trusting])).toEqual([]);
    expect(faultsOf(['select * from passes where template_id = ?'], false, [trusting])).toHaveLength(1);
  });

  test('that no statement needs are noticed', () => {
    expect(faultsOf(['select * from passes where account_id = ?'], true, [fitting])).toHaveLength(1);
    expect(faultsOf(['select * from passes where account_id = ?'], false, [fitting])).toEqual([]);
    expect(faultsOf([statement], true, [fitting, { ...fitting }])).not.toEqual([]);
  });

  test('apply to what an earlier run has judged, too, which stores nothing faulty', () => {
    const judged: Judged = new Map();
    for (let run = 0; run < 2; run++) {
      expect(faultsOf([statement, 'select * from passes'], true, [fitting], judged)).toHaveLength(1);
      expect([...judged.values()]).toEqual([[0]]);
    }
    expect(faultsOf(['select * from users where id = ?'], true, [fitting], judged)).not.toEqual([]);
  });

  test('have a reason', () => {
    for (const { reason } of EXCEPTIONS) expect(reason).toMatch(/^[A-Z].{10,}\.$/);
  });
});

describe('recordings', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'recordings-'));
  const one = 'select * from passes where account_id = ?';
  const record = (into: string, ...statements: string[]) =>
    writeFileSync(join(into, '1.statements.jsonl'), statements.map((sql) => `${JSON.stringify(sql)}\n`).join(''));

  test('of several runs are judged together', () => {
    const [first, second] = [folder(), folder()];
    record(first, one, 'select 1');
    record(second, one, 'select 2');
    expect(recordedStatements([first, second])).toEqual([one, 'select 1', 'select 2']);
  });

  test('of an earlier run are deleted when another one starts, and nothing else is', () => {
    const kept = folder();
    record(kept, one);
    writeFileSync(join(kept, 'notes.jsonl'), 'mine');
    clearRecordings(kept);
    expect(recordedStatements([kept])).toEqual([]);
    expect(readdirSync(kept)).toEqual(['notes.jsonl']);
    expect(() => clearRecordings(join(kept, 'none'))).not.toThrow();
  });
});

test('statements that differ only in the length of a list are equal', () => {
  expect(shapeOf('select *\n  from passes where id in (?, ?, ?)')).toBe('select * from passes where id in (?)');
  expect(shapeOf('insert into t values (?, ?), (?, ?)')).toBe('insert into t values (?)');
});

test('statements that differ only in identifiers are equal', () => {
  const trigger = (id: string) =>
    shapeOf(`create trigger move_${id.replaceAll('-', '')}_passes before update on passes when account_id = '${id}'`);
  expect(trigger(crypto.randomUUID())).toBe(trigger(crypto.randomUUID()));
});
