import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { demoTemplates } from '../../scripts/demo/templates.ts';
import { IMAGE_ROLES } from '../../src/domain/images/stored-image.ts';
import { BODY_BYTES_MAX } from '../../src/domain/limits.ts';
import { FlightFields } from '../../src/domain/passes/values/flight-fields.ts';
import { PassFields } from '../../src/domain/passes/values/pass-fields.ts';
import { TemplateDefinition } from '../../src/domain/templates/definition.ts';
import { inspectImage } from '../../src/platform/images.ts';

const DEMO = join(import.meta.dirname, '../../scripts/demo');
const IMAGE_FILE_BYTES_MAX = 150 * 1024;

const demos = await demoTemplates();

/** Every text of a definition that can have a translation. */
function texts(definition: TemplateDefinition): Set<string> {
  const fields = Object.values(definition.fields).flat();
  return new Set([
    ...fields.flatMap((field) => [field.label, field.value, field.changeMessage, field.voidedLabel, field.voidedValue]),
    ...definition.links.map((link) => link.label),
  ] as string[]);
}

test('there is one for each pass style, each with another code where styles differ', () => {
  expect(demos.map(({ key }) => key)).toEqual(['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic']);
  const parsed = demos.map(({ definition }) => TemplateDefinition.parse(definition));
  expect(parsed.map(({ type }) => type)).toEqual([
    'boardingPass',
    'eventTicketBackground',
    'storeCard',
    'coupon',
    'generic',
  ]);
  expect(new Set(parsed.map(({ barcode }) => barcode.format)).size).toBe(4);
});

describe.each(demos)('$key', ({ definition }) => {
  const parsed = TemplateDefinition.parse(definition);

  test('fits into a request', () => {
    expect(Buffer.byteLength(JSON.stringify(definition))).toBeLessThan(BODY_BYTES_MAX);
  });

  test('has pictures that can be read', () => {
    const sources = IMAGE_ROLES.flatMap((role) => parsed.images[role] ?? []);
    expect(sources.length).toBeGreaterThanOrEqual(3);
    for (const source of sources) expect(inspectImage(Buffer.from(source, 'base64')).format).toBe('png');
  });

  test('translates texts that it has', () => {
    const known = texts(parsed);
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

test('the example boarding pass fits its template', () => {
  const { data } = JSON.parse(readFileSync(join(DEMO, 'boarding-pass.json'), 'utf8'));
  PassFields.parse(data);
  FlightFields.parse(data);
  const template = TemplateDefinition.parse(demos[0]!.definition);
  const known = [
    ...Object.keys(PassFields.shape),
    ...Object.keys(FlightFields.shape),
    ...template.additionalProperties.map(({ name }) => name),
  ];
  expect(Object.keys(data).filter((key) => !known.includes(key))).toEqual([]);
});
