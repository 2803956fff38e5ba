import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { changePass } from '../../../src/domain/passes/change-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { voidPass } from '../../../src/domain/passes/update-pass.ts';
import { checkQuery } from '../../../src/domain/search/check-query.ts';
import { countPasses, searchPasses, selectPassIds } from '../../../src/domain/search/search-passes.ts';
import { changeTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makePass, makeProject, makeTemplate, modelPasses, PROPERTIES } from './crowd.ts';
import { type ModelCondition, type ModelPass, type ModelQuery, plain, selects } from './model.ts';

/*
 * Random queries over random passes: the index must agree with a full scan. Texts use few letters, so that they match
 * often: some with cases and marks beyond ASCII, special characters of SQL, LIKE and FTS5, and characters beyond the
 * basic plane.
 */

const QUERIES = 600;
/** No new case starts after this time; FC_RUNS sets more. */
const ASK_LIMIT_MS = 25_000;
const PAGE_LIMIT_MS = 12_000;
/** Concurrent queries. */
const AT_ONCE = 10;
const PASSES = 220;
/** Seed for the passes. */
const SEED = 20_261_122;
const HOUR_MS = 3_600_000;
/** Later than any identifier of the run, so that identifiers determine the times of passes. */
const START = Date.UTC(2040, 0, 20);

let database: LocalDatabase;
let ctx: AccountContext;
let crowd: ModelPass[];
let projectId: string;
let templateIds: string[];

const letters = fc.constantFrom(...'aAbBßäÄéÉσΣςяЯ 19.%_*"\'\\|-', 'e\u0301', '😀', 'OR ', 'NEAR', '\n');
const word = fc
  .array(letters, { minLength: 1, maxLength: 9 })
  .map((list) => list.join(''))
  .filter((text) => text.trim() !== '');
const digits = (millis: number, chars: number) => new Date(millis).toISOString().replace('T', ' ').slice(0, chars);
const moment = fc.integer({ min: 0, max: 60 * 24 * 60 }).map((minutes) => START + minutes * 60_000);
const dateText = moment.map((millis) => digits(millis, 16));
const number = fc.oneof(
  fc.integer({ min: -5, max: 20 }),
  fc.double({ min: -50, max: 50, noNaN: true }).map((value) => Math.round(value * 100) / 100),
);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 3 });

const PLACES = ['Gate A', 'gate b', 'Süd', 'Messe "1"', 'ß'];
const color = fc.constantFrom('#a1b2c3', '#ffffff', '#2040ff');

const passFields = fc.record({
  barcodeAlternativeText: maybe(word),
  downloadPin: maybe(fc.constantFrom('2040', '9999', '4711', 'pin-1')),
  labelColor: maybe(color),
  backgroundColor: maybe(color),
  eligibleValidationPlaces: maybe(fc.subarray(PLACES)),
  userProvidedId: maybe(word),
  barcodeValue: maybe(word),
  bundleId: maybe(fc.constantFrom('b1', 'B1', 'bündel', ...Array.from({ length: 40 }, (_, i) => `x${i}`))),
  emailRecipient: maybe(
    fc.constantFrom('Ada@Example.com', 'b.x+19@sub.example.org', 'o-r_9@Example.com', 'ADA@example.org'),
  ),
  phoneRecipient: maybe(fc.constantFrom('+43 1 2345678', '0049-30-1234567')),
  storedValue: maybe(number),
  expirationDate: maybe(dateText),
  relevantDate: maybe(dateText),
  validAsOfDate: maybe(dateText.map((text) => text.slice(0, 10))),
  'Full name': maybe(word),
  Level: maybe(fc.constantFrom('Basic', 'Gold', 'Platin')),
  Points: maybe(number.map(String).filter((text) => /^-?\d+(\.\d+)?$/.test(text))),
  Birthday: maybe(dateText.map((text) => text.slice(0, 10))),
  Appointment: maybe(dateText),
  Newsletter: maybe(fc.boolean()),
  Notes: maybe(fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(' '))),
});

const LIMITED = {
  expirationDate: '2040-02-20 12:00',
  expirationDateDifferentForEachPass: true,
  limitExpirationDateOfPassWithTemplate: true,
  fallbackToTemplateExpirationDateIfEmpty: true,
};

/** New passes show a version of the third template that the others only show once it is published. */
async function renameTemplate(): Promise<void> {
  const input = sampleTemplate({
    name: 'Not alone',
    additionalProperties: PROPERTIES,
    validValidationPlaces: PLACES,
    expiration: { ...LIMITED, expirationDate: '2040-03-03 03:03' },
  });
  await changeTemplate(ctx, templateIds[2]!, () => TemplateDefinition.parse(input));
}

beforeAll(async () => {
  database = await openLocalDatabase();
  vi.useFakeTimers({ toFake: ['Date'], now: START - HOUR_MS });
  ctx = withJobs(await database.accountContext('Europe/Vienna'));
  projectId = await makeProject(ctx);
  templateIds = [
    await makeTemplate(ctx, { name: 'École', projectId, validValidationPlaces: PLACES }),
    // The same names for properties with other IDs and types.
    await makeTemplate(ctx, {
      name: 'gold card',
      projectId,
      validValidationPlaces: PLACES,
      expiration: { expirationDateDifferentForEachPass: true, validityInDays: 40 },
      additionalProperties: PROPERTIES.map(({ id, ...property }) => ({
        ...property,
        id: id!.replace('a', 'b'),
        ...(property.name === 'Birthday' ? { type: 'text' as const } : {}),
      })),
    }),
    await makeTemplate(ctx, { name: 'Alone', validValidationPlaces: PLACES, expiration: LIMITED }),
  ];
  const samples = fc.sample(passFields, { seed: SEED, numRuns: PASSES });
  const ids: string[] = [];
  for (const [i, fields] of samples.entries()) {
    if (i === PASSES / 2) await renameTemplate();
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    ids.push(await makePass(ctx, templateIds[i % 3]!, START + i * 5 * HOUR_MS, sent));
  }
  await changeSome(ids);
  const stranger = withJobs(await database.accountContext('Europe/Vienna'));
  const foreign = await makeTemplate(stranger, { name: 'École', validValidationPlaces: PLACES });
  for (const fields of samples.slice(0, 40))
    await makePass(stranger, foreign, START, JSON.parse(JSON.stringify(fields)));
  crowd = await modelPasses(ctx);
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

/** Changes passes after their creation: updates, moves, deletions, and changes without a new version. */
async function changeSome(ids: string[]): Promise<void> {
  for (const [i, id] of ids.entries()) {
    if (i % 7 === 0) await voidPass(ctx, id, true);
    if (i % 11 === 0)
      await changePass(ctx, id, ({ pass }) => ({
        pass: { ...pass, emailRecipient: `Änne-${i % 4}`, storedValue: null, redeemed: true },
      }));
    if (i % 13 === 0) await deletePass(ctx, id, async () => {});
  }
  const volatile =
    database.d1.prepare(`update passes set number_of_active = ?2 % 3, number_of_inactive = ?2 % 2, number_of_printed = ?2 % 4,
    download_enabled_until_at = case when ?2 % 5 = 0 then ?3 + 60000 end, last_usage_at = case when ?2 % 3 = 0 then null else ?3 end,
    appearance = case when ?2 % 4 = 0 then json_set(appearance, '$.images', json('{"logo":{"sha256":"ab12"}}')) else appearance end, first_downloaded_at = case when ?2 % 2 = 0 then null else ?3 end where id = ?1`);
  await database.d1.batch(ids.map((id, i) => volatile.bind(id, i * 7 + (i >> 3), START + i * 11 * HOUR_MS)));
}

const OPERATORS = [
  'equals',
  'notEquals',
  'doesNotEqual',
  'contains',
  'doesNotContain',
  'beginsWith',
  'endsWith',
  'greaterThan',
  'greaterThanOrEquals',
  'lowerThan',
  'lowerThanOrEquals',
  'empty',
  'emtpy',
  'notEmpty',
  'isTrue',
  'isFalse',
];
const WITHOUT_VALUE = ['empty', 'emtpy', 'notEmpty', 'isTrue', 'isFalse'];
const FOR_TEXTS = ['contains', 'doesNotContain', 'endsWith'];

/** Returns part of a text from a pass, in any case. */
function pieceOf(text: string): fc.Arbitrary<string> {
  const chars = Array.from(text);
  const piece = fc
    .tuple(fc.nat(chars.length), fc.nat(6))
    .map(([from, length]) => chars.slice(from, from + length).join(''));
  const cased = fc.tuple(fc.oneof(fc.constant(text), piece, fc.constant(chars.slice(0, 4).join(''))), fc.nat(2));
  return cased.map(([part, how]) => (how === 0 ? part : how === 1 ? part.toUpperCase() : part.toLowerCase()));
}

/** Returns part of a text, or several parts with asterisks between them. */
function phraseOf(text: string): fc.Arbitrary<string> {
  const chars = Array.from(text);
  const cuts = fc.subarray(
    chars.map((_, i) => i),
    { maxLength: Math.min(4, chars.length) },
  );
  const wild = cuts.map((at) => {
    const pieces = at.map((from, i) => chars.slice(from, i % 2 === 0 ? from + 3 : from + 1).join(''));
    return pieces.join('*');
  });
  return fc.oneof(pieceOf(text), wild);
}

const FORMS = [10, 16, 19];

function operandFor(
  kind: ModelPass['fields'][string]['kind'],
  operator: string,
  seen: unknown[],
): fc.Arbitrary<string | number> {
  const one = fc.constantFrom(...(seen.length > 0 ? seen : ['a']));
  const isText = [...FOR_TEXTS, 'beginsWith'].includes(operator);
  if (kind === 'number' && !isText) return fc.oneof(number, one.map(Number));
  if (kind === 'date' || (kind === 'writtenDate' && !isText)) {
    const known = one.map((text) => (String(text) + ' 00:00:00'.slice(String(text).length - 10)).replace('T', ' '));
    const forms = operator === 'beginsWith' ? [4, 7, 13, ...FORMS] : FORMS;
    return fc
      .tuple(
        fc.oneof(
          known,
          moment.map((millis) => digits(millis, 19)),
        ),
        fc.constantFrom(...forms),
      )
      .map(([text, length]) => text.slice(0, length));
  }
  return fc.oneof(
    one.chain((text) => pieceOf(String(text))),
    word,
    fc.constant(''),
  );
}

function conditionOn(names: string[]): fc.Arbitrary<ModelCondition> {
  return fc.tuple(fc.constantFrom(...names), fc.constantFrom(...OPERATORS)).chain(([field, operator]) => {
    const values = crowd.map((pass) => pass.fields[field]).filter((found) => found !== undefined);
    const kinds = new Set(values.map(({ kind }) => kind));
    const [kind = 'text'] = kinds;
    // A property that is a date in one template and a text in another accepts the operators of both.
    if (
      kinds.size > 1 ||
      (kind === 'date' && [...FOR_TEXTS, 'isTrue', 'isFalse'].includes(operator)) ||
      (kind === 'writtenDate' && /^is/.test(operator))
    ) {
      return fc.constant({ field, operator: 'notEmpty' });
    }
    if (WITHOUT_VALUE.includes(operator)) return fc.constant({ field, operator });
    const operand = operandFor(
      kind,
      operator,
      values.flatMap(({ value }) => value ?? []),
    );
    const value = fc.oneof(
      { weight: 3, arbitrary: operand },
      { weight: 1, arbitrary: fc.array(operand, { maxLength: 12 }) },
    );
    return value.map((value) => ({ field, operator, value }));
  });
}

function anyQuery(): fc.Arbitrary<ModelQuery> {
  const builtIn = Object.keys(crowd[0]!.fields).filter(
    (name) => !PROPERTIES.some((property) => [property.id, property.name].includes(name)),
  );
  const withProperties = [...builtIn, ...PROPERTIES.flatMap(({ name }) => [name, name])];
  const scopes = fc.constantFrom<[object, string[]]>(
    [{}, builtIn],
    ...templateIds.map((templateId): [object, string[]] => [{ templateId }, withProperties]),
    [{ projectId }, withProperties],
  );
  return scopes.chain(([scope, names]) => {
    const groups = fc.array(fc.array(conditionOn(names), { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    const phrase = fc.constantFrom(...crowd.flatMap(({ texts }) => texts)).chain(phraseOf);
    return fc
      .record({ groups, searchPhrase: maybe(fc.oneof(phrase, word)) })
      .map((rest): ModelQuery => ({ ...scope, ...rest }));
  });
}

describe('random queries over random passes', () => {
  test('select the same as a full scan, newest first, with the exact total', async () => {
    let asked = 0;
    let selecting = 0;
    const ask = async ([query, pageSize]: [ModelQuery, number]) => {
      const expected = crowd.filter((pass) => selects(query, pass)).map(({ id }) => id);
      const page = await searchPasses(ctx, { query, pageSize });
      asked += 1;
      if (expected.length > 0 && expected.length < crowd.length) selecting += 1;
      return {
        found: { ids: page.rows.map(({ pass }) => pass.id), total: page.total, hasMore: page.hasMore },
        wanted: { ids: expected.slice(0, pageSize), total: expected.length, hasMore: expected.length > pageSize },
      };
    };
    const several = fc.array(fc.tuple(anyQuery(), fc.integer({ min: 1, max: 30 })), {
      minLength: AT_ONCE,
      maxLength: AT_ONCE,
    });
    await fc.assert(
      fc.asyncProperty(several, async (queries) => {
        const answers = await Promise.all(queries.map(ask));
        expect(answers.map(({ found }) => found)).toEqual(answers.map(({ wanted }) => wanted));
      }),
      randomRuns(QUERIES / AT_ONCE, ASK_LIMIT_MS),
    );
    // A generator whose queries match everything or nothing would find no differences.
    expect(selecting).toBeGreaterThan(asked / 3);
  }, 600_000);

  test('return all their passes once, in pages, in both orders', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery(), fc.integer({ min: 3, max: 40 }), async (query, limit) => {
        const expected = crowd.filter((pass) => selects(query, pass)).map(({ id }) => id);
        const newest: string[] = [];
        for (let more = true; more; ) {
          const page = await searchPasses(ctx, { query, pageSize: limit, startId: newest.at(-1) });
          newest.push(...page.rows.map(({ pass }) => pass.id));
          expect(page.total).toBe(expected.length);
          more = page.hasMore;
        }
        expect(newest).toEqual(expected);
        const resolved = await checkQuery(ctx, query);
        const oldest: string[] = [];
        for (let more = true; more; ) {
          const ids = await selectPassIds(ctx, resolved, { afterId: oldest.at(-1), limit });
          oldest.push(...ids);
          more = ids.length === limit;
        }
        expect(oldest).toEqual(expected.toReversed());
        expect(await countPasses(ctx, resolved)).toBe(expected.length);
      }),
      randomRuns(QUERIES / 25, PAGE_LIMIT_MS),
    );
  }, 600_000);
});

test('the model and the search fold texts the same way', () => {
  expect(['STRASSE', 'ΟΔΟΣ', 'E\u0301'].map(plain)).toEqual(['straße', 'οδος', 'é'].map(plain));
});
