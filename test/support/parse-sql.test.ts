import { parse } from 'sql-parser-cst';
import { expect, test } from 'vitest';
import { parseStatements } from './parse-sql.ts';

const STATEMENTS = {
  'a subquery in each place': `with a as (select id from passes where id in (select ? union select 2)), b(c) as (select 1)
    select (select max(id) from a), exists (select 1 from b) from (select id from a) as c join b on b.c = (select 3)`,
  'a query that a part repeats': 'select coalesce(a, b) from (select coalesce(a, b)) where (select coalesce(a, b)) = 1',
  'parts in parts': `update passes set a = coalesce(coalesce(a, iif(b, (c || (d || e)), instr(f, char(10)))), '') || (g)
    where a = 1 and (b = 2 or (c = 3 and not (d = 4))) or (case when (e) then (f) else (g) end)`,
  'parentheses in texts and names': `select '(', ')' || (' )''( '), "a(b" from \`c)d\` where (e = ')' and (f = '('))`,
  'functions and lists': `insert into passes (a, b) values (?, min(1, (2))), (3, count(*) filter (where (a)))
    on conflict (a) do update set b = excluded.b where (passes.a = 1 and coalesce(b, 1) in (1, 2)) returning a`,
  'two statements': 'delete from a where (b = 1 or (c = 2)); select 1',
};

test.each(Object.entries(STATEMENTS))('a statement is parsed in parts as it is at once: %s', (_, sql) => {
  const { statements } = parse(sql, { dialect: 'sqlite', paramTypes: ['?', '?nr', ':name'] });
  expect(parseStatements(sql)).toEqual(statements);
});

test.each(['select (1', 'select 1)', 'select 1 and (', 'select coalesce(1, from)'])('%s is an error', (sql) => {
  expect(() => parseStatements(sql)).toThrow();
});
