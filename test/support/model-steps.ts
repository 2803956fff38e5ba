import fc from 'fast-check';
import { SAMPLE_FLIGHT } from './samples.ts';

/** How a step names a pass: by one of its names, by a deleted pass's name, or by a name that never existed. */
export const NAMINGS = ['identifier', 'userProvidedId', 'barcodeValue', 'generatedId', 'gone', 'never'] as const;

export interface Target {
  /** Index of the pass, modulo their number. */
  nth: number;
  naming: (typeof NAMINGS)[number];
}

type Fields = Record<string, unknown>;

/** One request. `template` is an index modulo the number of templates. */
export type Step =
  | { kind: 'create'; version: 'v1' | 'v3'; wait: boolean; template: number; fields: Fields }
  | { kind: 'replace'; target: Target; wait: boolean; fields: Fields }
  | { kind: 'patch'; target: Target; wait: boolean; fields: Fields }
  | { kind: 'update'; target: Target; nested: boolean; fields: Fields }
  | { kind: 'void'; target: Target; voided: boolean }
  | { kind: 'move'; target: Target; template: number }
  | { kind: 'delete'; target: Target; version: 'v1' | 'v3' };

/** Few values, and the same names in several places, to trigger the rules about uniqueness and precedence of names. */
const VALUES = {
  userProvidedId: ['ann', 'bob', 'code-1', 'a/b c?é%2F', 7, null, ''],
  enforceUniqueUserProvidedId: [true, false],
  barcodeValue: ['code-1', 'code-2', 'ann', null, ''],
  storedValue: [0, 12.5, '30', -1, null],
  expirationDate: ['2027-03-01 10:00', '2030-12-31 23:59', null],
  bundleId: ['family', null],
  downloadPin: ['1234', null],
  eligibleValidationPlaces: [['Gate'], [], null],
  Name: ['Ada', 'Grace', 5, true, null, ''],
  Level: ['Gold', null],
  Plate: ['W-1', 'W-2', null],
  Class: ['First', 'Second', null],
  Paid: [true, 'false', null],
  seatNumber: ['12A', null],
  originAirportCode: ['vie', 'GRZ'],
  flightNumber: ['171', 5],
  mystery: [{ deep: [1] }],
};

/** Values that are invalid wherever they apply. */
const WRONG_VALUES = {
  storedValue: ['much'],
  expirationDate: ['soon', '2027-02-30 10:00'],
  eligibleValidationPlaces: [['Moon']],
  Class: ['Third'],
  originAirportCode: ['WIEN'],
  passengerName: [null, ''],
};

const plain = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { noNullPrototype: true });
const choices = (values: Record<string, readonly unknown[]>) =>
  Object.fromEntries(Object.entries(values).map(([name, some]) => [name, fc.constantFrom(...some)]));
const some = (values: Record<string, readonly unknown[]>) =>
  fc.record(choices(values), { requiredKeys: [], noNullPrototype: true });
const few = (values: Record<string, readonly unknown[]>) =>
  fc.tuple(some(values), fc.subarray(Object.keys(values), { maxLength: 3 })).map(([all, keep]) => pick(all, keep));

function pick(all: Fields, keep: string[]): Fields {
  return Object.fromEntries(Object.entries(all).filter(([name]) => keep.includes(name)));
}

const flight = fc.oneof(
  { weight: 3, arbitrary: fc.constant(SAMPLE_FLIGHT) },
  { weight: 1, arbitrary: fc.constant({}) },
);
const wrong = fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: few(WRONG_VALUES) });
const wholeFields = fc.tuple(flight, some(VALUES), wrong).map((parts): Fields => Object.assign({}, ...parts));
const changedFields = fc.tuple(few(VALUES), wrong).map((parts): Fields => Object.assign({}, ...parts));

const target: fc.Arbitrary<Target> = plain({
  nth: fc.nat(20),
  naming: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...NAMINGS.slice(0, 4)) },
    { weight: 1, arbitrary: fc.constantFrom('gone' as const, 'never' as const) },
  ),
});
const template = fc.nat(4);
const version = fc.constantFrom('v1' as const, 'v3' as const);
const is = <Kind extends string>(kind: Kind) => fc.constant(kind);

const update = plain({
  kind: is('update'),
  target,
  nested: fc.boolean(),
  fields: fc
    .tuple(changedFields, fc.option(fc.boolean(), { nil: undefined }))
    .map(([fields, voided]) => (voided === undefined ? fields : { ...fields, voided })),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: plain({ kind: is('create'), version, wait: fc.boolean(), template, fields: wholeFields }) },
  { weight: 2, arbitrary: plain({ kind: is('replace'), target, wait: fc.boolean(), fields: wholeFields }) },
  { weight: 4, arbitrary: plain({ kind: is('patch'), target, wait: fc.boolean(), fields: changedFields }) },
  { weight: 2, arbitrary: update },
  { weight: 2, arbitrary: plain({ kind: is('void'), target, voided: fc.boolean() }) },
  { weight: 4, arbitrary: plain({ kind: is('move'), target, template }) },
  { weight: 2, arbitrary: plain({ kind: is('delete'), target, version }) },
);

/** Sequences of requests. */
export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
