import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { checkQuery } from '../../../src/domain/search/check-query.ts';
import { countPasses, searchPasses, selectPassIds } from '../../../src/domain/search/search-passes.ts';
import { changeTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { SAMPLE_FLIGHT, sampleTemplate } from '../../support/samples.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makePass, makeTemplate, modelPasses, PROPERTIES } from './crowd.ts';
import { hasPhrase, type ModelPass } from './model.ts';

/*
 * Phrases cut out of displayed rows, with and without asterisks: each finds the passes that show it, in zones whose
 * clocks change by an hour, by half an hour, or never.
 */

const PASSES = 60;
const PHRASES = 150;
const LIMIT_MS = 15_000;
const STEP_MS = 7.3 * 86_400_000;
/** Later than any identifier of the run; clocks change three times in the following period. */
const START = Date.UTC(2040, 9, 20, 23, 51, 17);

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterEach(() => vi.useRealTimers());
afterAll(() => database.close());

const ENDS = ['2040-11-04 01:30', '2041-03-10 02:30', '9999-12-31 23:59', '1971-01-01 00:00', '2105-07-07 07:07'];

/** Creates passes of templates that define their end in different ways, some with a version that others don't show. */
async function makeCrowd(ctx: AccountContext): Promise<ModelPass[]> {
  vi.useFakeTimers({ toFake: ['Date'], now: START - 3_600_000 });
  const places = { validValidationPlaces: ['Gate 7'] };
  const own = { expirationDateDifferentForEachPass: true };
  const templates = [
    await makeTemplate(ctx, { name: 'Gate pass 41-03', ...places, expiration: { ...own, validityInDays: 33 } }),
    await makeTemplate(ctx, { name: 'Fixed', ...places, expiration: { expirationDate: '2041-03-31 12:34' } }),
    await makeTemplate(ctx, { name: 'Free', ...places, expiration: own }),
  ];
  const flight = await makeTemplate(ctx, {
    name: 'Flight',
    type: 'boardingPass',
    transitType: 'PKTransitTypeAir',
    additionalProperties: [],
  });
  const ids: string[] = [];
  for (let i = 0; i < PASSES; i++) {
    if (i === PASSES / 2) await changeDefinition(ctx, templates[1]!);
    const fields = {
      userProvidedId: `Order-${i * 37}`,
      ...(i % 4 === 0 ? { storedValue: [42.5, 40, 0, -7.25, 1e21][i % 5] } : {}),
      ...(i % 3 === 0 ? { downloadPin: `${1_000 + i}`, barcodeAlternativeText: `Door*${i % 10}` } : {}),
      ...(i % 5 === 0 ? { labelColor: '#a1b2c3', eligibleValidationPlaces: ['Gate 7'] } : {}),
      ...(i % 2 === 0 ? { relevantDate: '2041-10-27 01:59', validAsOfDate: '2040-12-24' } : {}),
      ...(i % 7 === 0 ? { expirationDate: ENDS[i % ENDS.length] } : {}),
    };
    const values = i % 8 === 7 ? SAMPLE_FLIGHT : { 'Full name': `Person ${i}`, Newsletter: i % 2 === 0 };
    const template = i % 8 === 7 ? flight : templates[i % 3]!;
    const { eligibleValidationPlaces: _, ...ofFlight } = fields;
    ids.push(await makePass(ctx, template, START + i * STEP_MS, { ...(i % 8 === 7 ? ofFlight : fields), ...values }));
  }
  const devices =
    database.d1.prepare(`update passes set number_of_active = ?2 % 13 * 11, number_of_inactive = ?2 % 5 * 308,
    first_downloaded_at = case when ?2 % 3 = 0 then created_at + 12345 end, modified_at = created_at + ?2 * 7777,
    download_enabled_until_at = case when ?2 % 9 = 0 then ?3 end where id = ?1`);
  await database.d1.batch(ids.map((id, i) => devices.bind(id, i, Date.UTC(2044 + 3 * i, 1, 28, 5, 59))));
  return modelPasses(ctx);
}

function changeDefinition(ctx: AccountContext, template: string): Promise<number> {
  const input = sampleTemplate({
    name: 'Fixed anew',
    additionalProperties: PROPERTIES,
    validValidationPlaces: ['Gate 7'],
    expiration: { expirationDate: '2041-11-03 01:15', limitExpirationDateOfPassWithTemplate: true },
  });
  return changeTemplate(ctx, template, () => TemplateDefinition.parse(input));
}

/**
 * Returns parts of a text joined by asterisks, possibly with nothing omitted, and possibly with asterisks around them.
 */
function cutOf(text: string): fc.Arbitrary<string> {
  const chars = Array.from(text);
  const cut = fc.tuple(fc.nat(chars.length - 1), fc.integer({ min: 1, max: 11 }));
  const plain = cut.map(([from, length]) => chars.slice(from, from + length).join(''));
  const places = fc.array(fc.nat(chars.length), { minLength: 2, maxLength: 6 }).map((all) => all.sort((a, b) => a - b));
  const wild = places.map((all) =>
    all
      .slice(1)
      .map((to, i) => (i % 2 === 0 ? chars.slice(all[i], to).join('') : '*'))
      .join(''),
  );
  const around = wild.map((phrase) => `*${phrase}**`);
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 3, arbitrary: wild }, { weight: 1, arbitrary: around });
}

const OTHERS = [
  '*',
  '**',
  ' * ',
  '*0*',
  '-',
  ':',
  '2*:*:17',
  '12-24',
  '-10-27 0',
  '9999',
  '00:00:00',
  '99',
  '308',
  '11*',
  '4 2',
];

describe.each(['America/New_York', 'Australia/Lord_Howe', 'UTC'])('in %s', (timezone) => {
  test('a phrase finds the passes whose rows show it', async () => {
    const ctx = withJobs(await database.accountContext(timezone));
    const crowd = await makeCrowd(ctx);
    const shown = fc.constantFrom(...crowd).chain(({ texts }) => fc.constantFrom(...texts));
    const phrases = fc.oneof(
      { weight: 9, arbitrary: shown.filter((text) => text !== '').chain(cutOf) },
      { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
    );
    const templateIds = fc.constantFrom(undefined, ...new Set(crowd.map(({ templateId }) => templateId)));
    let [asked, few] = [0, 0];
    await fc.assert(
      fc.asyncProperty(phrases, templateIds, fc.integer({ min: 1, max: 70 }), async (phrase, templateId, pageSize) => {
        const inScope = crowd.filter((pass) => templateId === undefined || pass.templateId === templateId);
        const wanted = inScope.filter(({ texts }) => texts.some((text) => hasPhrase(text, phrase))).map(({ id }) => id);
        const query = { searchPhrase: phrase, ...(templateId ? { templateId } : {}) };
        const { rows, total } = await searchPasses(ctx, { query, pageSize });
        expect([rows.map(({ pass }) => pass.id), total]).toEqual([wanted.slice(0, pageSize), wanted.length]);
        asked += 1;
        if (wanted.length < inScope.length / 2) few += 1;
        const resolved = await checkQuery(ctx, query);
        expect(await selectPassIds(ctx, resolved, { limit: 1_000 })).toEqual(wanted.toReversed());
        expect(await countPasses(ctx, resolved)).toBe(wanted.length);
      }),
      randomRuns(PHRASES / 3, LIMIT_MS),
    );
    // Phrases that match all passes or none would find no differences.
    expect(few).toBeGreaterThan(asked / 5);
  });
});
