import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/errors.ts';
import { TemplateDefinition } from '../../../../src/domain/templates/definition.ts';
import { readPackage } from '../../../../src/wallets/apple/template-package/import-template.ts';
import { openPackage } from '../../../../src/wallets/apple/template-package/open-package.ts';
import { randomRuns } from '../../../support/random-runs.ts';
import { archiveOf } from '../../../support/template-files.ts';

/* Unexpected files: each becomes a valid definition, or is rejected with a reason. */

const HOME = { language: 'de', timezone: 'Europe/Vienna' };

const FIELD = {
  key: 'a',
  label: 'A',
  value: '2027-01-01T10:00:00Z',
  attributedValue: "<a href='https://example.com'>x</a>",
  dateStyle: 'PKDateStyleShort',
  currencyCode: 'EUR',
  numberStyle: 'PKNumberStyleDecimal',
  changeMessage: 'Now %@',
  textAlignment: 'PKTextAlignmentLeft',
  row: 1,
  semantics: { seats: [{ seatSectionColor: 'rgb(1, 2, 3)' }] },
};
/** A pass with a value for everything that is read. */
const PASS = {
  formatVersion: 1,
  organizationName: 'Line',
  description: 'Ticket',
  logoText: 'Line',
  serialNumber: '1',
  backgroundColor: 'rgb(1, 2, 3)',
  barcodes: [{ format: 'PKBarcodeFormatQR', message: 'm', altText: 'm' }],
  locations: [{ latitude: 1, longitude: 2, relevantText: 'Near' }],
  relevantDate: '2027-01-01T10:00:00Z',
  relevantDates: [
    { date: '2027-01-01T10:00:00Z' },
    { startDate: '2027-01-01T10:00:00Z', endDate: '2027-01-01T11:00:00Z' },
  ],
  expirationDate: '2030-01-01T10:00:00Z',
  semantics: { eventName: 'x', seats: [{}], duration: 5, wifiAccess: [{ ssid: 'a', password: 'b' }] },
  beacons: [{ proximityUUID: '01980b5e-4a30-7a52-9c11-0242ac120000' }],
  featuredActions: [{ identifier: 'a', type: 'shop', url: 'https://example.com' }],
  preferredStyleSchemes: ['posterEventTicket', 'eventTicket'],
  posterGeneric: { primaryFields: [FIELD] },
  upcomingPassInformation: [
    { identifier: 'a', name: 'b', backFields: [FIELD], dateInformation: { date: '2027-01-01T10:00:00Z' } },
  ],
  userInfo: { a: 1 },
  eventTicket: {
    headerFields: [FIELD],
    primaryFields: [{ ...FIELD, key: 'b' }],
    backFields: [{ ...FIELD, key: 'c' }],
    additionalInfoFields: [FIELD],
  },
};
const STRINGS = '/* c */ "Near" = "Nah"; "A" = "\\U00e4"; bare = "x";';

/** Returns the paths to everything in a value. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Object.assign(copy, { [name]: replaced((value as Record<string, unknown>)[name], rest, by) });
  return copy;
}

const odd = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    1e308,
    '',
    ' ',
    '%@',
    '{',
    '{sign(',
    '__proto__',
    '2027-02-30T10:00:00Z',
    'x'.repeat(10_001),
  ),
  fc.constantFrom(
    [],
    {},
    [null],
    [[]],
    Array.from({ length: 150 }, () => ({})),
    { __proto__: null, constructor: 1 },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

test('an odd pass.json becomes a valid definition, or is rejected', () => {
  const paths = pathsIn(PASS).filter((path) => path.length > 0);
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), odd), { minLength: 1, maxLength: 4 });
  let accepted = 0;
  fc.assert(
    fc.property(changes, fc.string({ unit: 'binary', maxLength: 60 }), (list, noise) => {
      // Longer paths first, because their parents still exist then.
      const ordered = list.toSorted(([a], [b]) => b.length - a.length);
      const pass = ordered.reduce<unknown>((value, [path, by]) => replaced(value, path, by), PASS);
      const files = {
        'pass.json': JSON.stringify(pass),
        'de.lproj/pass.strings': STRINGS,
        'fr.lproj/pass.strings': STRINGS + noise,
      };
      try {
        const { definition, warnings } = readPackage(openPackage(archiveOf(files)), HOME);
        expect(TemplateDefinition.safeParse(definition).error).toBeUndefined();
        expect(warnings.every((warning) => warning.length < 1_000)).toBe(true);
        accepted++;
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
      }
    }),
    randomRuns(600, 60_000),
  );
  // Most of it is ignored, not rejected.
  expect(accepted).toBeGreaterThan(100);
});
