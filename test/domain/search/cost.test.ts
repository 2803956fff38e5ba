import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { indexPasses } from '../../../src/domain/passes/search-index/index-pass.ts';
import { type Pass, passes } from '../../../src/domain/passes/table.ts';
import { getDateFacts } from '../../../src/domain/search/date-facts.ts';
import { getScope } from '../../../src/domain/search/scope.ts';
import { searchPasses } from '../../../src/domain/search/search-passes.ts';
import { shardOf, uuidv7 } from '../../../src/platform/ids.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { insertRows } from '../../support/insert-rows.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate, PROPERTIES } from './crowd.ts';

/* The rows that a search reads don't depend on the machine, so they are tested here. */

const PASSES = 3_000;
const FOREIGN_PASSES = 4_000;
const PAGE = 100;
/** Maximum number of passes that the product indexes in one statement. */
const PAGE_INDEXED = 250;
/** Rows read besides those of the results: template, property definitions, and a total's counts. */
const CONSTANT = 8;
/** Index words that a total reads: the distinct values of a range, in sufficient precision. */
const COUNTED_WORDS = 250;

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
let otherTemplateId: string;

beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  templateId = await makeTemplate(ctx);
  otherTemplateId = await makeTemplate(ctx);
  await makeCrowd(ctx, templateId, PASSES);
  await makeCrowd(ctx, otherTemplateId, 40);
  const stranger = withJobs(await database.accountContext());
  await makeCrowd(stranger, await makeTemplate(stranger), FOREIGN_PASSES);
});
afterAll(() => database.close());

const [fullName, level, points, birthday] = PROPERTIES.map(({ id }) => id!) as [string, string, string, string];

/** Creates many passes at once: rows like those of a create, indexed by a create's statements. */
async function makeCrowd(owner: AccountContext, template: string, count: number): Promise<void> {
  const { pass: first } = await createPass(owner, template, {}, { wait: false });
  const crowd = Array.from(
    { length: count - 1 },
    (_, i): Pass => ({
      ...first,
      id: uuidv7(shardOf(owner.account.id)),
      generatedId: `G${count}-${i}`,
      barcodeValue: `code-${i}`,
      userProvidedId: `member-${i}`,
      pageToken: `${first.pageToken}${i}`,
      storedValue: i % 500,
      expirationAt: Date.UTC(2027, 0, 1) + i * 60_000,
      properties: {
        [fullName]: `Person ${(i * 7919) % 9973} of Town ${i % 10}`,
        [level]: i % 3 === 0 ? 'Gold' : 'Basic',
        [points]: String(i),
        [birthday]: `19${String(i % 90).padStart(2, '0')}-05-17`,
      },
    }),
  );
  await database.d1.prepare('update templates set pass_count = ? where id = ?').bind(count, template).run();
  for (let at = 0; at < crowd.length; at += PAGE_INDEXED) {
    const part = crowd.slice(at, at + PAGE_INDEXED);
    await insertRows(database.d1, passes, part);
    const indexed = part.map((pass) => ({ pass, version: pass.version }));
    await owner.db.batch(indexPasses(owner, indexed) as never);
  }
}

/** Returns the cost of a search without the round trip that checks its key. */
async function cost(query: object, start: { startId?: string } = {}) {
  const before = { ...ctx.meter };
  const { rows, total } = await searchPasses(ctx, { query, pageSize: PAGE, ...start });
  return { rows: rows.length, total, last: rows.at(-1)?.pass.id, read: ctx.meter.rowsRead - before.rowsRead };
}

const one = (field: string, operator: string, value?: unknown) => ({
  templateId,
  groups: [[{ field, operator, value }]],
});

const gold = { field: 'Level', operator: 'equals', value: 'Gold' };
const all = (...conditions: object[]) => ({ templateId, groups: [conditions] });

describe('equality, ranges and prefixes read at most three rows per result', () => {
  test.each<[string, number, () => object]>([
    ['one text', 1, () => one('userProvidedId', 'equals', 'MEMBER-1234')],
    [
      'one text in all templates',
      1,
      () => ({ groups: [[{ field: 'userProvidedId', operator: 'equals', value: 'member-2990' }]] }),
    ],
    ['no text', 0, () => one('userProvidedId', 'equals', 'nobody')],
    ['an additional property', 1, () => one('Full name', 'equals', 'person 7919 of town 1')],
    [
      'many texts',
      60,
      () =>
        one(
          'userProvidedId',
          'equals',
          Array.from({ length: 60 }, (_, i) => `member-${i * 3}`),
        ),
    ],
    ['the beginning of a text', 111, () => one('userProvidedId', 'beginsWith', 'member-12')],
    ['a range of numbers', 49, () => one('Points', 'greaterThanOrEquals', 2_950)],
    [
      'a range between two bounds',
      79,
      () =>
        all(
          { field: 'Points', operator: 'greaterThan', value: 100 },
          { field: 'Points', operator: 'lowerThan', value: 180 },
        ),
    ],
    ['a broad range of numbers', 2_499, () => one('Points', 'greaterThanOrEquals', 500)],
    ['a date that many have', 34, () => one('Birthday', 'equals', '1917-05-17')],
    ['a value that a third has', 1_000, () => one('Level', 'equals', 'gold')],
    [
      'two broad conditions that few meet',
      2,
      () => all(gold, { field: 'storedValue', operator: 'equals', value: 123 }),
    ],
  ])('%s', async (_, wanted, query) => {
    const { total, read } = await cost(query());
    expect(total).toBe(wanted);
    expect(read).toBeLessThanOrEqual(3 * total + CONSTANT);
  });
});

test('generated identifiers read a few rows, in any field', async () => {
  const pass = await database.d1
    .prepare('select id, generated_id from passes where template_id = ? order by key limit 1')
    .bind(templateId)
    .first<{ id: string; generated_id: string }>();
  const { id, generated_id: generatedId } = pass!;
  const asked: [string, string, string][] = [
    ['identifier', 'equals', id],
    ['identifier', 'beginsWith', id.slice(0, 30)],
    ['generatedId', 'equals', generatedId],
    ['generatedId', 'beginsWith', generatedId.slice(0, 10)],
    ['barcodeValue', 'equals', generatedId],
    ['barcodeValue', 'beginsWith', generatedId.slice(0, 10)],
  ];
  for (const [field, operator, value] of asked) {
    const { total, read } = await cost(one(field, operator, value));
    expect(total, field).toBe(1);
    expect(read, `${field} ${operator}`).toBeLessThanOrEqual(3 + CONSTANT);
  }
});

test('a total costs no row per pass: for everything, a broad value, a day, or a negated condition', async () => {
  const day = { field: 'expirationDate', operator: 'equals', value: '2027-01-02' };
  const queries = [
    {},
    { templateId },
    all(gold),
    all(day),
    one('Level', 'notEquals', 'gold'),
    one('voided', 'isFalse'),
    one('storedValue', 'empty'),
    one('expirationDate', 'lowerThan', '2027-01-02 12:00'),
  ];
  for (const query of queries) {
    const { rows, total, read } = await cost(query);
    expect(total).toBeGreaterThanOrEqual(query === queries[6] ? 1 : 10 * PAGE);
    expect(read, JSON.stringify(query)).toBeLessThanOrEqual(3 * rows + COUNTED_WORDS);
  }
});

describe('a phrase reads at most ten rows per result', () => {
  test.each<[string, number, () => object]>([
    ['in a property', 1, () => one('Full name', 'contains', 'person 7919 ')],
    ['in any text', 1, () => ({ searchPhrase: 'ember-1234', templateId })],
    ['at the end of a text', 1, () => one('userProvidedId', 'endsWith', 'r-77')],
    // Identifiers of many passes may have the same four digits after a dash, but no such letters.
    ['that many have', 299, () => one('Full name', 'contains', 'town 9')],
    ['that nobody has', 0, () => ({ searchPhrase: 'xyzzy' })],
    ['of two characters', 29, () => one('userProvidedId', 'endsWith', '99')],
  ])('%s', async (_, wanted, query) => {
    const { total, read } = await cost(query());
    expect(total).toBe(wanted);
    expect(read).toBeLessThanOrEqual(10 * Math.max(total, 1) + CONSTANT);
  });
});

describe('a phrase in values outside the documents reads only what it finds', () => {
  /**
   * Additional rows for a phrase that may be in a date, at any table size: template versions, the index's facts for two
   * years each, and per template and year a lookup of changes without a version. The number of years depends on the
   * date of the run.
   */
  const DATE_FACTS = 90;
  const YEAR_FACTS = 15;
  let named: string;

  beforeAll(async () => {
    named = await makeTemplate(ctx, { name: 'Season ticket of the northern stand' });
    await makeCrowd(ctx, named, 50);
    const change = `update passes set number_of_active = 47, number_of_inactive = 4711, first_downloaded_at = ?2,
      download_enabled_until_at = ?3 where id in (select id from passes where template_id = ?1 order by id limit 3)`;
    const [first, until] = [Date.UTC(2027, 5, 7, 8, 9), Date.UTC(2031, 10, 12, 13, 14)];
    await database.d1.prepare(change).bind(named, first, until).run();
  });

  test.each<[string, number, string]>([
    ['the name of a template', 50, 'northern stand'],
    ['a part of its name with an asterisk', 50, 'season*stand'],
    ['pieces of a text', 3, 'person 7919*town 1'],
    ['a stored value', 12, '*499'],
    ['a code of digits', 0, '20478899012'],
    ['a short code of digits', 1, '2991'],
    ['a time to the minute', 1, '2027-01-02 03:04'],
    ['a day of any year', 3, '-11-12'],
    ['digits of a number of devices', 3, '4711'],
    ['a year that a date of few passes has', 3, '2031'],
  ])('%s', async (_, wanted, searchPhrase) => {
    const { total, read } = await cost({ searchPhrase });
    // Identifiers contain digits, too.
    if (/^[\d*]+$/.test(searchPhrase)) expect(total).toBeGreaterThanOrEqual(wanted);
    else expect(total).toBe(wanted);
    const { years } = await getDateFacts(ctx, await getScope(ctx, {}));
    const facts = DATE_FACTS + YEAR_FACTS * years.changed.length;
    const found = Math.max(total, await withEachPart(searchPhrase), 1);
    expect(read).toBeLessThanOrEqual(10 * found + CONSTANT + facts);
  });

  /**
   * Returns the number of passes that have all parts of three characters of a phrase in their identifiers and codes.
   * The index finds them, too: passes of the same 256 ms share four digits after a dash.
   */
  async function withEachPart(phrase: string): Promise<number> {
    const parts = Array.from({ length: phrase.length - 2 }, (_, i) => phrase.slice(i, i + 3));
    const text = "lower(id || ' ' || generated_id || ' ' || barcode_value || ' ' || coalesce(user_provided_id, ''))";
    const conditions = parts.map(() => `instr(${text}, ?) > 0`).join(' and ');
    const counted = database.d1.prepare(`select count(*) as n from passes where ${conditions}`).bind(...parts);
    return (await counted.first<{ n: number }>())!.n;
  }

  test('a text costs nothing extra for dates and numbers', async () => {
    const before = { ...ctx.meter };
    await searchPasses(ctx, { query: { searchPhrase: 'ember-1234' }, pageSize: PAGE });
    // Scope, page with its total, and definitions of the passes found.
    expect(ctx.meter.roundTrips - before.roundTrips).toBeLessThanOrEqual(3);
    expect(ctx.meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(10 + CONSTANT);
  });

  test('the total for a template’s name does not read its passes', async () => {
    const { total, rows, read } = await cost({ searchPhrase: 'northern*stand', templateId: named });
    expect(total).toBe(50);
    expect(read).toBeLessThanOrEqual(3 * rows + CONSTANT);
  });
});

test('a page reads as many rows at any depth', async () => {
  let last: string | undefined;
  for (let page = 0; page < 15; page++) {
    const found = await cost(one('Level', 'equals', 'Basic'), { startId: last });
    expect(found.read).toBeLessThanOrEqual(3 * PAGE + CONSTANT);
    last = found.last;
  }
});

test('other accounts’ and templates’ passes cost nothing', async () => {
  const small = (field: string, operator: string, value: unknown) => ({
    templateId: otherTemplateId,
    groups: [[{ field, operator, value }]],
  });
  const queries = [
    small('Level', 'equals', 'Basic'),
    small('userProvidedId', 'contains', 'member'),
    small('storedValue', 'greaterThan', 5),
    { templateId: otherTemplateId, searchPhrase: 'town' },
    { templateId: otherTemplateId },
  ];
  for (const query of queries) {
    const { rows, read } = await cost(query);
    expect(rows).toBeGreaterThan(20);
    expect(read, JSON.stringify(query)).toBeLessThanOrEqual(3 * rows + CONSTANT);
  }
  const stranger = await database.accountContext();
  const before = stranger.meter.rowsRead;
  expect((await searchPasses(stranger, { query: { searchPhrase: 'member-1' }, pageSize: PAGE })).total).toBe(0);
  expect(stranger.meter.rowsRead - before).toBeLessThanOrEqual(2);
});

describe('values that change without a new version have their own indexes', () => {
  const DEVICES = 50;

  beforeAll(async () => {
    const newest = 'in (select id from passes where template_id = ? order by id desc limit ?)';
    const change = `update passes set number_of_active = 2, number_of_inactive = 3, number_of_printed = 1, last_usage_at = 1, first_downloaded_at = 1 where id ${newest}`;
    await database.d1.prepare(change).bind(templateId, DEVICES).run();
  });

  test.each<[string, () => object]>([
    ['active passes', () => one('active', 'isTrue')],
    ['numbers of devices', () => one('numberOfActive', 'greaterThan', 1)],
    ['numbers of former devices', () => one('numberOfInactive', 'equals', 3)],
    ['printed passes', () => one('numberOfPrinted', 'greaterThanOrEquals', 1)],
    ['a last usage', () => one('lastUsage', 'lowerThan', '1990-01-01')],
    ['a first download', () => one('firstDownloadedAt', 'notEmpty')],
  ])('%s', async (_, query) => {
    const { total, read } = await cost(query());
    expect(total).toBe(DEVICES);
    expect(read).toBeLessThanOrEqual(5 * total + CONSTANT);
  });

  test('even together with a broad condition', async () => {
    const { total, read } = await cost(
      all({ field: 'active', operator: 'isTrue' }, { field: 'voided', operator: 'isFalse' }),
    );
    expect(total).toBe(DEVICES);
    expect(read).toBeLessThanOrEqual(1_000 + 8 * total);
  });
});

test('members of a row are looked up in the round trip of the page', async () => {
  const query = one('userProvidedId', 'equals', 'member-12');
  const tripsWith = async (names?: string[]) => {
    const before = ctx.meter.roundTrips;
    const members = names && { names, builtIn: new Set(['identifier', 'userProvidedId']) };
    await searchPasses(ctx, { query, pageSize: PAGE, members });
    return ctx.meter.roundTrips - before;
  };
  const plain = await tripsWith();
  expect(await tripsWith(['identifier', 'userProvidedId'])).toBe(plain);
  expect(await tripsWith(['identifier', 'Level', fullName])).toBe(plain);
});

test('indexing a pass writes one row', async () => {
  const made = await createPass(ctx, otherTemplateId, { [fullName]: 'Somebody' }, { wait: false });
  const before = ctx.meter.rowsWritten;
  await ctx.db.batch(indexPasses(ctx, [{ pass: made.pass, version: 1 }]) as never);
  expect(ctx.meter.rowsWritten - before).toBe(1);
});
