import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { demoPassData } from '../../scripts/demo/passes.ts';
import { DEMO_KEYS, type DemoKey, demoTemplates } from '../../scripts/demo/templates.ts';
import { IMAGE_ROLES } from '../../src/domain/images/stored-image.ts';
import { BODY_BYTES_MAX } from '../../src/domain/limits.ts';
import { FlightFields, PassFields } from '../../src/domain/passes/values/pass-fields.ts';
import { TemplateDefinition } from '../../src/domain/templates/definition.ts';
import { lintDefinition } from '../../src/domain/templates/wallet-rules/lint-definition.ts';
import { inspectImage } from '../../src/platform/images.ts';

const DEMO = join(import.meta.dirname, '../../scripts/demo');
const IMAGE_FILE_BYTES_MAX = 150 * 1024;

const demos = await demoTemplates();

/** Returns every text of a definition, except its pictures and translations. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (LEFT_OUT.includes(name) ? [] : texts(part)));
}
const LEFT_OUT = ['images', 'translations'];

/** Hints accepted for a demo template, each with its reason. */
const KEPT_HINTS: Partial<Record<DemoKey, Record<string, string>>> = {
  boardingPass: { 'apple.preferredStyleSchemes': 'the flight of each pass gives these tags' },
  eventTicket: { sharingProhibited: 'the ticket is for one guest' },
  storeCard: { 'barcode.format': 'tills read Code 128; a Watch shows the QR code' },
  seasonTicket: {
    'nfc.enabled': 'a stadium has readers, and a certificate for them',
    'barcode.format': 'Android phones and older iPhones show the code',
  },
};

test('there is one for each pass style, a season ticket and a train ticket', () => {
  expect(demos.map(({ key }) => key)).toEqual(DEMO_KEYS);
  const parsed = demos.map(({ definition }) => TemplateDefinition.parse(definition));
  expect(parsed.map(({ type }) => type)).toEqual([
    'boardingPass',
    'eventTicketBackground',
    'storeCard',
    'coupon',
    'generic',
    'eventTicket',
    'boardingPass',
  ]);
  expect(new Set(parsed.map(({ barcode }) => barcode.format)).size).toBe(4);
});

describe.each(demos)('$key', ({ key, definition }) => {
  const parsed = TemplateDefinition.parse(definition);

  test('fits into a request', () => {
    expect(Buffer.byteLength(JSON.stringify(definition))).toBeLessThan(BODY_BYTES_MAX);
  });

  test('has pictures that can be read', () => {
    const sources = IMAGE_ROLES.flatMap((role) => parsed.images[role] ?? []);
    expect(sources.length).toBeGreaterThanOrEqual(3);
    for (const source of sources) expect(inspectImage(Buffer.from(source, 'base64')).format).toBe('png');
  });

  test('is without errors and warnings for both wallets, and with hints that have a reason', () => {
    const found = lintDefinition(definition);
    expect(found.filter(({ severity }) => severity !== 'hint')).toEqual([]);
    expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(KEPT_HINTS[key] ?? {}).sort());
  });

  test('has a matching example pass', () => {
    const data = demoPassData(key);
    PassFields.parse(data);
    const isFlight = parsed.transitType === 'PKTransitTypeAir';
    if (isFlight) FlightFields.parse(data);
    const known = [
      ...Object.keys(PassFields.shape),
      ...(isFlight ? Object.keys(FlightFields.shape) : []),
      ...parsed.additionalProperties.map(({ name }) => name),
    ];
    expect(Object.keys(data).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('translates texts that it has', () => {
    const known = new Set(texts(parsed));
    expect(Object.keys(parsed.translations)).toEqual(['de', 'fr']);
    for (const translation of Object.values(parsed.translations)) {
      expect(Object.keys(translation).filter((text) => !known.has(text))).toEqual([]);
      expect(Object.entries(translation).filter(([text, to]) => text.includes('%@') !== to.includes('%@'))).toEqual([]);
    }
  });
});

test('every picture is small', () => {
  const images = join(DEMO, 'images');
  for (const file of readdirSync(images)) {
    expect(readFileSync(join(images, file)).length, file).toBeLessThan(IMAGE_FILE_BYTES_MAX);
  }
});
